//! The routines for each kind of number.

use cblas_sys::{
    CBLAS_DIAG, CBLAS_LAYOUT, CBLAS_SIDE, CBLAS_TRANSPOSE, CBLAS_UPLO, cblas_dgemm, cblas_dsyrk, cblas_dtrsm,
    cblas_sgemm, cblas_ssyrk, cblas_strsm,
};
use std::ffi::{c_char, c_int};

type Multiply<N> = unsafe extern "C" fn(
    CBLAS_LAYOUT,
    CBLAS_TRANSPOSE,
    CBLAS_TRANSPOSE,
    c_int,
    c_int,
    c_int,
    N,
    *const N,
    c_int,
    *const N,
    c_int,
    N,
    *mut N,
    c_int,
);

type Square<N> =
    unsafe extern "C" fn(CBLAS_LAYOUT, CBLAS_UPLO, CBLAS_TRANSPOSE, c_int, c_int, N, *const N, c_int, N, *mut N, c_int);

type Solve<N> = unsafe extern "C" fn(
    CBLAS_LAYOUT,
    CBLAS_SIDE,
    CBLAS_UPLO,
    CBLAS_TRANSPOSE,
    CBLAS_DIAG,
    c_int,
    c_int,
    N,
    *const N,
    c_int,
    *mut N,
    c_int,
);

type Factor<N> = unsafe extern "C" fn(*const c_char, *const c_int, *mut N, *const c_int, *mut c_int);

type Invert<N> = unsafe extern "C" fn(*const c_char, *const c_char, *const c_int, *mut N, *const c_int, *mut c_int);

/// The routines for one kind of number.
#[derive(Debug)]
pub struct Routines<N> {
    pub(super) one: N,
    pub(super) multiply: Multiply<N>,
    pub(super) square: Square<N>,
    pub(super) solve: Solve<N>,
    pub(super) factor: Factor<N>,
    pub(super) invert: Invert<N>,
}

/// A number that the routines know.
pub trait Number: Copy + 'static {
    /// What works on slices of it, and its 1.
    const ROUTINES: Routines<Self>;
}

impl Number for f64 {
    const ROUTINES: Routines<f64> = Routines {
        one: 1.0,
        multiply: cblas_dgemm,
        square: cblas_dsyrk,
        solve: cblas_dtrsm,
        factor: lapack_sys::dpotrf_,
        invert: lapack_sys::dtrtri_,
    };
}

impl Number for f32 {
    const ROUTINES: Routines<f32> = Routines {
        one: 1.0,
        multiply: cblas_sgemm,
        square: cblas_ssyrk,
        solve: cblas_strsm,
        factor: lapack_sys::spotrf_,
        invert: lapack_sys::strtri_,
    };
}
