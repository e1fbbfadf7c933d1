//! The processor's vector registers behind a library's kernels.
//!
//! The kernels of faer's products (private-gemm-x86 0.1.22) are written in the instructions of the processor and return without
//! `vzeroupper`. On Intel's processors each instruction of the older set, which all code around them is compiled to, then also waits for
//! the upper half of the register that it writes: on one with AVX-512 an exponential took 135 ns in place of 7, and the loops of tiles a
//! fifth longer. A function that is compiled for wide vectors, and uses one, clears the upper halves where it returns.

use faer::traits::pulp::{Arch, Simd, WithSimd};
use std::hint::black_box;

/// Clears the upper halves, where vectors are wide.
pub fn clear_upper_halves() {
    Arch::new().dispatch(Touch);
}

/// One addition of vectors as wide as there are.
struct Touch;

impl WithSimd for Touch {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let zeros = black_box(simd.splat_f64s(0.0));
        black_box(simd.add_f64s(zeros, zeros));
    }
}
