//! Solvers, sums and convolutions of the repository against plain loops, in the same order of operations and so bit for
//! bit, and against what they solve.

use crate::support::{dominant, filled, outputs, pairs, product, relative_error};
use ndarray::{ArrayD, IxDyn};

/// Forward substitution for one right-hand side.
fn substitute(l: &ArrayD<f64>, b: &[f64]) -> Vec<f64> {
    let mut x = vec![0.0; b.len()];
    for i in 0..b.len() {
        let mut known = 0.0;
        for j in 0..i {
            known += l[[i, j]] * x[j];
        }
        x[i] = (b[i] - known) / l[[i, i]];
    }
    x
}

#[test]
fn trisolve_is_forward_substitution() {
    for n in [1, 2, 5, 8] {
        let (l, b) = (dominant(1, n), filled(2, &[n]));
        let x = &outputs("trisolve.rec", &[("N", n)], &[("L", &l), ("B", &b)])["X"];
        assert_eq!(x.as_slice().unwrap(), substitute(&l, b.as_slice().unwrap()), "N = {n}");
        for i in 0..n {
            let left: f64 = (0..=i).map(|j| l[[i, j]] * x[[j]]).sum();
            assert!((left - b[[i]]).abs() < 1e-12, "N = {n}, row {i}: {left}");
        }
    }
}

#[test]
fn trsm_is_forward_substitution_for_every_row() {
    for (r, n) in [(1, 1), (2, 1), (1, 2), (2, 2), (3, 7), (6, 4)] {
        let (l, b) = (dominant(3, n), filled(4, &[r, n]));
        let x = &outputs("trsm.rec", &[("R", r), ("N", n)], &[("L", &l), ("B", &b)])["X"];
        for row in 0..r {
            let side: Vec<f64> = (0..n).map(|i| b[[row, i]]).collect();
            let found: Vec<f64> = (0..n).map(|i| x[[row, i]]).collect();
            assert_eq!(found, substitute(&l, &side), "R = {r}, N = {n}, row {row}");
        }
    }
}

#[test]
fn the_triangular_inverse_is_the_inverse() {
    for n in [1, 2, 5, 9] {
        let mut l = dominant(5, n);
        let inverse = outputs("triangular_inverse.rec", &[("N", n)], &[("L", &l)])["X"].clone();
        pairs(n, n).filter(|(i, j)| i < j).for_each(|(i, j)| l[[i, j]] = 0.0);
        for column in 0..n {
            let unit = |i: usize| f64::from(u8::from(i == column));
            let mut expected = vec![0.0; n];
            expected[column] = 1.0 / l[[column, column]];
            for i in column + 1..n {
                let known: f64 = (column..i).map(|k| l[[i, k]] * expected[k]).sum();
                expected[i] = -known / l[[i, i]];
            }
            let found: Vec<f64> = (0..n).map(|i| inverse[[i, column]]).collect();
            assert_eq!(found, expected, "N = {n}, column {column}");
            for i in 0..n {
                let entry: f64 = (0..n).map(|k| l[[i, k]] * inverse[[k, column]]).sum();
                assert!((entry - unit(i)).abs() < 1e-12, "N = {n}: L X is {entry} at {i}, {column}");
            }
        }
        let identity = ArrayD::from_shape_fn(IxDyn(&[n, n]), |at| f64::from(u8::from(at[0] == at[1])));
        assert!(relative_error(&product(&inverse, &l), &identity) < 1e-12);
    }
}

#[test]
fn prefix_sums_are_running_totals() {
    for n in [1, 2, 9] {
        let a = filled(6, &[n]);
        let p = &outputs("prefix_sum.rec", &[("N", n)], &[("A", &a)])["P"];
        let mut total = 0.0;
        for i in 0..n {
            total += a[[i]];
            assert_eq!(p[[i]], total, "N = {n}, element {i}");
        }
    }
}

#[test]
fn conv1d_turns_the_weights_round() {
    for (n, k) in [(1, 1), (2, 1), (1, 2), (2, 2), (7, 3), (3, 5)] {
        let (w, x) = (filled(7, &[k]), filled(8, &[n + k - 1]));
        let y = &outputs("conv1d.rec", &[("N", n), ("K", k)], &[("w", &w), ("x", &x)])["y"];
        for i in 0..n {
            let mut total = 0.0;
            for tap in 0..k {
                total += w[[tap]] * x[[i + (k - 1 - tap)]];
            }
            assert_eq!(y[[i]], total, "N = {n}, K = {k}, result {i}");
        }
    }
}

#[test]
fn conv2d_slides_its_weights_over_the_image() {
    for (m, n, k, l) in [(1, 1, 1, 1), (2, 2, 2, 2), (1, 2, 2, 1), (4, 3, 2, 5), (2, 6, 3, 1)] {
        let (w, x) = (filled(9, &[k, l]), filled(10, &[m + k - 1, n + l - 1]));
        let sizes = [("M", m), ("N", n), ("K", k), ("L", l)];
        let y = &outputs("conv2d.rec", &sizes, &[("W", &w), ("X", &x)])["Y"];
        for (i, j) in pairs(m, n) {
            // All values are small multiples of 1/16, so that the order of the sum does not matter.
            let expected: f64 = pairs(k, l).map(|(p, q)| w[[p, q]] * x[[i + p, j + q]]).sum();
            assert_eq!(y[[i, j]], expected, "{sizes:?} at {i}, {j}");
        }
    }
}
