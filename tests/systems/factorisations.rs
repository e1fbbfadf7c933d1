//! Factorisations of matrices.

use crate::common::{Line, kernel};

const CHOLESKY: &str = "kernel cholesky(N)
in  A[N, N]
out L[N, N]
L[i, i] = sqrt(A[i, i] - sum(k in 0..i) L[i, k] * L[i, k])
L[i, j] = (A[i, j] - sum(k in 0..j) L[i, k] * L[j, k]) / L[j, j]   where j < i
L[i, j] = 0   where j > i";

const CHOLESKY_GRID: &[Line] = &[
    ("L", "i, i", "3*i", &["feed", "handoff"], &[]),
    ("L.sum.2", "i, j", "i+j+k", &["stream j", "stream i"], &["k"]),
    ("L.2", "i, j", "i+2*j", &["feed", "handoff", "stream i"], &[]),
];

#[test]
fn cholesky_on_a_triangle_of_pes() {
    let cholesky = kernel(CHOLESKY);
    for n in [1, 2, 3, 5, 8] {
        let outcome = cholesky.hold(CHOLESKY_GRID, &[n]);
        assert_eq!((outcome.cycles, outcome.pes), ((3 * n - 2) as u64, (n * (n + 1) / 2) as u64), "N = {n}");
    }
}
