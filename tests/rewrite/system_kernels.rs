//! Kernels of several spaces, as text.

use systole::recurrence::load;
use systole::recurrence::spaces::{SpaceSystem, cut_spaces};
use systole::span::Source;

/// The spaces of a kernel; its messages fail the test.
pub fn cut(text: &str) -> SpaceSystem {
    cut_spaces(&load(&Source::new("test.rec", text)).unwrap()).unwrap()
}

/// All kernels of this file.
pub const ALL: [&str; 9] =
    [TRISOLVE, TRSM, CHOLESKY, LU, SMITH_WATERMAN, PREFIX_SUM, JACOBI1D, TRIANGULAR_INVERSE, FLASH_ATTENTION];

pub const TRISOLVE: &str = "kernel trisolve(N)
in  L[N, N], B[N]
out X[N]
X[i] = (B[i] - sum(j in 0..i) L[i, j] * X[j]) / L[i, i]";

pub const TRSM: &str = "kernel trsm(R, N)
in  L[N, N], B[R, N]
out X[R, N]
X[r, i] = (B[r, i] - sum(j in 0..i) L[i, j] * X[r, j]) / L[i, i]";

pub const CHOLESKY: &str = "kernel cholesky(N)
in  A[N, N]
out L[N, N]
L[i, i] = sqrt(A[i, i] - sum(k in 0..i) L[i, k] * L[i, k])
L[i, j] = (A[i, j] - sum(k in 0..j) L[i, k] * L[j, k]) / L[j, j]   where j < i
L[i, j] = 0   where j > i";

pub const LU: &str = "kernel lu(N)
in  A[N, N]
out L[N, N], U[N, N]
U[i, j] = A[i, j] - sum(k in 0..i) L[i, k] * U[k, j]   where i <= j
U[i, j] = 0   where i > j
L[i, j] = (A[i, j] - sum(k in 0..j) L[i, k] * U[k, j]) / U[j, j]   where i > j
L[i, i] = 1
L[i, j] = 0   where i < j";

pub const SMITH_WATERMAN: &str = "kernel smith_waterman(M, N)
in  a[M], b[N]
out H[M + 1, N + 1]
H[i, 0] = 0
H[0, j] = 0   where 1 <= j
H[i, j] = max(max(0, H[i - 1, j - 1] + select(a[i - 1] == b[j - 1], 2, -1)), max(H[i - 1, j], H[i, j - 1]) - 1)
    where 1 <= i, 1 <= j";

pub const PREFIX_SUM: &str = "kernel prefix_sum(N)
in  A[N]
out P[N]
P[0] = A[0]
P[i] = P[i - 1] + A[i]   where 1 <= i";

pub const JACOBI1D: &str = "kernel jacobi1d(T, N)
in  A[N + 2]
out U[T + 1, N + 2]
U[0, i] = A[i]
U[t, 0] = U[t - 1, 0]   where 1 <= t
U[t, i] = (U[t - 1, i - 1] + U[t - 1, i] + U[t - 1, i + 1]) / 3   where 1 <= t, 1 <= i <= N
U[t, N + 1] = U[t - 1, N + 1]   where 1 <= t";

pub const TRIANGULAR_INVERSE: &str = "kernel triangular_inverse(N)
in  L[N, N]
out X[N, N]
X[i, i] = 1 / L[i, i]
X[i, j] = -(sum(k in j..i) L[i, k] * X[k, j]) / L[i, i]   where j < i
X[i, j] = 0   where j > i";

pub const FLASH_ATTENTION: &str = "kernel flash_attention(N, M, D)
in  Q[N, D], K[M, D], V[M, D]
out O[N, D]
local S[N, M], m[N, M], l[N, M], o[N, M, D]
S[i, j] = (sum(d) Q[i, d] * K[j, d]) / sqrt(D)
m[i, 0] = S[i, 0]
m[i, j] = max(m[i, j - 1], S[i, j])   where 1 <= j
l[i, 0] = 1
l[i, j] = exp(m[i, j - 1] - m[i, j]) * l[i, j - 1] + exp(S[i, j] - m[i, j])   where 1 <= j
o[i, 0, d] = V[0, d]
o[i, j, d] = exp(m[i, j - 1] - m[i, j]) * o[i, j - 1, d] + exp(S[i, j] - m[i, j]) * V[j, d]   where 1 <= j
O[i, d] = o[i, M - 1, d] / l[i, M - 1]";
