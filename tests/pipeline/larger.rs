//! Kernels larger than their array: one program for an array of this size and all sizes of the kernel, against SCALE-Sim's count and
//! the count by hand.

use super::common::{filled_inputs, shown};
use ndarray::Array2;
use systole::array::{Program, Tensors};
use systole::integer::name;
use systole::machine::Machine;
use systole::recurrence::evaluate;
use systole::recurrence::spaces::spaces_of;
use systole::sim::{Outcome, Settings, simulate};
use systole::smt::Verdict;
use systole::span::Source;
use systole::{Compiled, Options, compile};

const MATMUL: &str =
    "kernel product(M, N, K)\nin A[M, K], B[K, N]\nout C[M, N]\nC[i, j] = sum(k in 0..K) A[i, k] * B[k, j]\n";

/// Sizes that divide, sizes that do not, sizes that fit, and some of 1.
const SIZES: [[i64; 3]; 20] = [
    [64, 64, 64],
    [32, 32, 32],
    [16, 16, 16],
    [17, 17, 17],
    [33, 16, 5],
    [16, 33, 5],
    [5, 40, 16],
    [40, 5, 16],
    [100, 17, 3],
    [17, 100, 3],
    [31, 47, 13],
    [47, 31, 13],
    [8, 8, 8],
    [1, 1, 1],
    [1, 64, 7],
    [64, 1, 7],
    [15, 70, 2],
    [70, 15, 2],
    [35, 36, 1],
    [20, 20, 50],
];

fn array_of(rows: u64, columns: u64) -> Machine {
    let mut machine = Machine { extent: Some(vec![rows, columns]), ..Machine::default() };
    machine.links.network = systole::network::Network::Wire;
    machine
}

fn compiled(text: &str, machine: Machine, sizes: &[(&str, i64)]) -> Compiled {
    let sizes = sizes.iter().map(|(size, value)| (name(size), *value)).collect();
    let options = Options { machine, sizes, ..Options::default() };
    let compiled = compile(&Source::new("larger.rec", text), &options);
    compiled.unwrap_or_else(|problems| panic!("{}", shown(&problems)))
}

fn whole_numbers(seed: usize, rows: i64, columns: i64) -> Array2<f64> {
    let value = |(i, j): (usize, usize)| ((i * 7919 + j * 104_729 + seed) % 31) as f64 - 14.0;
    Array2::from_shape_fn((rows as usize, columns as usize), value)
}

/// Runs a product, and holds it against ndarray's: of whole numbers, so sums agree in any order.
fn product(program: &Program, [m, n, k]: [i64; 3]) -> Outcome {
    let (a, b) = (whole_numbers(3, m, k), whole_numbers(8, k, n));
    let sizes = [("M", m), ("N", n), ("K", k)].map(|(size, value)| (name(size), value)).into_iter().collect();
    let inputs: Tensors = [(name("A"), a.clone().into_dyn()), (name("B"), b.clone().into_dyn())].into_iter().collect();
    let outcome = simulate(program, &sizes, &inputs, &Settings::default());
    let outcome = outcome.unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    assert_eq!(outcome.outputs[&name("C")], a.dot(&b).into_dyn(), "{m} x {n} x {k}");
    outcome
}

/// How long the strips of an axis are.
fn strips(size: i64, side: i64) -> Vec<i64> {
    (0..size).step_by(side as usize).map(|start| side.min(size - start)).collect()
}

/// A PE begins a strip in the cycle after its last one; a strip ends at its last PE.
fn by_hand([m, n, k]: [i64; 3], [rows, columns]: [i64; 2]) -> i64 {
    let pairs = strips(m, rows).into_iter().flat_map(|i| strips(n, columns).into_iter().map(move |j| i + j - 2));
    (1..).zip(pairs).map(|(round, skew)| round * k + skew).max().unwrap_or(0)
}

#[test]
fn a_product_of_any_size_runs_on_an_array_of_one_size() {
    for sides in [[16, 16], [8, 32]] {
        let compiled = compiled(MATMUL, array_of(sides[0] as u64, sides[1] as u64), &[("M", 40), ("N", 40), ("K", 8)]);
        assert!(compiled.proofs.iter().all(|proof| proof.verdict == Verdict::Proved));
        assert!(compiled.unstated.is_empty(), "that each element is stored once is proved too");
        let strips: Vec<i64> = compiled.spaces.strips().iter().map(|strip| strip.size).collect();
        let (turned, [rows, columns]) = (strips != sides, sides);
        for sizes in SIZES {
            let outcome = product(&compiled.program, sizes);
            let used = if turned { [columns, rows] } else { sides };
            assert_eq!(outcome.cycles as i64, by_hand(sizes, used), "{sizes:?} on {used:?}");
            assert!(outcome.pes as i64 <= rows * columns);
            for pe in &outcome.counters.pes {
                assert_eq!((pe.stalled, pe.starved), (0, 0), "{:?} at {sizes:?}", pe.point);
            }
            // SCALE-Sim's relation, with results that stay: `scalesim_folds.rs`.
            let [m, n, k] = sizes;
            let folds = (m + used[0] - 1) / used[0] * ((n + used[1] - 1) / used[1]);
            assert!(outcome.cycles as i64 <= folds * (k + rows + columns - 2), "{sizes:?}");
        }
    }
}

/// 64 cubed on 16 x 16: the published figure, of a bound of 1,024.
#[test]
fn a_product_is_within_three_per_cent_of_the_bound() {
    let compiled = compiled(MATMUL, array_of(16, 16), &[("M", 64), ("N", 64), ("K", 64)]);
    assert_eq!(product(&compiled.program, [64, 64, 64]).cycles, 1054);
}

/// What fits is not divided, and neither is anything on an array without an end.
#[test]
fn what_fits_is_not_divided() {
    let fitting = compiled(MATMUL, array_of(16, 16), &[("M", 16), ("N", 9), ("K", 20)]);
    assert!(fitting.spaces.strips().is_empty());
    let endless = compiled(MATMUL, Machine::default(), &[("M", 20), ("N", 20), ("K", 3)]);
    assert!(endless.spaces.strips().is_empty());
}

/// Several spaces in strips hand each other their values on the PE: no strip waits for another.
#[test]
fn a_sum_and_what_is_made_of_it_are_divided_alike() {
    let layer = "kernel layer(M, N, K)\nin A[M, K], B[K, N], D[N]\nout C[M, N]\n\
                 C[i, j] = max(0, D[j] + sum(k in 0..K) A[i, k] * B[k, j])\n";
    let compiled = compiled(layer, array_of(4, 4), &[("M", 9), ("N", 10), ("K", 6)]);
    assert_eq!(compiled.spaces.strips().len(), 2);
    for [m, n, k] in [[9, 10, 6], [4, 4, 1], [1, 1, 1], [5, 13, 3], [13, 2, 2]] {
        let (a, b, d) = (whole_numbers(3, m, k), whole_numbers(8, k, n), whole_numbers(5, 1, n));
        let expected = (a.dot(&b) + &d).mapv(|value| value.max(0.0));
        let sizes = [("M", m), ("N", n), ("K", k)].map(|(size, value)| (name(size), value)).into_iter().collect();
        let d = d.into_shape_with_order(n as usize).unwrap();
        let inputs: Tensors = [("A", a.into_dyn()), ("B", b.into_dyn()), ("D", d.into_dyn())]
            .map(|(tensor, values)| (name(tensor), values))
            .into_iter()
            .collect();
        let outcome = simulate(&compiled.program, &sizes, &inputs, &Settings::default());
        let outcome = outcome.unwrap_or_else(|problems| panic!("{}", shown(&problems)));
        assert_eq!(outcome.outputs[&name("C")], expected.into_dyn(), "{m} x {n} x {k}");
    }
}

/// A line of PEs, and kernels whose strips hand values to each other.
fn line_of(pes: u64) -> Machine {
    let mut machine = Machine { extent: Some(vec![pes]), ..Machine::default() };
    machine.links.network = systole::network::Network::Line;
    machine
}

/// Runs a program at these sizes and holds it against the equations, bit for bit where no sum has another order.
fn held(compiled: &Compiled, sizes: &[(&str, i64)]) -> Outcome {
    let sizes = sizes.iter().map(|(size, value)| (name(size), *value)).collect();
    let inputs = filled_inputs(&compiled.equations, &sizes, false);
    let outcome = simulate(&compiled.program, &sizes, &inputs, &Settings::default());
    let outcome = outcome.unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    assert_eq!(outcome.deadlock, None, "{sizes:?}");
    let expected = evaluate(&compiled.equations, &sizes, &inputs).unwrap_or_else(|faults| panic!("{}", shown(&faults)));
    for (tensor, values) in &expected {
        let found = &outcome.outputs[tensor];
        assert!(found.iter().zip(values).all(|(one, other)| close(*one, *other)), "{tensor} at {sizes:?}");
    }
    let chain = compiled.spaces.longest_chain(&sizes).expect("few points");
    assert!(outcome.cycles >= chain, "no design is faster than the longest chain at {sizes:?}");
    outcome
}

fn close(one: f64, other: f64) -> bool {
    one.to_bits() == other.to_bits() || (one - other).abs() <= 1e-9 * one.abs().max(other.abs()).max(1.0)
}

/// The kernel of a file without its schedules.
fn shipped(kernel: &str) -> String {
    let text = std::fs::read_to_string(format!("kernels/{kernel}.rec")).expect("a kernel that ships");
    text.split("\nschedule").next().unwrap_or_default().to_owned()
}

/// By hand: in strip p every unknown needs 16 p steps more than in the first, which takes 2 . 16 - 1.
#[test]
fn a_solve_of_any_size_runs_on_a_line() {
    let compiled = compiled(&shipped("trisolve"), line_of(16), &[("N", 40)]);
    assert!(compiled.proofs.iter().all(|proof| proof.verdict == Verdict::Proved));
    for n in [1, 2, 15, 16, 17, 33, 100] {
        let outcome = held(&compiled, &[("N", n)]);
        let strips = strips(n, 16).into_iter().enumerate();
        let by_hand: i64 = strips.map(|(number, length)| 16 * number as i64 + 2 * length - 1).sum();
        assert_eq!(outcome.cycles as i64, by_hand, "N = {n}");
        assert!(outcome.pes <= 16);
    }
}

/// A rod whose ends stay as warm as they are: the right one lies in the strip that N - 1 is in. Undivided it took a PE for each step of time.
#[test]
fn a_rod_with_ends_of_any_length_runs_on_a_line() {
    let rod = "kernel rod(T, N) where N >= 2\nin x[N]\nout y[N]\nlocal u[T + 1, N]\nu[0, i] = x[i]\n\
               u[t, i] = (u[t - 1, i - 1] + u[t - 1, i] + u[t - 1, i + 1]) / 3 where t >= 1, 1 <= i < N - 1\n\
               u[t, 0] = u[t - 1, 0] where t >= 1\nu[t, N - 1] = u[t - 1, N - 1] where t >= 1\ny[i] = u[T, i]\n";
    let compiled = compiled(rod, line_of(16), &[("T", 5), ("N", 40)]);
    assert!(compiled.proofs.iter().all(|proof| proof.verdict == Verdict::Proved));
    for [t, n] in [[5, 40], [3, 16], [4, 17], [2, 33], [1, 2], [2, 3], [1, 48]] {
        let outcome = held(&compiled, &[("T", t), ("N", n)]);
        // Every strip takes a step for each step of time, one for the start and one for the result.
        let strips = strips(n, 16).len() as i64;
        assert_eq!(outcome.cycles as i64, strips * (t + 2), "T = {t}, N = {n}");
        assert!(outcome.pes <= 16);
    }
}

/// Each strip of the alignment takes as many steps as the other sequence is long, and the way along the line.
#[test]
fn an_alignment_of_any_size_runs_on_a_line() {
    let compiled = compiled(&shipped("smith_waterman"), line_of(16), &[("M", 40), ("N", 30)]);
    assert!(compiled.proofs.iter().all(|proof| proof.verdict == Verdict::Proved));
    let along = compiled.spaces.strips()[0].index.to_string();
    for [m, n] in [[100, 80], [40, 30], [16, 16], [5, 70], [70, 5], [1, 1], [17, 1]] {
        let outcome = held(&compiled, &[("M", m), ("N", n)]);
        let (cut, other) = if along == "i" { (m, n) } else { (n, m) };
        // Rows are counted from 1, so the first strip has 15.
        assert_eq!(outcome.cycles as i64, cut + (cut / 16 + 1) * (other - 1), "{m} x {n}, {along} in strips");
        assert!(outcome.pes <= 16);
    }
}

/// Factors and shortest paths on a square array. Where all fits, factors take 3 N - 2 cycles as without strips; paths take N + 2 rounds
/// of a cycle for each pair of strips.
#[test]
fn factors_and_paths_of_any_size_run_on_a_square() {
    let floyd = "kernel floyd(N)\nin W[N, N]\nout D[N, N]\nlocal d[N + 1, N, N]\nd[0, i, j] = W[i, j]\n\
                 d[k, i, j] = min(d[k - 1, i, j], d[k - 1, i, k - 1] + d[k - 1, k - 1, j]) where k >= 1\nD[i, j] = d[N, i, j]\n";
    let sizes = [1, 3, 4, 5, 11, 13];
    for (text, cycles) in [
        (shipped("cholesky"), [1, 7, 10, 22, 71, 122]),
        (shipped("lu"), [1, 7, 10, 29, 103, 189]),
        (floyd.to_owned(), [3, 5, 6, 28, 117, 240]),
    ] {
        let compiled = compiled(&text, array_of(4, 4), &[("N", 9)]);
        assert!(compiled.proofs.iter().all(|proof| proof.verdict == Verdict::Proved));
        assert!(!compiled.spaces.strips().is_empty());
        let outcomes = sizes.map(|n| held(&compiled, &[("N", n)]));
        assert!(outcomes.iter().all(|outcome| outcome.pes <= 16));
        assert_eq!(outcomes.map(|outcome| outcome.cycles), cycles, "{} at {sizes:?}", compiled.spaces.kernel);
    }
}

/// The longest chains are those of textbooks: the terms of a sum one after the other, and what waits for them.
#[test]
fn chains_are_as_long_as_textbooks_say() {
    let chain = |text: &str, sizes: &[(&str, i64)]| {
        let equations = systole::recurrence::load(&Source::new("chain.rec", text)).expect("a kernel");
        let sizes = sizes.iter().map(|(size, value)| (name(size), *value)).collect();
        spaces_of(&equations).expect("spaces").longest_chain(&sizes)
    };
    for n in [1, 2, 5, 9u64] {
        let size = n as i64;
        assert_eq!(chain(MATMUL, &[("M", size), ("N", 3), ("K", 7)]), Some(7));
        assert_eq!(chain(&shipped("trisolve"), &[("N", size)]), Some(2 * n - 1));
        assert_eq!(chain(&shipped("cholesky"), &[("N", size)]), Some(3 * n - 2));
        assert_eq!(chain(&shipped("smith_waterman"), &[("M", size), ("N", 4)]), Some(n + 3));
        assert_eq!(
            chain(&shipped("conv2d"), &[("M", size), ("N", 3), ("K", 3), ("L", 3)]),
            Some(1),
            "lines of a sum over two indices may be summed side by side"
        );
    }
    assert_eq!(chain(MATMUL, &[("M", 1000), ("N", 1000), ("K", 7)]), None, "too many points to look at");
}
