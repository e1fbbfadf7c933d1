//! The spaces of kernels that need several.

pub use crate::kernel_texts::*;
use systole_base::span::Source;
use systole_equations::recurrence::load;
use systole_equations::recurrence::spaces::{SpaceSystem, cut_spaces};

/// The spaces of a kernel; its messages fail the test.
pub fn cut(text: &str) -> SpaceSystem {
    cut_spaces(&load(&Source::new("test.rec", text)).unwrap()).unwrap()
}

/// One kernel of each kind.
pub const ALL: [&str; 9] =
    [TRISOLVE, TRSM, CHOLESKY, LU, SMITH_WATERMAN, PREFIX_SUM, JACOBI1D, TRIANGULAR_INVERSE, PLAIN_ATTENTION];
