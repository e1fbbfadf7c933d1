//! The library `faer`.

use super::halves::{self, Factor};
use super::solves::{self, Rows, Solve};
use super::{Element, Layout, Library, Matrix, Square, Target, lower};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltParams, LltRegularization, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_unit_lower_triangular_in_place};
use faer::{Accum, Auto, MatMut, MatRef, Par, Spec};
use std::ops::Range;

/// The library `faer`, on one thread.
pub(super) struct Faer;

impl<E: Element> Library<E> for Faer {
    fn add_product(&self, c: Target<'_, E>, factor: E, a: Matrix<'_, E>, b: Matrix<'_, E>) {
        let kept = if c.is_blank { Accum::Replace } else { Accum::Add };
        let is_empty = a.layout.reach() == 0 || b.layout.reach() == 0;
        for piece in pieces(c.layout.lines()[1], if is_empty { usize::MAX } else { LONGEST }) {
            let (layout, a, b) = part(c.layout, &piece, a, b);
            matmul(view_mut(&mut c.values[piece.start..], layout), kept, view(a), view(b), factor, Par::Seq);
        }
    }

    fn add_triangle(&self, c: Square<'_, E>, has_diagonal: bool, factor: E, a: Matrix<'_, E>, b: Matrix<'_, E>) {
        let part = if has_diagonal { BlockStructure::TriangularLower } else { BlockStructure::StrictTriangularLower };
        let (c, whole) = (view_mut(c.values, c.layout), BlockStructure::Rectangular);
        triangular::matmul(c, part, Accum::Add, view(a), whole, view(b), whole, factor, Par::Seq);
    }

    fn solve(&self, triangle: Matrix<'_, E>, is_unit: bool, x: &mut [E], layout: Layout) {
        solves::solve(self, triangle, is_unit, x, layout);
    }

    fn factor(&self, a: Square<'_, E>) -> bool {
        halves::factor(self, a)
    }

    fn invert(&self, triangle: Matrix<'_, E>, into: Square<'_, E>) -> bool {
        invert_lower_triangular(view_mut(into.values, into.layout), view(triangle), Par::Seq);
        true
    }
}

/// Squares of no more rows are not halved.
const FEW: usize = 32;

/// What is not halved is turned, since the library's vectors run down columns: of rows its factor goes number by number (0.24.4).
impl<E: Element> Factor<E> for Faer {
    const FEW: usize = FEW;

    fn factor_whole(&self, a: Square<'_, E>) -> bool {
        let Square { values, layout } = a;
        if !layout.by_rows {
            return cholesky(view_mut(values, layout));
        }
        let n = layout.rows;
        let mut columns = [E::ZERO; FEW * FEW];
        lower(n).for_each(|(row, column)| columns[column * n + row] = values[layout.address(row, column)]);
        let is_positive = cholesky(MatMut::from_column_major_slice_mut(&mut columns[..n * n], n, n));
        lower(n).for_each(|(row, column)| values[layout.address(row, column)] = columns[column * n + row]);
        is_positive
    }
}

impl<E: Element> Solve<E> for Faer {
    /// Its products by few rows are as fast as others: packing takes a fiftieth of a solve of 128 rows (0.24.4).
    const UNHALVED: usize = 256;

    fn solve_whole(&self, triangle: Matrix<'_, E>, is_unit: bool, x: &mut [E], layout: Layout) {
        match is_unit {
            true => solve_unit_lower_triangular_in_place(view(triangle), view_mut(x, layout), Par::Seq),
            false => solve_lower_triangular_in_place(view(triangle), view_mut(x, layout), Par::Seq),
        }
    }

    fn add_rows(&self, x: Rows<'_, E>, factor: E, a: Matrix<'_, E>) {
        let Rows { values, layout, from, into } = x;
        let (first, last) = view_mut(values, layout).split_at_row_mut(into.start);
        let (from, into) = (first.as_ref().subrows(from.start, from.len()), last.subrows_mut(0, into.len()));
        matmul(into, Accum::Add, view(a), from, factor, Par::Seq);
    }
}

/// Products of longer lines than this are done in pieces: a product of 512 x 1024 by lines of 1024 takes a sixth more time than by
/// lines of 512 (0.24.4, AVX-512).
const LONGEST: usize = 512;

/// Even pieces of lines, none longer than this; one of nothing for none, since what is blank is still to be written.
fn pieces(length: usize, longest: usize) -> impl Iterator<Item = Range<usize>> {
    let piece = length.div_ceil(length.div_ceil(longest).max(1)).next_multiple_of(16).max(1);
    (0..length.max(1)).step_by(piece).map(move |start| start..length.min(start + piece))
}

/// What a product has to do with a piece of each line of its result.
fn part<'a, E: Element>(
    c: Layout,
    piece: &Range<usize>,
    a: Matrix<'a, E>,
    b: Matrix<'a, E>,
) -> (Layout, Matrix<'a, E>, Matrix<'a, E>) {
    let inner = 0..a.layout.columns;
    match c.by_rows {
        true => (Layout { columns: piece.len(), ..c }, a, b.part(inner, piece.clone())),
        false => (Layout { rows: piece.len(), ..c }, a.part(piece.clone(), inner), b),
    }
}

/// Overwrites the lower triangle with its factor; whether all pivots are positive.
fn cholesky<E: Element>(a: MatMut<'_, E>) -> bool {
    let parameters: Spec<LltParams, E> = Spec::new(<LltParams as Auto<E>>::auto());
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<E>(a.nrows(), Par::Seq, parameters));
    cholesky_in_place(a, LltRegularization::default(), Par::Seq, MemStack::new(&mut memory), parameters).is_ok()
}

/// Rows side by side are the columns of the transpose.
fn view<E: Element>(matrix: Matrix<'_, E>) -> MatRef<'_, E> {
    let Layout { rows, columns, by_rows, step } = matrix.layout;
    match by_rows {
        true => MatRef::from_column_major_slice_with_stride(matrix.values, columns, rows, step).transpose(),
        false => MatRef::from_column_major_slice_with_stride(matrix.values, rows, columns, step),
    }
}

/// As [`view`]; `MatMut::from_row_major_slice_with_stride_mut` of faer 0.24.4 takes rows for columns.
fn view_mut<E: Element>(values: &mut [E], layout: Layout) -> MatMut<'_, E> {
    let Layout { rows, columns, by_rows, step } = layout;
    match by_rows {
        true => MatMut::from_column_major_slice_with_stride_mut(values, columns, rows, step).transpose_mut(),
        false => MatMut::from_column_major_slice_with_stride_mut(values, rows, columns, step),
    }
}

#[cfg(test)]
mod tests {
    use super::super::halves::samples::{laid, number, rounded, tolerance};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pieces_are_all_of_a_line() {
        for length in (1..40).chain([512, 513, 1024, 1025, 1500]) {
            let found: Vec<usize> = pieces(length, LONGEST).flatten().collect();
            assert_eq!(found, (0..length).collect::<Vec<_>>());
            assert!(pieces(length, LONGEST).all(|piece| piece.len() <= LONGEST));
        }
    }

    type Shape = ([usize; 3], [bool; 3], usize);

    fn check<E: Element>(([rows, columns, inner], by_rows, more): Shape, is_blank: bool) -> Result<(), TestCaseError> {
        let shapes = [(rows, columns), (rows, inner), (inner, columns)];
        let layouts = [0, 1, 2].map(|at: usize| laid(shapes[at].0, shapes[at].1, by_rows[at], more));
        let [c, a, b] = layouts.map(|layout| (0..layout.lines()[0] * layout.step).map(number).collect::<Vec<f64>>());
        let (mut found, mut expected) = (rounded::<E>(&c), c);
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            let term = |k: usize| a[layouts[1].address(row, k)] * b[layouts[2].address(k, column)];
            let sum = 0.5 * (0..inner).map(term).sum::<f64>();
            let element = &mut expected[layouts[0].address(row, column)];
            *element = if is_blank { sum } else { *element + sum };
        }
        let [a, b] = [rounded::<E>(&a), rounded(&b)];
        let [a, b] = [(&a, layouts[1]), (&b, layouts[2])].map(|(values, layout)| Matrix { values, layout });
        Faer.add_product(Target { values: &mut found, layout: layouts[0], is_blank }, E::rounded(0.5), a, b);
        prop_assert!(found.iter().zip(&expected).all(|(one, other)| (one.double() - other).abs() < tolerance::<E>()));
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Wherever lines lie, shorter and longer than a piece; what is between the lines stays.
        #[test]
        fn a_product_in_pieces_is_a_product(
            rows in 0usize..6, columns in 0usize..1100, inner in 0usize..5, by_rows: [bool; 3], more in 0usize..5, is_blank: bool, turned: bool,
        ) {
            let [rows, columns] = if turned { [columns, rows] } else { [rows, columns] };
            check::<f64>(([rows, columns, inner], by_rows, more), is_blank)?;
            check::<f32>(([rows, columns, inner], by_rows, more), is_blank)?;
        }
    }
}
