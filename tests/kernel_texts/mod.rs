//! Kernels of several spaces, as text: those that ship, and the recurrence behind one of them.
#![allow(dead_code)]

pub const CHOLESKY: &str = include_str!("../../kernels/cholesky.rec");

pub const EDIT_DISTANCE: &str = include_str!("../../kernels/edit_distance.rec");

pub const JACOBI1D: &str = include_str!("../../kernels/jacobi1d.rec");

pub const LU: &str = include_str!("../../kernels/lu.rec");

pub const PREFIX_SUM: &str = include_str!("../../kernels/prefix_sum.rec");

pub const SMITH_WATERMAN: &str = include_str!("../../kernels/smith_waterman.rec");

pub const TRIANGULAR_INVERSE: &str = include_str!("../../kernels/triangular_inverse.rec");

pub const TRISOLVE: &str = include_str!("../../kernels/trisolve.rec");

pub const TRSM: &str = include_str!("../../kernels/trsm.rec");

/// `kernels/flash_attention.rec` without a declared reduction: each state from the one before.
pub const PLAIN_ATTENTION: &str = "kernel plain(N, M, D)
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
