//! Systems of several spaces, each reduction in a given order.

use crate::kernel_texts::{CHOLESKY, EDIT_DISTANCE};
use crate::support::{filled, sizes, system, tensors};
use systole_base::integer::Bindings;
use systole_equations::recurrence::spaces::{SpaceSystem, cut_spaces, evaluate_system_in_order};
use systole_equations::recurrence::{Chain, RecurrenceSystem, Tensors, evaluate};

/// The chains of all spaces, each as its reduction is written.
fn written(cut: &SpaceSystem) -> Vec<Chain> {
    cut.spaces.iter().map(Chain::as_written).collect()
}

fn in_order(system: &RecurrenceSystem, chains: &[Chain], sizes: &Bindings, inputs: &Tensors) -> Tensors {
    let cut = cut_spaces(system).expect("the kernel is cut");
    evaluate_system_in_order(system, &cut, chains, sizes, inputs).unwrap_or_else(|errors| panic!("{}", errors[0]))
}

fn hold(text: &str, pairs: &[(&str, i64)], inputs: &Tensors) {
    let system = system(text);
    let chains = written(&cut_spaces(&system).expect("the kernel is cut"));
    let expected = evaluate(&system, &sizes(pairs), inputs).expect("the evaluation succeeds");
    assert_eq!(in_order(&system, &chains, &sizes(pairs), inputs), expected, "{pairs:?}");
}

#[test]
fn the_written_order_gives_the_bits_of_the_equations() {
    for n in [1, 2, 5, 8] {
        let side = n as usize;
        let mut square = filled(3, &[side, side]);
        (0..side).for_each(|row| square[[row, row]] += 300.0);
        hold(CHOLESKY, &[("N", n)], &tensors(&[("A", square)]));
    }
    hold(EDIT_DISTANCE, &[("M", 4), ("N", 7)], &tensors(&[("a", filled(1, &[4])), ("b", filled(2, &[7]))]));
    let nested = "kernel nested(N)\nin A[N, N], d[N]\nout y[N]
y[i] = sum(j in 0..i) (A[i, j] * max(k in 0..j + 1) A[j, k]) / d[i]";
    hold(nested, &[("N", 6)], &tensors(&[("A", filled(1, &[6, 6])), ("d", filled(2, &[6]))]));
}

const SCALED: &str = "kernel scaled(N)
in A[N, N], x[N]
out y[N]
y[i] = sum(k) (A[i, k] * x[k]) / (1 + i)";

/// The means of rows, by sums from the right.
#[test]
fn a_reversed_sum_begins_with_its_last_value() {
    let text = SCALED.replace("sum(k) (A[i, k] * x[k])", "(sum(k) A[i, k] * x[k])");
    let system = system(&text);
    let cut = cut_spaces(&system).expect("the kernel is cut");
    let mut chains = written(&cut);
    let sums = cut.position("y.sum").expect("there is a space of sums");
    chains[sums] = Chain::along(vec![vec![0, -1]]);
    let rough = |seed, shape: &[usize]| filled(seed, shape).mapv(|value: f64| (value * 1.7).exp());
    let inputs = tensors(&[("A", rough(1, &[6, 6])), ("x", rough(2, &[6]))]);
    let (a, x) = (&inputs["A"], &inputs["x"]);
    let sum = |row: usize| (0..5).rev().fold(a[[row, 5]] * x[[5]], |sum, k| sum + a[[row, k]] * x[[k]]);
    let expected: Vec<f64> = (0..6).map(|row| sum(row) / (1 + row) as f64).collect();
    let pairs = sizes(&[("N", 6)]);
    let found = in_order(&system, &chains, &pairs, &inputs);
    assert_eq!(found["y"].iter().copied().collect::<Vec<f64>>(), expected);
    assert_ne!(found, evaluate(&system, &pairs, &inputs).expect("the evaluation succeeds"));
}

#[test]
fn chains_that_do_not_fit_are_refused() {
    let system = system(SCALED);
    let cut = cut_spaces(&system).expect("the kernel is cut");
    let inputs = tensors(&[("A", filled(1, &[3, 3])), ("x", filled(2, &[3]))]);
    let refusal = |chains: &[Chain]| {
        let result = evaluate_system_in_order(&system, &cut, chains, &sizes(&[("N", 3)]), &inputs);
        result.expect_err("refused")[0].to_string()
    };
    assert!(refusal(&[]).contains("the chains are not those"));
    let short = vec![Chain::along(vec![vec![1]]); cut.spaces.len()];
    assert!(refusal(&short).contains("the chains are not those"));
    let none = vec![Chain::along(vec![]); cut.spaces.len()];
    assert!(refusal(&none).contains("more than one value for element"));
}
