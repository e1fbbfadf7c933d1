//! The few routines of OpenBLAS that leaves of tiled programs call, on slices of numbers, on the thread that calls.
//!
//! In: slices, and how matrices lie in them. Out: the slices, worked on. This is the one place of the project with `unsafe`
//! code, in a package of its own, so that the other one forbids it: each function asserts that the routine stays within its
//! slices, which is all that the routines ask for (BLAS standard; LAPACK Users' Guide).

use cblas_sys::{CBLAS_DIAG, CBLAS_LAYOUT, CBLAS_SIDE, CBLAS_TRANSPOSE, CBLAS_UPLO};
use std::ffi::{CStr, c_char, c_int};
use std::ops::Range;
use std::sync::Once;

mod number;

pub use number::{Number, Routines};

unsafe extern "C" {
    fn openblas_set_num_threads(threads: c_int);
    fn openblas_get_corename() -> *const c_char;
}

/// How a matrix lies in a slice that begins with its first element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lay {
    /// How many rows it has.
    pub rows: usize,
    /// How many columns.
    pub columns: usize,
    /// Whether elements of a row lie side by side, else those of a column.
    pub by_rows: bool,
    /// From one row, or column, to the next: at least its length.
    pub step: usize,
}

impl Lay {
    /// Whether the matrix lies within so many elements, and its lines apart, in numbers that the routines can be told.
    fn fits(self, length: usize) -> bool {
        if [self.rows, self.columns, self.step].into_iter().any(|number| c_int::try_from(number).is_err()) {
            return false;
        }
        let (lines, within) = if self.by_rows { (self.rows, self.columns) } else { (self.columns, self.rows) };
        let end = lines.checked_sub(1).map_or(Some(0), |last| last.checked_mul(self.step)?.checked_add(within));
        self.step >= within.max(1) && end.is_some_and(|end| end <= length)
    }

    fn order(self) -> CBLAS_LAYOUT {
        if self.by_rows { CBLAS_LAYOUT::CblasRowMajor } else { CBLAS_LAYOUT::CblasColMajor }
    }

    /// How the routine must take it where the result lies in another way.
    fn turned(self, result: Lay) -> CBLAS_TRANSPOSE {
        if self.by_rows == result.by_rows { CBLAS_TRANSPOSE::CblasNoTrans } else { CBLAS_TRANSPOSE::CblasTrans }
    }

    fn is_square(self) -> bool {
        self.rows == self.columns
    }
}

/// A matrix that is read.
#[derive(Clone, Copy, Debug)]
pub struct Read<'a, N> {
    /// From its first element on.
    pub values: &'a [N],
    /// How it lies.
    pub lay: Lay,
}

/// A number of a matrix that [`Lay::fits`].
fn int(count: usize) -> c_int {
    c_int::try_from(count).expect("a count that fits the routine's integers")
}

/// Makes OpenBLAS work on the thread that calls; it has threads of its own otherwise.
fn prepare() {
    static ONCE: Once = Once::new();
    // SAFETY: sets a number in the library, before any routine of this package runs.
    ONCE.call_once(|| unsafe { openblas_set_num_threads(1) });
}

/// The processor whose kernels OpenBLAS has chosen; the environment may pin it (`OPENBLAS_CORETYPE`).
#[must_use]
pub fn core_name() -> String {
    // SAFETY: the library gives a string that ends with 0 and lives as long as the process.
    unsafe { CStr::from_ptr(openblas_get_corename()) }.to_string_lossy().into_owned()
}

/// `c = kept * c + factor * a * b`; what `c` holds does not matter where nothing is kept.
///
/// # Panics
/// Matrices that leave their slices, whose sizes do not fit each other, or with a count or a step beyond C's `int`.
pub fn add_product<N: Number>(c: &mut [N], lay: Lay, kept: N, factor: N, a: Read<'_, N>, b: Read<'_, N>) {
    assert!(lay.fits(c.len()) && a.lay.fits(a.values.len()) && b.lay.fits(b.values.len()));
    assert!(a.lay.rows == lay.rows && b.lay.columns == lay.columns && a.lay.columns == b.lay.rows);
    let (a, b) = ((a.values.as_ptr(), a.lay), (b.values.as_ptr(), b.lay));
    // SAFETY: all three matrices lie within their slices, as asserted; `c` is borrowed alone.
    unsafe { multiply((c.as_mut_ptr(), lay), kept, factor, a, b) }
}

/// Rows `into` of `x` `+= factor * a *` its rows `from`, of which none is one of the former.
///
/// # Panics
/// As for [`add_product`], and rows that are not rows of `x`, or meet.
pub fn add_product_within<N: Number>(
    x: &mut [N],
    lay: Lay,
    into: Range<usize>,
    factor: N,
    a: Read<'_, N>,
    from: Range<usize>,
) {
    assert!(lay.fits(x.len()) && a.lay.fits(a.values.len()));
    assert!(into.end <= lay.rows && from.end <= lay.rows && (into.end <= from.start || from.end <= into.start));
    assert!(a.lay.rows == into.len() && a.lay.columns == from.len());
    if into.is_empty() || from.is_empty() || lay.columns == 0 {
        return;
    }
    let sized = |rows: &Range<usize>| Lay { rows: rows.len(), ..lay };
    let first = |rows: &Range<usize>| if lay.by_rows { rows.start * lay.step } else { rows.start };
    let x = x.as_mut_ptr();
    // SAFETY: both groups of rows lie within `x`, which is borrowed alone, as asserted; they share no element, so the routine reads none
    // that it writes.
    unsafe {
        let (into, from) = ((x.add(first(&into)), sized(&into)), (x.add(first(&from)).cast_const(), sized(&from)));
        multiply(into, N::ROUTINES.one, factor, (a.values.as_ptr(), a.lay), from);
    }
}

/// `c = kept * c + factor * a * b`.
///
/// # Safety
/// From each pointer on lies a matrix as told; what is written is nobody else's, and neither `a`'s nor `b`'s. The sizes fit each other.
unsafe fn multiply<N: Number>(
    (c, lay): (*mut N, Lay),
    kept: N,
    factor: N,
    (a, left): (*const N, Lay),
    (b, right): (*const N, Lay),
) {
    prepare();
    let [rows, columns, between] = [lay.rows, lay.columns, left.columns].map(int);
    let [step, step_left, step_right] = [lay.step, left.step, right.step].map(int);
    let (order, turned_left, turned_right) = (lay.order(), left.turned(lay), right.turned(lay));
    // SAFETY: as promised by whoever calls.
    unsafe {
        (N::ROUTINES.multiply)(
            order,
            turned_left,
            turned_right,
            rows,
            columns,
            between,
            factor,
            a,
            step_left,
            b,
            step_right,
            kept,
            c,
            step,
        );
    }
}

/// `c += factor * a * transpose of a`, for the lower triangle of `c` with its diagonal.
///
/// # Panics
/// As for [`add_product`].
pub fn add_square<N: Number>(c: &mut [N], lay: Lay, factor: N, a: Read<'_, N>) {
    assert!(lay.fits(c.len()) && lay.is_square() && a.lay.fits(a.values.len()) && a.lay.rows == lay.rows);
    prepare();
    // SAFETY: both matrices lie within their slices, as asserted; `c` is borrowed alone.
    unsafe {
        (N::ROUTINES.square)(
            lay.order(),
            CBLAS_UPLO::CblasLower,
            a.lay.turned(lay),
            int(lay.rows),
            int(a.lay.columns),
            factor,
            a.values.as_ptr(),
            int(a.lay.step),
            N::ROUTINES.one,
            c.as_mut_ptr(),
            int(lay.step),
        );
    }
}

/// Solves `triangle * x = x` for the lower triangle of a square matrix, whose diagonal may count as ones.
///
/// # Panics
/// As for [`add_product`].
pub fn solve<N: Number>(triangle: Read<'_, N>, is_unit: bool, x: &mut [N], lay: Lay) {
    assert!(lay.fits(x.len()) && triangle.lay.fits(triangle.values.len()));
    assert!(triangle.lay.is_square() && triangle.lay.rows == lay.rows);
    prepare();
    let lies_alike = triangle.lay.by_rows == lay.by_rows;
    // SAFETY: both matrices lie within their slices, as asserted; `x` is borrowed alone.
    unsafe {
        (N::ROUTINES.solve)(
            lay.order(),
            CBLAS_SIDE::CblasLeft,
            if lies_alike { CBLAS_UPLO::CblasLower } else { CBLAS_UPLO::CblasUpper },
            triangle.lay.turned(lay),
            if is_unit { CBLAS_DIAG::CblasUnit } else { CBLAS_DIAG::CblasNonUnit },
            int(lay.rows),
            int(lay.columns),
            N::ROUTINES.one,
            triangle.values.as_ptr(),
            int(triangle.lay.step),
            x.as_mut_ptr(),
            int(lay.step),
        );
    }
}

/// The letter for a lower triangle: LAPACK takes matrices by columns, so that one by rows is an upper one to it.
fn lower(lay: Lay) -> c_char {
    (if lay.by_rows { b'U' } else { b'L' }) as c_char
}

/// Overwrites the lower triangle of a symmetric matrix with its Cholesky factor; whether all pivots are positive.
///
/// # Panics
/// As for [`add_product`].
pub fn factor<N: Number>(a: &mut [N], lay: Lay) -> bool {
    assert!(lay.fits(a.len()) && lay.is_square());
    prepare();
    let (part, order, step, mut failed) = (lower(lay), int(lay.rows), int(lay.step), 0);
    // SAFETY: the matrix lies within its slice, as asserted, and the numbers live during the call.
    unsafe { (N::ROUTINES.factor)(&part, &order, a.as_mut_ptr(), &step, &mut failed) };
    failed == 0
}

/// Overwrites the lower triangle of a matrix with its inverse; whether no element of the diagonal is 0.
///
/// # Panics
/// As for [`add_product`].
pub fn invert<N: Number>(a: &mut [N], lay: Lay) -> bool {
    assert!(lay.fits(a.len()) && lay.is_square());
    prepare();
    let (part, ones, order, step, mut failed) = (lower(lay), b'N' as c_char, int(lay.rows), int(lay.step), 0);
    // SAFETY: the matrix lies within its slice, as asserted, and the numbers live during the call.
    unsafe { (N::ROUTINES.invert)(&part, &ones, &order, a.as_mut_ptr(), &step, &mut failed) };
    failed == 0
}
