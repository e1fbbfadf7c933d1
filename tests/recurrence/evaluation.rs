//! The sequential meaning against hand-written loops.

use crate::support::{filled, kernel, sizes, system, tensors};
use ndarray::{ArrayD, IxDyn};
use systole::recurrence::{RecurrenceSystem, Tensors, evaluate};

fn run(system: &RecurrenceSystem, pairs: &[(&str, i64)], inputs: &Tensors, output: &str) -> ArrayD<f64> {
    let outputs = evaluate(system, &sizes(pairs), inputs).expect("the evaluation succeeds");
    outputs[output].clone()
}

#[test]
fn matmul_is_the_triple_loop() {
    let (m, n, k) = (5, 4, 7);
    let (a, b) = (filled(1, &[m, k]), filled(2, &[k, n]));
    let inputs = tensors(&[("A", a.clone()), ("B", b.clone())]);
    let c = run(&kernel("matmul.rec"), &[("M", 5), ("N", 4), ("K", 7)], &inputs, "C");
    for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let mut total = a[[i, 0]] * b[[0, j]];
        for l in 1..k {
            total += a[[i, l]] * b[[l, j]];
        }
        assert_eq!(c[[i, j]].to_bits(), total.to_bits());
    }
}

#[test]
fn fir_slides_over_its_input() {
    let (n, k) = (6, 3);
    let (w, x) = (filled(1, &[k]), filled(2, &[n + k - 1]));
    let y = run(&kernel("fir.rec"), &[("N", 6), ("K", 3)], &tensors(&[("w", w.clone()), ("x", x.clone())]), "y");
    for i in 0..n {
        assert_eq!(y[[i]], (0..k).map(|l| w[[l]] * x[[i + l]]).sum::<f64>());
    }
}

#[test]
fn the_polynomial_product_gathers_its_fibres() {
    let (m, n) = (4, 3);
    let (a, b) = (filled(1, &[m]), filled(2, &[n]));
    let inputs = tensors(&[("a", a.clone()), ("b", b.clone())]);
    let c = run(&kernel("polynomial_product.rec"), &[("M", 4), ("N", 3)], &inputs, "c");
    let mut expected = vec![0.0; m + n - 1];
    for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
        expected[i + j] += a[[i]] * b[[j]];
    }
    assert_eq!(c, ArrayD::from_shape_vec(IxDyn(&[m + n - 1]), expected).unwrap());
}
