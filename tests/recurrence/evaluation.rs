//! The sequential meaning against hand-written loops.

use crate::support::{filled, kernel, sizes, system, tensors};
use ndarray::{ArrayD, IxDyn};
use systole_equations::recurrence::{RecurrenceSystem, Tensors, evaluate};

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

const TRISOLVE: &str = "
kernel trisolve(N)
in  L[N, N], b[N]
out x[N]
x[i] = (b[i] - sum(j in 0..i) L[i, j] * x[j]) / L[i, i]";

#[test]
fn trisolve_is_forward_substitution() {
    let n = 6;
    let l = filled(1, &[n, n]).mapv(|value| value + 16.0);
    let b = filled(2, &[n]);
    let x = run(&system(TRISOLVE), &[("N", 6)], &tensors(&[("L", l.clone()), ("b", b.clone())]), "x");
    let mut expected = vec![0.0; n];
    for i in 0..n {
        let known: f64 = (0..i).map(|j| l[[i, j]] * expected[j]).fold(0.0, |sum, term| sum + term);
        expected[i] = (b[[i]] - known) / l[[i, i]];
    }
    assert_eq!(x.as_slice().unwrap(), expected);
}

#[test]
fn cholesky_gives_a_factor_of_its_matrix() {
    let n = 7;
    let mut a = ArrayD::zeros(IxDyn(&[n, n]));
    let seed = filled(3, &[n, n]);
    for (i, j, k) in (0..n).flat_map(|i| (0..n).flat_map(move |j| (0..n).map(move |k| (i, j, k)))) {
        a[[i, j]] += seed[[i, k]] * seed[[j, k]] + if i == j { 50.0 } else { 0.0 };
    }
    let l = run(&kernel("cholesky.rec"), &[("N", 7)], &tensors(&[("A", a.clone())]), "L");
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let product: f64 = (0..n).map(|k| l[[i, k]] * l[[j, k]]).sum();
        assert!((product - a[[i, j]]).abs() < 1e-9 * a[[0, 0]].abs(), "{i} {j}: {product}");
        assert!(j <= i || l[[i, j]] == 0.0);
    }
}

#[test]
fn a_prefix_sum_of_many_elements_needs_no_deep_stack() {
    let forward = system("kernel p(N)\nin A[N]\nout P[N]\nP[0] = A[0]\nP[i] = P[i - 1] + A[i] where i >= 1");
    let n = 100_000;
    let a = filled(5, &[n]);
    let p = run(&forward, &[("N", n as i64)], &tensors(&[("A", a.clone())]), "P");
    let mut total = 0.0;
    for i in 0..n {
        total += a[[i]];
        assert_eq!(p[[i]], total);
    }
    let backward =
        system("kernel p(N)\nin A[N]\nout P[N]\nP[N - 1] = A[N - 1]\nP[i] = P[i + 1] + A[i] where i < N - 1");
    let p = run(&backward, &[("N", n as i64)], &tensors(&[("A", a)]), "P");
    assert_eq!(p[[0]], total);
}

const EDIT_DISTANCE: &str = "
kernel edit-distance(M, N)
in  a[M], b[N], gap
out D[M + 1, N + 1]
D[0, 0] = 0
D[i, 0] = i * gap   where 1 <= i <= M
D[0, j] = j * gap   where 1 <= j <= N
D[i, j] = min(min(D[i - 1, j], D[i, j - 1]) + gap, D[i - 1, j - 1] + select(a[i - 1] == b[j - 1], 0, 1))
    where 1 <= i, 1 <= j";

#[test]
fn edit_distance_of_two_words() {
    let letters = |word: &str| {
        let codes: Vec<f64> = word.bytes().map(f64::from).collect();
        ArrayD::from_shape_vec(IxDyn(&[codes.len()]), codes).unwrap()
    };
    let gap = ArrayD::from_elem(IxDyn(&[]), 1.0);
    let inputs = tensors(&[("a", letters("kitten")), ("b", letters("sitting")), ("gap", gap)]);
    let d = run(&system(EDIT_DISTANCE), &[("M", 6), ("N", 7)], &inputs, "D");
    assert_eq!(d[[6, 7]], 3.0);
    assert_eq!((d[[0, 7]], d[[6, 0]]), (7.0, 6.0));
}

#[test]
fn a_large_product_is_within_reach() {
    let inputs = tensors(&[("A", filled(1, &[64, 64])), ("B", filled(2, &[64, 64]))]);
    let c = run(&kernel("matmul.rec"), &[("M", 64), ("N", 64), ("K", 64)], &inputs, "C");
    assert_eq!(c.len(), 4096);
}

#[test]
fn wrong_inputs_and_sizes_are_refused() {
    let matmul = kernel("matmul.rec");
    let (a, b) = (filled(1, &[2, 2]), filled(2, &[2, 2]));
    let good = tensors(&[("A", a.clone()), ("B", b)]);
    let right = [("M", 2), ("N", 2), ("K", 2)];
    let message = |pairs: &[(&str, i64)], inputs: &Tensors| {
        evaluate(&matmul, &sizes(pairs), inputs).expect_err("refused")[0].message().to_owned()
    };
    assert!(evaluate(&matmul, &sizes(&right), &good).is_ok());
    assert_eq!(message(&right, &tensors(&[("A", a.clone())])), "input `B` is missing");
    let narrow = tensors(&[("A", a.clone()), ("B", filled(2, &[2, 3]))]);
    assert_eq!(message(&right, &narrow), "input `B` has shape [2, 3], expected [2, 2]");
    let extra = tensors(&[("A", a.clone()), ("B", a.clone()), ("D", a)]);
    assert_eq!(message(&right, &extra), "`D` is not an input of this kernel");
    assert_eq!(message(&right[..2], &good), "parameter `K` has no size");
    assert_eq!(message(&[("M", 0), ("N", 2), ("K", 2)], &good), "parameter `M` is 0, a size is at least 1");
    assert_eq!(message(&[("M", 2), ("N", 2), ("K", 2), ("L", 2)], &good), "unknown parameter `L`");
    let huge = [("M", 1 << 20), ("N", 1 << 20), ("K", 1 << 20)];
    assert_eq!(message(&huge, &good), "the tensors have more than 1073741824 elements at these sizes");
    let long = [("M", 1 << 14), ("N", 1 << 14), ("K", 2)];
    assert_eq!(message(&long, &good), "`C` has 268435456 elements, the limit is 33554432");
    let beyond = [("M", i64::MAX), ("N", 2), ("K", 2)];
    assert_eq!(message(&beyond, &good), format!("parameter `M` is {}, the limit is 2147483648", i64::MAX));
}

#[test]
fn the_normal_form_names_ranges_and_dependences() {
    let text = system(TRISOLVE).to_string();
    assert!(text.contains("range       0 <= j < i"), "{text}");
    assert!(text.contains("depends     on `x` itself at varying distance (i - j)"), "{text}");
    let text = kernel("matmul.rec").to_string();
    assert!(text.contains("A[i, k] over (i, j, k): [[1, 0, 0], [0, 0, 1]], the same along <j>"), "{text}");
}
