//! Factorisations of matrices.

use crate::common::{Kernel, Line, kernel};
use crate::kernel_texts::{CHOLESKY, LU, TRIANGULAR_INVERSE};

pub const CHOLESKY_GRID: &[Line] = &[
    ("L", "i, i", "3*i", &["feed", "handoff"], &[]),
    ("L.sum.2", "i, j", "i+j+k", &["stream j", "stream i"], &["k"]),
    ("L.2", "i, j", "i+2*j", &["feed", "handoff", "stream i"], &[]),
];

/// For each size the cycles and the PEs.
fn hold(kernel: &Kernel, lines: &[Line], expected: impl Fn(i64) -> (i64, i64)) {
    for n in [1, 2, 3, 5, 8] {
        let outcome = kernel.hold(lines, &[n]);
        assert_eq!((outcome.cycles as i64, outcome.pes as i64), expected(n), "N = {n}");
    }
}

#[test]
fn cholesky_on_a_triangle_of_pes() {
    hold(&kernel(CHOLESKY), CHOLESKY_GRID, |n| (3 * n - 2, n * (n + 1) / 2));
}

pub const LU_GRID: &[Line] = &[
    ("U.sum", "i, j", "i+j+k", &["stream j", "stream i"], &["k"]),
    ("U", "i, j", "2*i+j", &["feed", "handoff"], &[]),
    ("L.sum", "i, j", "i+j+k", &["stream j", "stream i"], &["k"]),
    ("L", "i, j", "i+2*j", &["feed", "handoff", "stream i"], &[]),
];

#[test]
fn lu_on_a_square_of_pes() {
    hold(&kernel(LU), LU_GRID, |n| (3 * n - 2, n * n));
}

/// Both factors in one matrix, whose diagonal is that of U.
const COMPACT_LU: &str = "kernel compact(N)\nin A[N, N] is dominant\nout J[N, N]\n\
    J[i, j] = (A[i, j] - sum(k in 0..j) J[i, k] * J[k, j]) / J[j, j]   where i > j\n\
    J[i, j] = A[i, j] - sum(k in 0..i) J[i, k] * J[k, j]   where i < j\n\
    J[i, i] = A[i, i] - sum(k in 0..i) J[i, k] * J[k, i]\n";

const COMPACT_LU_GRID: &[Line] = &[
    ("J.sum", "i, j", "i+j+k", &["stream j", "stream i"], &["k"]),
    ("J", "i, j", "i+2*j", &["feed", "handoff", "stream i"], &[]),
    ("J.sum.2", "i, j", "i+j+k", &["stream j", "stream i"], &["k"]),
    ("J.2", "i, j", "2*i+j", &["feed", "handoff"], &[]),
    ("J.3", "i, i", "3*i", &["feed", "handoff"], &[]),
];

#[test]
fn both_factors_in_one_matrix_take_as_long() {
    hold(&kernel(COMPACT_LU), COMPACT_LU_GRID, |n| (3 * n - 2, n * n));
}

const INVERSE_GRID: &[Line] = &[
    ("X", "i, i", "0", &["feed"], &[]),
    ("X.sum", "i, j", "i+k-2*j", &["stream -j", "stream i"], &["k"]),
    ("X.2", "i, j", "2*i-2*j", &["handoff", "prefetch"], &[]),
];

#[test]
fn all_columns_of_the_inverse_begin_at_once() {
    hold(&kernel(TRIANGULAR_INVERSE), INVERSE_GRID, |n| (2 * n - 1, n * (n + 1) / 2));
}
