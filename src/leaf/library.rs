//! Matrices in slices, and the operations on them that a library does.
//!
//! A library sums in another order than the equations, so its results differ from those of the loops in the last digits.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// Who runs the leaves that a library knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LeafBackend {
    /// Loops in the order of the equations: the bits of the sequential kernel.
    #[default]
    Loops,
    /// The matrix products of `faer`, on one thread.
    Faer,
}

/// What a library does with matrices.
pub(super) trait Library {
    /// `c += factor * a * b`.
    fn add_product(&self, c: &mut [f64], layout: Layout, factor: f64, a: Matrix<'_>, b: Matrix<'_>);
}

/// How a matrix lies in a slice: neighbours of a row or of a column lie side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Layout {
    rows: usize,
    columns: usize,
    /// Whether rows follow each other, else columns.
    by_rows: bool,
    /// From one row, or column, to the next.
    step: usize,
}

impl Layout {
    /// A matrix whose neighbours below and beside lie so far off; `None` where neither is 1 or its lines overlap.
    pub fn new([rows, columns]: [usize; 2], [below, beside]: [i64; 2]) -> Option<Layout> {
        let layout = |by_rows: bool, lines: usize, length: usize, step: i64, within: i64| {
            let step = if lines == 1 { length } else { usize::try_from(step).ok()? };
            let fits = (within == 1 || length == 1) && step >= length;
            fits.then_some(Layout { rows, columns, by_rows, step })
        };
        layout(true, rows, columns, below, beside).or_else(|| layout(false, columns, rows, beside, below))
    }
}

/// A matrix that is read; its first element is the slice's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matrix<'a> {
    pub values: &'a [f64],
    pub layout: Layout,
}

/// The library `faer`.
pub(super) struct Faer;

impl Library for Faer {
    fn add_product(&self, c: &mut [f64], layout: Layout, factor: f64, a: Matrix<'_>, b: Matrix<'_>) {
        matmul(view_mut(c, layout), Accum::Add, view(a), view(b), factor, Par::Seq);
    }
}

/// Rows side by side are the columns of the transpose.
fn view(matrix: Matrix<'_>) -> MatRef<'_, f64> {
    let Layout { rows, columns, by_rows, step } = matrix.layout;
    match by_rows {
        true => MatRef::from_column_major_slice_with_stride(matrix.values, columns, rows, step).transpose(),
        false => MatRef::from_column_major_slice_with_stride(matrix.values, rows, columns, step),
    }
}

/// As [`view`]; `MatMut::from_row_major_slice_with_stride_mut` of faer 0.24.4 takes rows for columns.
fn view_mut(values: &mut [f64], layout: Layout) -> MatMut<'_, f64> {
    let Layout { rows, columns, by_rows, step } = layout;
    match by_rows {
        true => MatMut::from_column_major_slice_with_stride_mut(values, columns, rows, step).transpose_mut(),
        false => MatMut::from_column_major_slice_with_stride_mut(values, rows, columns, step),
    }
}
