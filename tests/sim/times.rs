//! What operations and memory take, by hand: the rules of a machine file's `[operation.NAME]` and `[memory]`.

use super::common::{matrix, product, program, run, sizes, tensors};
use systole_base::integer::name;
use systole_base::machine::{Bandwidth, OperationTime, Times};
use systole_base::scalar::Function;
use systole_run::sim::{Outcome, Settings};

const SIZES: [usize; 3] = [4, 6, 3];

/// `A` stays, `B` is loaded in row 0 and put on buses, and each step is `C + A * B` at most.
fn product_with(times: Times) -> Outcome {
    let [m, n, k] = SIZES;
    let inputs = tensors(vec![("A", matrix(m, k, 5)), ("B", matrix(k, n, 6))]);
    let program = program(include_str!("weight-stationary.pe"));
    let sizes = sizes(&[("M", m as i64), ("N", n as i64), ("K", k as i64)]);
    let outcome = run(&program, &sizes, &inputs, &Settings { times, ..Settings::default() });
    assert_eq!(outcome.outputs[&name("C")], product(&inputs));
    outcome
}

fn operations(times: &[(Function, i64, i64)]) -> Times {
    let mut all = Times::default();
    for (function, latency, interval) in times {
        all.set(*function, OperationTime { latency: *latency, interval: *interval });
    }
    all
}

/// Every step has as many cycles as the slowest, and the run as many times the steps of the schedule.
#[test]
fn slow_operations_stretch_every_step() {
    let [m, n, k] = SIZES.map(|size| size as u64);
    let steps = m + n + k - 2;
    let of = |latencies: &[(Function, i64, i64)]| product_with(operations(latencies));
    for (times, step) in [
        (vec![], 1),
        (vec![(Function::Multiply, 1, 1), (Function::Add, 1, 1)], 1),
        (vec![(Function::Multiply, 4, 1)], 4),
        (vec![(Function::Multiply, 4, 1), (Function::Add, 3, 1)], 6),
        // A unit that is busy for longer than its result takes.
        (vec![(Function::Multiply, 2, 5)], 5),
        (vec![(Function::Multiply, 4, 5), (Function::Add, 3, 2)], 6),
        (vec![(Function::Multiply, 4, 7), (Function::Add, 3, 2)], 7),
        (vec![(Function::Divide, 20, 20)], 1),
    ] {
        let outcome = of(&times);
        assert_eq!((outcome.step, outcome.cycles), (step, step * steps), "{times:?}");
        assert_eq!(outcome.counters.busy(), m * n * k * step, "{times:?}");
        assert_eq!(outcome.counters.stalled() + outcome.counters.starved(), 0, "{times:?}");
    }
}

#[test]
fn a_load_takes_its_latency_and_the_port_its_words() {
    let [m, n, k] = SIZES.map(|size| size as u64);
    let steps = m + n + k - 2;
    let memory = |load_latency, port| Times { load_latency, port, ..Times::default() };
    for (times, step) in [
        (memory(0, None), 1),
        (memory(3, None), 4),
        // The PE at the end of the first row loads a word and stores another in the same step.
        (memory(0, Some(Bandwidth::WordsACycle(2))), 1),
        (memory(0, Some(Bandwidth::WordsACycle(1))), 2),
        (memory(2, Some(Bandwidth::WordsACycle(1))), 3),
    ] {
        let outcome = product_with(times.clone());
        assert_eq!((outcome.step, outcome.cycles), (step, step * steps), "{times:?}");
    }
}

/// Three words through one port: at one a cycle the last is there two cycles later, at a word every second cycle four.
#[test]
fn words_of_a_step_pass_the_port_one_after_another() {
    let program = program(
        "(program sums (version 1) (parameters N) (array X in (N)) (array Y in (N)) (array Z out (N)) (grid (p 0 0))
           (class all (guard)
             (loop i 0 (- N 1)
               (at i) (load x (X i)) (load y (Y i)) (let z (add x y)) (store (Z i) z) (tick 1))))",
    );
    let row = |seed| matrix(1, 5, seed).into_shape_with_order(vec![5]).unwrap();
    let inputs = tensors(vec![("X", row(1)), ("Y", row(2))]);
    for (load_latency, port, step) in [
        (0, None, 1),
        (0, Some(Bandwidth::WordsACycle(3)), 1),
        (0, Some(Bandwidth::WordsACycle(2)), 2),
        (0, Some(Bandwidth::WordsACycle(1)), 3),
        (0, Some(Bandwidth::CyclesAWord(2)), 5),
        (1, Some(Bandwidth::WordsACycle(1)), 3),
        (2, Some(Bandwidth::WordsACycle(1)), 4),
    ] {
        let times = Times { load_latency, port, ..Times::default() };
        let outcome = run(&program, &sizes(&[("N", 5)]), &inputs, &Settings { times, ..Settings::default() });
        assert_eq!((outcome.step, outcome.cycles), (step, 5 * step), "{load_latency} {port:?}");
    }
}

/// Every operation has a latency and an interval of its own.
#[test]
fn every_operation_takes_the_time_of_its_keys() {
    for function in Function::ALL {
        let operands = ["x", "x", "x"][..function.arity()].join(" ");
        let text = format!(
            "(program one (version 1) (array X in (1)) (array Y out (1)) (grid (p 0 0))
               (class all (guard) (load x (X 0)) (let y ({} {operands})) (store (Y 0) y) (tick 1)))",
            function.keyword()
        );
        let inputs = tensors(vec![("X", matrix(1, 1, 3).into_shape_with_order(vec![1]).unwrap())]);
        let step = |times| run(&program(&text), &sizes(&[]), &inputs, &Settings { times, ..Settings::default() }).step;
        assert_eq!(step(operations(&[(*function, 7, 1)])), 7, "{function:?}");
        assert_eq!(step(operations(&[(*function, 1, 5)])), 5, "{function:?}");
        let others = Function::ALL.iter().filter(|other| *other != function);
        assert_eq!(step(operations(&others.map(|other| (*other, 9, 9)).collect::<Vec<_>>())), 1, "{function:?}");
    }
}

/// In a program without clocks all of a PE's work is one after another.
#[test]
fn without_clocks_work_takes_its_time_all_the_same() {
    let program = program(
        "(program chain (version 1) (array X in (1)) (array Y out (1)) (grid (p 0 2))
           (channel right (offset 1) (latency 1) (depth 1))
           (class first (guard (= p 0)) (load x (X 0)) (let x (mul x x)) (send right x))
           (class inner (guard (= p 1)) (recv x right) (let x (mul x x)) (let x (add x 1)) (send right x))
           (class last (guard (= p 2)) (recv x right) (store (Y 0) x)))",
    );
    let inputs = tensors(vec![("X", matrix(1, 1, 3).into_shape_with_order(vec![1]).unwrap())]);
    let cycles = |times| run(&program, &sizes(&[]), &inputs, &Settings { times, ..Settings::default() }).cycles;
    assert_eq!(cycles(Times::default()), 2);
    assert_eq!(cycles(operations(&[(Function::Multiply, 4, 1)])), 2 + 3 + 3);
    assert_eq!(cycles(operations(&[(Function::Multiply, 4, 1), (Function::Add, 2, 1)])), 2 + 3 + 3 + 1);
    assert_eq!(cycles(Times { load_latency: 5, ..Times::default() }), 2 + 5);
}
