//! Memory, buses and `pass`: the instructions that the feeders do not use.

use super::common::{linked, matrix, product, program, run, sizes, tensors};
use systole_base::integer::name;
use systole_program::array::Tensors;
use systole_run::shared::MemoryTraffic;
use systole_run::sim::{Order, Settings};

#[test]
fn the_product_is_right_and_takes_the_textbook_cycles() {
    let program = program(include_str!("weight-stationary.pe"));
    for (m, n, k) in [(1, 1, 1), (2, 3, 4), (5, 4, 3), (3, 1, 2), (1, 6, 2), (4, 4, 1)] {
        let inputs = tensors(vec![("A", matrix(m, k, 5)), ("B", matrix(k, n, 6))]);
        let sizes = sizes(&[("M", m as i64), ("N", n as i64), ("K", k as i64)]);
        for order in [Order::FirstIn, Order::LastIn] {
            let outcome = run(&program, &sizes, &inputs, &Settings { order, ..Settings::default() });
            assert_eq!(outcome.outputs[&name("C")], product(&inputs));
            assert_eq!(outcome.cycles, (m + n + k - 2) as u64);
            let [points, weights] = [(m * n * k) as u64, (m * k) as u64];
            let expected = MemoryTraffic { prefetched: weights, local: points, ..MemoryTraffic::default() };
            assert_eq!(outcome.counters.memory[0].1, expected);
            assert_eq!(outcome.counters.buses[0].driven, (n * k) as u64);
            assert_eq!(outcome.counters.buses[0].heard, ((m - 1) * n * k) as u64);
        }
    }
}

/// With every PE one clock behind the one above, a bus of latency 1 costs nothing; of latency 3 it costs 2 cycles.
#[test]
fn a_slow_bus_delays_the_listeners() {
    let program = program(include_str!("weight-stationary.pe"));
    let inputs = tensors(vec![("A", matrix(4, 3, 5)), ("B", matrix(3, 5, 6))]);
    let sizes = sizes(&[("M", 2), ("N", 5), ("K", 3)]);
    let inputs = Tensors::from([(name("A"), matrix(2, 3, 5)), (name("B"), inputs[&name("B")].clone())]);
    for (latency, cycles) in [(0, 8), (1, 8), (3, 10)] {
        let program = linked(program.clone(), 1, latency);
        assert_eq!(run(&program, &sizes, &inputs, &Settings::default()).cycles, cycles);
    }
}

#[test]
fn pass_forwards_words_in_their_order() {
    let program = program(
        "(program relay (version 1) (parameters N P) (array X in (N)) (array Y out (N))
           (grid (p 0 (+ P 1)))
           (channel right (offset 1) (latency 1) (depth 2))
           (class source (guard (= p 0)) (loop i 0 (- N 1) (load x (X i)) (send right x) (tick 1)))
           (class relay (guard (>= p 1) (<= p P)) (pass right right N))
           (class sink (guard (= p (+ P 1))) (loop i 0 (- N 1) (recv x right) (store (Y i) x) (tick 1))))",
    );
    for (n, p) in [(1, 1), (7, 1), (4, 5)] {
        let x = matrix(1, n, 9).into_shape_with_order(vec![n]).unwrap();
        let inputs = tensors(vec![("X", x.clone())]);
        let outcome = run(&program, &sizes(&[("N", n as i64), ("P", p)]), &inputs, &Settings::default());
        assert_eq!(outcome.outputs[&name("Y")], x);
        assert_eq!(outcome.cycles, n as u64 + p as u64 + 1);
        assert_eq!(outcome.counters.messages(), (n as u64) * (p as u64 + 1));
    }
}

/// Every line along a diagonal is a bus of its own.
#[test]
fn a_diagonal_bus_joins_the_pes_of_its_line() {
    let program = program(
        "(program diagonal (version 1) (parameters N) (array X in (N)) (array Y out (N N))
           (grid (i 0 (- N 1)) (j 0 (- N 1)))
           (bus anti (direction -1 1) (latency 2))
           (class head (guard (= j 0)) (load x (X i)) (drive anti x (0)) (store (Y i j) x) (tick 1))
           (class tail (guard (>= j 1) (<= (+ i j) (- N 1))) (listen x anti (0)) (store (Y i j) x) (tick 1))
           (class rest (guard (>= (+ i j) N)) (let x 0) (store (Y i j) x)))",
    );
    let x = matrix(1, 4, 2).into_shape_with_order(vec![4]).unwrap();
    let outcome = run(&program, &sizes(&[("N", 4)]), &tensors(vec![("X", x.clone())]), &Settings::default());
    for (i, j) in (0..4usize).flat_map(|i| (0..4usize - i).map(move |j| (i, j))) {
        assert_eq!(outcome.outputs[&name("Y")][[i, j]], x[[i + j]]);
    }
    assert_eq!(outcome.cycles, 3);
}
