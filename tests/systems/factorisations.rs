//! Factorisations of matrices.

use crate::common::{Kernel, Line, kernel};

pub const CHOLESKY: &str = "kernel cholesky(N)
in  A[N, N]
out L[N, N]
L[i, i] = sqrt(A[i, i] - sum(k in 0..i) L[i, k] * L[i, k])
L[i, j] = (A[i, j] - sum(k in 0..j) L[i, k] * L[j, k]) / L[j, j]   where j < i
L[i, j] = 0   where j > i";

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

pub const LU: &str = "kernel lu(N)
in  A[N, N]
out L[N, N], U[N, N]
U[i, j] = A[i, j] - sum(k in 0..i) L[i, k] * U[k, j]   where i <= j
U[i, j] = 0   where i > j
L[i, j] = (A[i, j] - sum(k in 0..j) L[i, k] * U[k, j]) / U[j, j]   where i > j
L[i, i] = 1
L[i, j] = 0   where i < j";

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

const TRIANGULAR_INVERSE: &str = "kernel triangular_inverse(N)
in  L[N, N]
out X[N, N]
X[i, i] = 1 / L[i, i]
X[i, j] = -(sum(k in j..i) L[i, k] * X[k, j]) / L[i, i]   where j < i
X[i, j] = 0   where j > i";

const INVERSE_GRID: &[Line] = &[
    ("X", "i, i", "0", &["feed"], &[]),
    ("X.sum", "i, j", "i+k-2*j", &["stream -j", "stream i"], &["k"]),
    ("X.2", "i, j", "2*i-2*j", &["handoff", "prefetch"], &[]),
];

#[test]
fn all_columns_of_the_inverse_begin_at_once() {
    hold(&kernel(TRIANGULAR_INVERSE), INVERSE_GRID, |n| (2 * n - 1, n * (n + 1) / 2));
}
