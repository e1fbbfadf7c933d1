//! The library `faer`.

use super::halves::Factor;
use super::solves::{Rows, Solve};
use super::vectors::clear_upper_halves;
use super::{Element, Layout, Library, Matrix, Square, Target, halves, lower, solves};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltParams, LltRegularization, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::triangular::BlockStructure;
use faer::linalg::matmul::{matmul, triangular};
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_unit_lower_triangular_in_place};
use faer::{Accum, Auto, MatMut, MatRef, Par, Spec};
use std::ops::Range;

/// The library `faer`, on one thread.
pub(super) struct Faer;

impl<E: Element> Library<E> for Faer {
    fn add_product(&self, c: Target<'_, E>, factor: E, a: Matrix<'_, E>, b: Matrix<'_, E>) {
        let kept = if c.is_blank { Accum::Replace } else { Accum::Add };
        multiply(view_mut(c.values, c.layout), kept, factor, view(a), view(b));
    }

    fn add_triangle(&self, c: Square<'_, E>, has_diagonal: bool, factor: E, a: Matrix<'_, E>, b: Matrix<'_, E>) {
        let (layout, mut c, a, b) = (c.layout, view_mut(c.values, c.layout), view(a), view(b));
        let part = if has_diagonal { BlockStructure::TriangularLower } else { BlockStructure::StrictTriangularLower };
        let whole = BlockStructure::Rectangular;
        for piece in pieces(layout.rows, LINE_BYTES / size_of::<E>()) {
            // What the lines of the triangle have beside its diagonal: rows to the left, columns below.
            let [rows, columns] = match layout.by_rows {
                true => [piece.end..layout.rows, piece.clone()],
                false => [piece.clone(), 0..piece.start],
            };
            let beside = c.as_mut().submatrix_mut(rows.start, columns.start, rows.len(), columns.len());
            multiply(
                beside,
                Accum::Add,
                factor,
                a.subrows(rows.start, rows.len()),
                b.subcols(columns.start, columns.len()),
            );
            let square = c.as_mut().submatrix_mut(piece.start, piece.start, piece.len(), piece.len());
            let (a, b) = (a.subrows(piece.start, piece.len()), b.subcols(piece.start, piece.len()));
            triangular::matmul(square, part, Accum::Add, a, whole, b, whole, factor, Par::Seq);
        }
        clear_upper_halves();
    }

    fn solve(&self, triangle: Matrix<'_, E>, is_unit: bool, x: &mut [E], layout: Layout) {
        solves::solve(self, triangle, is_unit, x, layout);
    }

    fn factor(&self, a: Square<'_, E>) -> bool {
        halves::factor(self, a)
    }

    fn invert(&self, triangle: Matrix<'_, E>, into: Square<'_, E>) -> bool {
        invert_lower_triangular(view_mut(into.values, into.layout), view(triangle), Par::Seq);
        clear_upper_halves();
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
        clear_upper_halves();
    }

    fn add_rows(&self, x: Rows<'_, E>, factor: E, a: Matrix<'_, E>) {
        let Rows { values, layout, from, into } = x;
        let (first, last) = view_mut(values, layout).split_at_row_mut(into.start);
        let (from, into) = (first.as_ref().subrows(from.start, from.len()), last.subrows_mut(0, into.len()));
        multiply(into, Accum::Add, factor, view(a), from);
    }
}

/// The sides of a block that is multiplied at a time: as much of each line of the result as the library's kernel keeps in registers, in
/// bytes; and as many lines, and as many terms of a sum, as leave the block of the factor that every call reads in the second cache.
/// Products of 256 x 256 by 256 take 0.89 of the time of whole ones, 0.92 with one factor out of the cache, 0.98 with all out of it, and of
/// 1024 x 1024 by 512 0.79 (0.24.4, AVX-512). The kernel takes 24 doubles of a line at once: a tile of 264 is eleven times as wide, and is
/// not cut; of one of 256 the last 16 go slower.
const LINE_BYTES: usize = 384;
const LONGEST: usize = 264;

/// `c = factor * a * b`, or `+=`, block by block, on the lines of `c`.
fn multiply<E: Element>(mut c: MatMut<'_, E>, kept: Accum, factor: E, a: MatRef<'_, E>, b: MatRef<'_, E>) {
    if c.row_stride() != 1 {
        return multiply(c.transpose_mut(), kept, factor, b.transpose(), a.transpose());
    }
    for columns in pieces(c.ncols(), LONGEST) {
        for inner in pieces(a.ncols(), LONGEST) {
            let kept = if inner.start == 0 { kept } else { Accum::Add };
            let b = b.submatrix(inner.start, columns.start, inner.len(), columns.len());
            for rows in pieces(c.nrows(), LINE_BYTES / size_of::<E>()) {
                let c = c.as_mut().submatrix_mut(rows.start, columns.start, rows.len(), columns.len());
                matmul(c, kept, a.submatrix(rows.start, inner.start, rows.len(), inner.len()), b, factor, Par::Seq);
            }
        }
    }
    clear_upper_halves();
}

/// Even pieces of a length, none longer than this; one of nothing for none, since what is blank is still to be written.
fn pieces(length: usize, longest: usize) -> impl Iterator<Item = Range<usize>> {
    let piece = length.div_ceil(length.div_ceil(longest).max(1)).next_multiple_of(16).clamp(1, longest);
    (0..length.max(1)).step_by(piece).map(move |start| start..length.min(start + piece))
}

/// Overwrites the lower triangle with its factor; whether all pivots are positive.
fn cholesky<E: Element>(a: MatMut<'_, E>) -> bool {
    let parameters: Spec<LltParams, E> = Spec::new(<LltParams as Auto<E>>::auto());
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<E>(a.nrows(), Par::Seq, parameters));
    let stack = MemStack::new(&mut memory);
    let is_positive = cholesky_in_place(a, LltRegularization::default(), Par::Seq, stack, parameters).is_ok();
    clear_upper_halves();
    is_positive
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
    fn pieces_are_all_of_a_length() {
        for length in (1..40).chain([512, 513, 1024, 1025, 1500]) {
            let found: Vec<usize> = pieces(length, LONGEST).flatten().collect();
            assert_eq!(found, (0..length).collect::<Vec<_>>());
            assert!(pieces(length, LONGEST).all(|piece| piece.len() <= LONGEST));
        }
    }

    type Shape = ([usize; 3], [bool; 3], usize);

    /// Numbers for c, a and b, each with its layout.
    fn operands(([rows, columns, inner], by_rows, more): Shape) -> [(Vec<f64>, Layout); 3] {
        let shapes = [(rows, columns), (rows, inner), (inner, columns)];
        [0, 1, 2].map(|at: usize| {
            let layout = laid(shapes[at].0, shapes[at].1, by_rows[at], more);
            ((0..layout.lines()[0] * layout.step).map(number).collect(), layout)
        })
    }

    /// Whether `c`, half of a product added to it where this says so, is what was found.
    fn holds<E: Element>(
        found: &[E],
        [(c, layout), (a, of_a), (b, of_b)]: &[(Vec<f64>, Layout); 3],
        is_blank: bool,
        is_meant: impl Fn(usize, usize) -> bool,
    ) -> bool {
        let mut expected = c.clone();
        let places = (0..layout.rows).flat_map(|row| (0..layout.columns).map(move |column| (row, column)));
        for (row, column) in places.filter(|(row, column)| is_meant(*row, *column)) {
            let term = |k: usize| a[of_a.address(row, k)] * b[of_b.address(k, column)];
            let sum = 0.5 * (0..of_a.columns).map(term).sum::<f64>();
            let element = &mut expected[layout.address(row, column)];
            *element = if is_blank { sum } else { *element + sum };
        }
        found.iter().zip(&expected).all(|(one, other)| (one.double() - other).abs() < tolerance::<E>())
    }

    /// What a run makes of numbers, beside what is expected.
    fn check<E: Element>(
        shape: Shape,
        is_blank: bool,
        is_meant: impl Fn(usize, usize) -> bool,
        run: impl FnOnce(&mut [E], Layout, Matrix<'_, E>, Matrix<'_, E>),
    ) -> Result<(), TestCaseError> {
        let operands = operands(shape);
        let [mut found, a, b] = [0, 1, 2].map(|at: usize| rounded::<E>(&operands[at].0));
        let [c, of_a, of_b] = [0, 1, 2].map(|at: usize| operands[at].1);
        run(&mut found, c, Matrix { values: &a, layout: of_a }, Matrix { values: &b, layout: of_b });
        prop_assert!(holds(&found, &operands, is_blank, is_meant));
        Ok(())
    }

    fn check_product<E: Element>(shape: Shape, is_blank: bool) -> Result<(), TestCaseError> {
        let half = E::rounded(0.5);
        let run = |values: &mut [E], layout: Layout, a: Matrix<'_, E>, b: Matrix<'_, E>| {
            Faer.add_product(Target { values, layout, is_blank }, half, a, b);
        };
        check(shape, is_blank, |_, _| true, run)
    }

    fn check_triangle<E: Element>(shape: Shape, has_diagonal: bool) -> Result<(), TestCaseError> {
        let half = E::rounded(0.5);
        let run = |values: &mut [E], layout: Layout, a: Matrix<'_, E>, b: Matrix<'_, E>| {
            Faer.add_triangle(Square { values, layout }, has_diagonal, half, a, b);
        };
        check(shape, false, |row, column| row > column || has_diagonal && row == column, run)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Wherever lines lie, each side shorter and longer than a piece; what is between the lines stays.
        #[test]
        fn a_product_in_pieces_is_a_product(
            few in 0usize..6, some in 0usize..5, many in 0usize..600, turn in 0usize..3, by_rows: [bool; 3], more in 0usize..5, is_blank: bool,
        ) {
            let mut sides = [few, some, many];
            sides.rotate_left(turn);
            let [rows, columns, inner] = sides;
            check_product::<f64>(([rows, columns, inner], by_rows, more), is_blank)?;
            check_product::<f32>(([rows, columns, inner], by_rows, more), is_blank)?;
        }

        /// The other triangle, and the diagonal where it is not meant, stay as they are.
        #[test]
        fn a_triangle_in_pieces_is_the_triangle_of_a_product(
            n in 0usize..200, inner in 0usize..5, by_rows: [bool; 3], more in 0usize..5, has_diagonal: bool,
        ) {
            check_triangle::<f64>(([n, n, inner], by_rows, more), has_diagonal)?;
            check_triangle::<f32>(([n, n, inner], by_rows, more), has_diagonal)?;
        }
    }
}
