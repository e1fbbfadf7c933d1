//! Solves by halves, over the products of a library.
//!
//! In: a triangle and what it divides. Out: the same as from one routine, but nearly all of the work is done by products: half of a solve
//! is a product with the other half, all the way down, and the last few rows are multiplied by the inverse of their triangle. Of a tile of
//! 256 the libraries' own solves reach two fifths (OpenBLAS 0.3.21, AVX-512) and half (faer 0.24.4) of the speed of their products where
//! neighbours of a column lie side by side; by halves they reach two thirds and four fifths. Rounding grows with the condition of the
//! triangles that are inverted, as in every library that inverts small blocks of the diagonal.

use super::halves::copy;
use super::{Layout, Library, Matrix, Target};
use crate::leaf::{Buffer, Element};
use std::ops::Range;

/// So few rows are multiplied by an inverse; a solve of so few rows, or right-hand sides, is one routine.
const FEW: usize = 16;

/// A library that solves for a few rows, and multiplies rows of one matrix.
pub(super) trait Solve<E>: Library<E> {
    /// Does in one routine what [`solve`] does.
    fn solve_whole(&self, triangle: Matrix<'_, E>, is_unit: bool, x: &mut [E], layout: Layout);

    /// Rows `into` of a matrix `+= factor * a *` its rows `from`, which are before these.
    fn add_rows(&self, x: Rows<'_, E>, factor: E, a: Matrix<'_, E>);
}

/// Rows of a matrix that others, before them, are added to.
#[derive(Debug)]
pub(super) struct Rows<'a, E> {
    pub values: &'a mut [E],
    pub layout: Layout,
    pub from: Range<usize>,
    pub into: Range<usize>,
}

/// Solves `triangle * x = x` for all columns of `x`.
pub(super) fn solve<E: Element, L: Solve<E>>(
    library: &L,
    triangle: Matrix<'_, E>,
    is_unit: bool,
    x: &mut [E],
    layout: Layout,
) {
    if layout.rows.min(layout.columns) <= FEW {
        return library.solve_whole(triangle, is_unit, x, layout);
    }
    let room = Buffer::blank(FEW * layout.columns);
    Halving { library, triangle, is_unit, x, layout, room }.rows(0..layout.rows);
}

/// A solve under way.
struct Halving<'a, E: Element, L> {
    library: &'a L,
    triangle: Matrix<'a, E>,
    is_unit: bool,
    x: &'a mut [E],
    layout: Layout,
    /// Room for a few rows.
    room: Buffer<E>,
}

impl<E: Element, L: Solve<E>> Halving<'_, E, L> {
    /// Solves for these rows, from which those before have been taken.
    fn rows(&mut self, rows: Range<usize>) {
        if rows.len() <= FEW {
            return self.few(rows);
        }
        let half = rows.start + (rows.len() / 2).next_multiple_of(FEW);
        let (first, last) = (rows.start..half, half..rows.end);
        self.rows(first.clone());
        let between = self.triangle.part(last.clone(), first.clone());
        let rows = Rows { values: self.x, layout: self.layout, from: first, into: last.clone() };
        self.library.add_rows(rows, -E::ONE, between);
        self.rows(last);
    }

    /// Multiplies a few rows by the inverse of their triangle.
    fn few(&mut self, rows: Range<usize>) {
        let inverse = inverse(self.triangle.part(rows.clone(), rows.clone()), self.is_unit);
        let square = Layout { rows: rows.len(), columns: rows.len(), by_rows: true, step: FEW };
        let part = Layout { rows: rows.len(), ..self.layout };
        let x = &mut self.x[self.layout.address(rows.start, 0)..];
        let given = Layout { step: part.lines()[1], ..part };
        copy(Matrix { values: x, layout: part }, &mut self.room, given.step);
        let inverse = Matrix { values: &inverse, layout: square };
        let given = Matrix { values: &self.room, layout: given };
        self.library.add_product(Target { values: x, layout: part, is_blank: true }, E::ONE, inverse, given);
    }
}

/// The inverse of the lower triangle of a small square, by rows: each row is taken from those before.
fn inverse<E: Element>(triangle: Matrix<'_, E>, is_unit: bool) -> [E; FEW * FEW] {
    let at = |row: usize, column: usize| triangle.values[triangle.layout.address(row, column)];
    let mut inverse = [E::ZERO; FEW * FEW];
    for row in 0..triangle.layout.rows {
        let (known, line) = inverse.split_at_mut(row * FEW);
        let pivot = if is_unit { E::ONE } else { E::ONE / at(row, row) };
        for (column, before) in known.chunks_exact(FEW).enumerate() {
            let factor = -at(row, column) * pivot;
            line.iter_mut().zip(&before[..=column]).for_each(|(entry, before)| *entry += factor * *before);
        }
        line[row] = pivot;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leaf::library::faer::Faer;
    use crate::leaf::library::halves::samples::{laid, number, rounded, tolerance, triangle};
    #[cfg(feature = "openblas")]
    use crate::leaf::library::openblas::OpenBlas;
    use proptest::prelude::*;

    /// By substitution, whatever is between the lines.
    fn substituted(triangle: Matrix<'_, f64>, is_unit: bool, given: &[f64], layout: Layout) -> Vec<f64> {
        let mut x = given.to_vec();
        for (column, row) in (0..layout.columns).flat_map(|column| (0..layout.rows).map(move |row| (column, row))) {
            let at = |k: usize| triangle.values[triangle.layout.address(row, k)];
            let known: f64 = (0..row).map(|k| at(k) * x[layout.address(k, column)]).sum();
            let pivot = if is_unit { 1.0 } else { at(row) };
            x[layout.address(row, column)] = (given[layout.address(row, column)] - known) / pivot;
        }
        x
    }

    fn check<E: Element>(
        library: &impl Solve<E>,
        triangle: Matrix<'_, f64>,
        is_unit: bool,
        layout: Layout,
    ) -> Result<(), TestCaseError> {
        let given: Vec<f64> = (0..layout.step * layout.lines()[0]).map(|at| number(at + 5)).collect();
        let (mut x, expected) = (rounded::<E>(&given), substituted(triangle, is_unit, &given, layout));
        let values = rounded::<E>(triangle.values);
        solve(library, Matrix { values: &values, layout: triangle.layout }, is_unit, &mut x, layout);
        prop_assert!(x.iter().zip(&expected).all(|(one, other)| (one.double() - other).abs() < tolerance::<E>()));
        Ok(())
    }

    proptest! {
        /// Wherever lines lie and however far apart; what is between the lines stays.
        #[test]
        fn a_solve_by_halves_is_a_solve(
            n in 1usize..70, columns in 1usize..40, by_rows: [bool; 2], more in 0usize..5, is_unit: bool,
        ) {
            let (square, layout) = (laid(n, n, by_rows[0], more), laid(n, columns, by_rows[1], more));
            let values = triangle(n, square);
            let triangle = Matrix { values: &values, layout: square };
            check::<f64>(&Faer, triangle, is_unit, layout)?;
            check::<f32>(&Faer, triangle, is_unit, layout)?;
            #[cfg(feature = "openblas")]
            check::<f64>(&OpenBlas, triangle, is_unit, layout)?;
            #[cfg(feature = "openblas")]
            check::<f32>(&OpenBlas, triangle, is_unit, layout)?;
        }
    }
}
