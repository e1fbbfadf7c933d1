//! Solves by halves, over the products of a library.
//!
//! In: a triangle and what it divides. Out: the same as from one routine, but nearly all of the work is done by products: half of a solve
//! is a product with the other half, all the way down, and the last few rows are multiplied by the inverse of their triangle. A library
//! whose products by few rows are as fast as others stops halving sooner: a few rows are one product with all before them. Of a tile of
//! 256 the libraries' own solves reach two fifths (OpenBLAS 0.3.21, AVX-512) and half (faer 0.24.4) of the speed of their products where
//! neighbours of a column lie side by side; so done they reach two thirds and five sixths. Rounding grows with the condition of the
//! triangles that are inverted, as in every library that inverts small blocks of the diagonal.

use super::halves::copy;
use super::{Layout, Library, Matrix, Target};
use crate::leaf::{Buffer, Element};
use std::ops::Range;

/// So few rows are multiplied by an inverse; a solve of so few rows, or right-hand sides, is one routine.
const FEW: usize = 16;

/// So many columns of an inverse are computed at a time.
const WIDE: usize = 8;

/// A library that solves for a few rows, and multiplies rows of one matrix.
pub(super) trait Solve<E>: Library<E> {
    /// So many rows are not halved where neighbours of a column lie side by side: a few at a time, each from all before.
    const UNHALVED: usize;

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
        if rows.len() <= L::UNHALVED && !self.layout.by_rows {
            return self.a_few_at_a_time(rows);
        }
        let half = rows.start + (rows.len() / 2).next_multiple_of(FEW);
        self.rows(rows.start..half);
        self.take(rows.start..half, half..rows.end);
        self.rows(half..rows.end);
    }

    /// Takes from a few rows what those before them, all that are known, say of them, and solves for these.
    fn a_few_at_a_time(&mut self, rows: Range<usize>) {
        for start in rows.clone().step_by(FEW) {
            let few = start..rows.end.min(start + FEW);
            if start > rows.start {
                self.take(rows.start..start, few.clone());
            }
            self.few(few);
        }
    }

    /// Takes what rows that are known say of others.
    fn take(&mut self, known: Range<usize>, from: Range<usize>) {
        let between = self.triangle.part(from.clone(), known.clone());
        let rows = Rows { values: self.x, layout: self.layout, from: known, into: from };
        self.library.add_rows(rows, -E::ONE, between);
    }

    /// Multiplies a few rows by the inverse of their triangle.
    fn few(&mut self, rows: Range<usize>) {
        let inverse = inverse(self.triangle.part(rows.clone(), rows.clone()), self.is_unit);
        let square = Layout { rows: rows.len(), columns: rows.len(), by_rows: true, step: FEW };
        let part = Layout { rows: rows.len(), ..self.layout };
        let x = &mut self.x[self.layout.address(rows.start, 0)..];
        let given = Layout { step: part.lines()[1], ..part };
        copy(Matrix { values: x, layout: part }, &mut self.room, given.step);
        let inverse = Matrix { values: inverse.as_flattened(), layout: square };
        let given = Matrix { values: &self.room, layout: given };
        self.library.add_product(Target { values: x, layout: part, is_blank: true }, E::ONE, inverse, given);
    }
}

/// The inverse of the lower triangle of a small square, by rows.
fn inverse<E: Element>(triangle: Matrix<'_, E>, is_unit: bool) -> [[E; FEW]; FEW] {
    let (n, factors) = (triangle.layout.rows, by_rows(triangle));
    let mut inverse = [[E::ZERO; FEW]; FEW];
    for group in 0..n.div_ceil(WIDE) {
        for row in group * WIDE..n {
            let pivot = if is_unit { E::ONE } else { E::ONE / factors[row][row] };
            let entries = entries(&factors[row], &inverse, group, row);
            inverse[row].as_chunks_mut::<WIDE>().0[group] = entries.map(|entry| entry * pivot);
        }
    }
    inverse
}

/// A group of a row of an inverse, from the rows before, less the pivot: so few that each stays in a register.
fn entries<E: Element>(factors: &[E; FEW], inverse: &[[E; FEW]; FEW], group: usize, row: usize) -> [E; WIDE] {
    let first = group * WIDE;
    let mut entries = [E::ZERO; WIDE];
    entries.iter_mut().skip(row - first).take(1).for_each(|own| *own = E::ONE);
    for (factor, known) in factors[first..row].iter().zip(&inverse[first..row]) {
        let known = &known.as_chunks::<WIDE>().0[group];
        entries.iter_mut().zip(known).for_each(|(entry, known)| *entry -= *factor * *known);
    }
    entries
}

/// A small square, its rows side by side.
fn by_rows<E: Element>(square: Matrix<'_, E>) -> [[E; FEW]; FEW] {
    let mut rows = [[E::ZERO; FEW]; FEW];
    let n = square.layout.rows;
    for line in 0..n {
        let values = &square.line(line)[..n];
        match square.layout.by_rows {
            true => rows[line][..n].copy_from_slice(values),
            false => rows.iter_mut().zip(values).for_each(|(row, value)| row[line] = *value),
        }
    }
    rows
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

    /// Where halves and a few rows at a time meet, in whole sixteens and not.
    #[test]
    fn a_solve_of_more_rows_than_are_left_unhalved_is_a_solve() {
        for n in [<Faer as Solve<f64>>::UNHALVED, 257, 300] {
            let (square, layout) = (laid(n, n, true, 1), laid(n, 17, false, 2));
            let values = triangle(n, square);
            check::<f64>(&Faer, Matrix { values: &values, layout: square }, false, layout).expect("the same");
        }
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
