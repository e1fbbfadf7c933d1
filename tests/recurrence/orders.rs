//! Reductions in a given order: the written order gives the written bits, any order gives the exact sum of integers.

use crate::support::{filled, kernel, sizes, system, tensors};
use ndarray::ArrayD;
use systole_base::integer::Vector;
use systole_equations::recurrence::spaces::{cut_spaces, evaluate_system_in_order};
use systole_equations::recurrence::{Chain, RecurrenceSystem, Tensors, evaluate, evaluate_in_order, one_space};

fn chain(directions: &[&[i64]]) -> Chain {
    Chain::along(directions.iter().map(|direction| Vector::from(*direction)).collect())
}

/// The output by the written order and by the chain.
fn both(
    system: &RecurrenceSystem,
    chain: &Chain,
    pairs: &[(&str, i64)],
    inputs: &Tensors,
) -> (ArrayD<f64>, ArrayD<f64>) {
    let space = one_space(system).expect("the kernel is one space");
    let written = evaluate(system, &sizes(pairs), inputs).expect("the evaluation succeeds");
    let ordered =
        evaluate_in_order(&space, chain, &sizes(pairs), inputs).unwrap_or_else(|errors| panic!("{}", errors[0]));
    (written[&space.output].clone(), ordered)
}

/// Numbers whose sums depend on their order.
fn rough(seed: usize, shape: &[usize]) -> ArrayD<f64> {
    filled(seed, shape).mapv(|value| (value * 1.7).exp())
}

#[test]
fn the_written_order_of_matmul_gives_the_same_bits() {
    let inputs = tensors(&[("A", rough(1, &[4, 6])), ("B", rough(2, &[6, 3]))]);
    let pairs = [("M", 4), ("N", 3), ("K", 6)];
    let (written, ordered) = both(&kernel("matmul.rec"), &chain(&[&[0, 0, 1]]), &pairs, &inputs);
    assert_eq!(written, ordered);
    let (written, reversed) = both(&kernel("matmul.rec"), &chain(&[&[0, 0, -1]]), &pairs, &inputs);
    assert_ne!(written, reversed);
}

#[test]
fn the_written_order_of_mttkrp_finishes_inner_sums_first() {
    let inputs = tensors(&[("B", rough(1, &[2, 3, 4])), ("C", rough(2, &[3, 2])), ("D", rough(3, &[4, 2]))]);
    let pairs = [("I", 2), ("J", 2), ("K", 3), ("L", 4)];
    let inner_first = chain(&[&[0, 0, 0, 1], &[0, 0, 1, 0]]);
    let (written, ordered) = both(&kernel("mttkrp.rec"), &inner_first, &pairs, &inputs);
    assert_eq!(written, ordered);
}

#[test]
fn the_written_order_of_the_polynomial_product_runs_along_its_fibres() {
    let inputs = tensors(&[("a", rough(1, &[5])), ("b", rough(2, &[4]))]);
    let pairs = [("M", 5), ("N", 4)];
    let (written, ordered) = both(&kernel("polynomial_product.rec"), &chain(&[&[1, -1]]), &pairs, &inputs);
    assert_eq!(written, ordered);
}

#[test]
fn every_order_gives_the_exact_sum_of_integers() {
    let whole = |seed, shape: &[usize]| filled(seed, shape).mapv(|value| value * 4.0);
    let inputs = tensors(&[("B", whole(1, &[2, 3, 4])), ("C", whole(2, &[3, 2])), ("D", whole(3, &[4, 2]))]);
    let pairs = [("I", 2), ("J", 2), ("K", 3), ("L", 4)];
    let orders: [[&[i64]; 2]; 4] = [
        [&[0, 0, 1, 0], &[0, 0, 0, 1]],
        [&[0, 0, -1, 0], &[0, 0, 0, 1]],
        [&[0, 0, 1, 1], &[0, 0, 0, 1]],
        [&[0, 0, 0, -1], &[0, 0, -1, 0]],
    ];
    for order in orders {
        let complete = chain(&[order[0], order[1], &[0, 0, 1, 0]]);
        let (written, ordered) = both(&kernel("mttkrp.rec"), &complete, &pairs, &inputs);
        assert_eq!(written, ordered, "{order:?}");
    }
}

/// The first sum is empty, so no point writes it: it is known, and the kernel is no single space.
#[test]
fn triangular_sums_agree_and_empty_ones_are_neutral() {
    let lower = system("kernel t(N)\nin A[N, N], x[N]\nout y[N]\ny[i] = sum(j in 0..i) A[i, j] * x[j]");
    let inputs = tensors(&[("A", rough(1, &[6, 6])), ("x", rough(2, &[6]))]);
    assert!(one_space(&lower).is_err());
    let cut = cut_spaces(&lower).expect("spaces");
    assert_eq!((cut.spaces.len(), cut.known.len()), (1, 1));
    let pairs = sizes(&[("N", 6)]);
    let written = evaluate(&lower, &pairs, &inputs).expect("the evaluation succeeds");
    let ordered = evaluate_system_in_order(&lower, &cut, &[chain(&[&[0, 1]])], &pairs, &inputs).expect("the same");
    assert_eq!(written, ordered);
    assert_eq!(ordered["y"][[0]], 0.0);
    let whole = system("kernel t(N)\nin A[N, N], x[N]\nout y[N]\ny[i] = sum(j in 0..i + 1) A[i, j] * x[j]");
    assert!(one_space(&whole).is_ok());
}

/// A row without terms adds nothing to those with terms: 0 in its place would make 0 of their -0.
#[test]
fn a_level_without_terms_changes_no_zero() {
    let texts = [
        ("sum", "out y[N]\ny[i] = OP(j in 0..N, k in 0..j) A[i, k]"),
        ("max", "out y[N]\ny[i] = OP(j in 0..N, k in 0..j) A[i, k]"),
        ("sum", "out y\ny = OP(i in 0..N, j in i+1..N) A[i, j]"),
    ];
    let inputs = tensors(&[("A", ArrayD::from_elem(vec![4, 4], -0.0))]);
    for (operator, text) in texts {
        let text = text.replace("OP", operator);
        let nested = system(&format!("kernel t(N)\nin A[N, N]\n{text}"));
        let cut = cut_spaces(&nested).expect("spaces");
        let chains: Vec<Chain> = cut.spaces.iter().map(Chain::as_written).collect();
        let written = evaluate(&nested, &sizes(&[("N", 4)]), &inputs).expect("the evaluation succeeds");
        let ordered = evaluate_system_in_order(&nested, &cut, &chains, &sizes(&[("N", 4)]), &inputs).expect("the same");
        // Where no row has terms the sum of the whole is 0, the largest minus infinity.
        let bits = |value: &f64| value.to_bits() == (-0.0f64).to_bits();
        assert!(written["y"].iter().chain(&ordered["y"]).all(bits), "{text}: {written:?} {ordered:?}");
    }
    // Twin: a sum that is a term of its own is 0 where it has no terms.
    let own = system("kernel t(N)\nin A[N, N]\nout y\ny = sum(j in 0..N) (1 * sum(k in 0..j) A[j, k])");
    let written = evaluate(&own, &sizes(&[("N", 4)]), &inputs).expect("the evaluation succeeds");
    assert!(written.values().all(|y| y.iter().all(|value| value.to_bits() == 0)));
}

#[test]
fn a_chain_that_misses_points_is_refused() {
    let space = one_space(&kernel("matmul.rec")).unwrap();
    let inputs = tensors(&[("A", filled(1, &[2, 2])), ("B", filled(2, &[2, 2]))]);
    let pairs = sizes(&[("M", 2), ("N", 2), ("K", 2)]);
    let message =
        |chain: &Chain| evaluate_in_order(&space, chain, &pairs, &inputs).expect_err("refused")[0].to_string();
    assert!(message(&chain(&[])).contains("more than one value for element `C[0,0]`"));
    assert!(message(&chain(&[&[0, 0, 2]])).contains("more than one value"));
    assert!(message(&chain(&[&[0, 0, 0]])).contains("a direction of the chain"));
    assert!(message(&chain(&[&[0, 1]])).contains("a direction of the chain"));
}
