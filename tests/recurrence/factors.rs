//! Cholesky, LU and QR of the repository: the factors give the matrix back, and are those of plain loops.

use crate::support::{dominant, filled, outputs, pairs, positive_definite, product, relative_error};
use ndarray::{ArrayD, IxDyn};

/// An array of zeros.
fn zeros(rows: usize, columns: usize) -> ArrayD<f64> {
    ArrayD::zeros(IxDyn(&[rows, columns]))
}

/// The loops of Cholesky and Banachiewicz, row by row.
fn cholesky(a: &ArrayD<f64>) -> ArrayD<f64> {
    let n = a.shape()[0];
    let mut l = zeros(n, n);
    for i in 0..n {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| l[[i, k]] * l[[j, k]]).sum();
            l[[i, j]] = if i == j { (a[[i, i]] - known).sqrt() } else { (a[[i, j]] - known) / l[[j, j]] };
        }
    }
    l
}

#[test]
fn cholesky_times_its_transpose_is_the_matrix() {
    for n in [1, 2, 5, 9] {
        let a = positive_definite(1, n);
        let l = &outputs("cholesky.rec", &[("N", n)], &[("A", &a)])["L"];
        assert_eq!(*l, cholesky(&a), "N = {n}");
        assert!(relative_error(&product(l, &l.t().to_owned()), &a) < 1e-12, "N = {n}");
        assert!((0..n).all(|i| l[[i, i]] > 0.0), "N = {n}");
    }
}

/// Elimination column by column, which keeps the multipliers in the place of the zeros.
fn eliminate(a: &ArrayD<f64>) -> ArrayD<f64> {
    let n = a.shape()[0];
    let mut both = a.clone();
    for j in 0..n {
        for i in j + 1..n {
            both[[i, j]] /= both[[j, j]];
            for k in j + 1..n {
                both[[i, k]] -= both[[i, j]] * both[[j, k]];
            }
        }
    }
    both
}

#[test]
fn the_factors_of_lu_multiply_to_the_matrix() {
    for n in [1, 2, 5, 9] {
        let a = dominant(2, n);
        let found = outputs("lu.rec", &[("N", n)], &[("A", &a)]);
        let (l, u) = (&found["L"], &found["U"]);
        assert!(relative_error(&product(l, u), &a) < 1e-12, "N = {n}");
        let eliminated = eliminate(&a);
        let expected_l = |i: usize, j: usize| if i > j { eliminated[[i, j]] } else { f64::from(u8::from(i == j)) };
        for (i, j) in pairs(n, n) {
            // Elimination subtracts one product after the other, so the last bits differ.
            assert!((l[[i, j]] - expected_l(i, j)).abs() < 1e-13, "N = {n}: L at {i}, {j}");
            let upper = if i <= j { eliminated[[i, j]] } else { 0.0 };
            assert!((u[[i, j]] - upper).abs() < 1e-12, "N = {n}: U at {i}, {j}");
            assert!(i <= j || u[[i, j]] == 0.0);
        }
    }
}

/// Givens rotations of one row after the other into a triangle, in the order of the array.
fn rotate_in(a: &ArrayD<f64>) -> ArrayD<f64> {
    let (m, n) = (a.shape()[0], a.shape()[1]);
    let mut r = zeros(n, n);
    for row in 0..m {
        let mut x: Vec<f64> = (0..n).map(|j| a[[row, j]]).collect();
        for k in 0..n {
            let length = (r[[k, k]] * r[[k, k]] + x[k] * x[k]).sqrt();
            let (c, s) = if x[k] == 0.0 { (1.0, 0.0) } else { (r[[k, k]] / length, x[k] / length) };
            r[[k, k]] = length;
            for j in k + 1..n {
                let (above, below) = (r[[k, j]], x[j]);
                r[[k, j]] = c * above + s * below;
                x[j] = c * below - s * above;
            }
        }
    }
    r
}

#[test]
fn qr_leaves_a_triangle_with_the_same_squares() {
    for (m, n) in [(1, 1), (2, 1), (1, 2), (2, 2), (4, 4), (7, 3), (3, 5)] {
        let a = filled(3, &[m, n]);
        let r = &outputs("qr_givens.rec", &[("M", m), ("N", n)], &[("A", &a)])["R"];
        assert_eq!(*r, rotate_in(&a), "M = {m}, N = {n}");
        let squares = product(&a.t().to_owned(), &a);
        assert!(relative_error(&product(&r.t().to_owned(), r), &squares) < 1e-12, "M = {m}, N = {n}");
        assert!(pairs(n, n).all(|(i, j)| i <= j || r[[i, j]] == 0.0), "M = {m}, N = {n}");
        assert!((0..n).all(|k| r[[k, k]] >= 0.0), "M = {m}, N = {n}");
    }
}

#[test]
fn qr_of_a_matrix_with_zeros_has_no_division_by_zero() {
    let mut a = filled(4, &[4, 3]);
    (0..4).for_each(|i| a[[i, 0]] = 0.0);
    (0..3).for_each(|j| a[[0, j]] = 0.0);
    let r = &outputs("qr_givens.rec", &[("M", 4), ("N", 3)], &[("A", &a)])["R"];
    assert!(r.iter().all(|value| value.is_finite()), "{r}");
    assert!(relative_error(&product(&r.t().to_owned(), r), &product(&a.t().to_owned(), &a)) < 1e-12);
}
