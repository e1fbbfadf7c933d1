//! Factors by halves, over the products and solves of a library.
//!
//! In: a symmetric matrix. Out: the same as from one routine, but nearly all of the work is done by products: the second half of a factor
//! is that of what a solve and a product leave of it, all the way down. OpenBLAS's factor of a tile of 512 takes two thirds of the time so
//! (0.3.21, AVX-512), that of faer half (0.24.4).

use super::{Layout, Library, Matrix, Square};
use crate::leaf::{Buffer, Element};

/// The first half has a multiple of so many rows.
const MULTIPLE: usize = 16;

/// Lines of a copy are so much longer than they need be: a cache has few places for lines that are a power of two apart.
const APART: usize = 8;

/// A library that factors small squares.
pub(super) trait Factor<E>: Library<E> {
    /// The most rows of a square, of which those of a row lie side by side, that are not halved.
    const FEW: usize;

    /// Does in one routine what [`factor`] does; of squares by rows those that are not halved.
    fn factor_whole(&self, a: Square<'_, E>) -> bool;
}

/// Overwrites the lower triangle of a symmetric matrix with its Cholesky factor; whether all pivots are positive.
pub(super) fn factor<E: Element, L: Factor<E>>(library: &L, a: Square<'_, E>) -> bool {
    let Square { values, layout } = a;
    let (n, step) = (layout.rows, layout.step);
    if !layout.by_rows || n <= L::FEW {
        return library.factor_whole(Square { values, layout });
    }
    let half = (n / 2).next_multiple_of(MULTIPLE);
    let (top, bottom) = values.split_at_mut(half * step);
    let (first, last) = (sized(layout, half, half), sized(layout, n - half, n - half));
    if !factor(library, Square { values: &mut *top, layout: first }) {
        return false;
    }
    let between = sized(layout, n - half, half);
    let below = Layout { step: half + APART, ..between };
    let mut solved = Buffer::<E>::blank(below.rows * below.step);
    copy(Matrix { values: bottom, layout: between }, &mut solved, below.step);
    library.solve(Matrix { values: top, layout: first }, false, &mut solved, below.transposed());
    let solved = Matrix { values: &solved, layout: below };
    copy(solved, bottom, step);
    let taken = Square { values: &mut bottom[half..], layout: last };
    library.add_triangle(taken, true, -E::ONE, solved, solved.transposed());
    factor(library, Square { values: &mut bottom[half..], layout: last })
}

fn sized(layout: Layout, rows: usize, columns: usize) -> Layout {
    Layout { rows, columns, ..layout }
}

/// Writes the lines of a matrix into others, which lie so far apart.
pub(super) fn copy<E: Copy>(from: Matrix<'_, E>, into: &mut [E], step: usize) {
    let [lines, length] = from.layout.lines();
    let rows = into.chunks_mut(step).take(lines).enumerate();
    rows.for_each(|(line, row)| row[..length].copy_from_slice(&from.line(line)[..length]));
}

#[cfg(test)]
pub(super) mod samples {
    use super::*;
    use systole_base::scalar::Precision;

    /// What results may differ by from those by other ways.
    pub fn tolerance<E: Element>() -> f64 {
        match E::PRECISION {
            Precision::Double => 1e-12,
            Precision::Single => 1e-4,
        }
    }

    pub fn rounded<E: Element>(values: &[f64]) -> Vec<E> {
        values.iter().map(|value| E::rounded(*value)).collect()
    }

    /// Numbers that look random, the same each time.
    pub fn number(at: usize) -> f64 {
        ((at * 7919 + 104_729) % 1009) as f64 / 1009.0 - 0.5
    }

    pub fn laid(rows: usize, columns: usize, by_rows: bool, more: usize) -> Layout {
        let length = if by_rows { columns } else { rows };
        Layout { rows, columns, by_rows, step: length + more }
    }

    /// A triangle far from singular, with anything above it.
    pub fn triangle(n: usize, layout: Layout) -> Vec<f64> {
        let mut values: Vec<f64> = (0..layout.step * n).map(number).collect();
        (0..n).for_each(|row| values[layout.address(row, row)] = 2.0 + number(row));
        for (row, column) in (0..n).flat_map(|row| (0..row).map(move |column| (row, column))) {
            values[layout.address(row, column)] /= n as f64;
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::samples::{laid, rounded, tolerance, triangle};
    use super::*;
    use crate::leaf::library::faer::Faer;
    use crate::leaf::library::lower;
    #[cfg(feature = "openblas")]
    use crate::leaf::library::openblas::OpenBlas;
    use proptest::prelude::*;

    /// A symmetric matrix of which this is the factor.
    fn square(lower: &[f64], layout: Layout) -> Vec<f64> {
        let at = |row: usize, column: usize| if column > row { 0.0 } else { lower[layout.address(row, column)] };
        let (n, mut square) = (layout.rows, vec![0.0; lower.len()]);
        for (row, column) in (0..n).flat_map(|row| (0..n).map(move |column| (row, column))) {
            square[layout.address(row, column)] = (0..n).map(|k| at(row, k) * at(column, k)).sum();
        }
        square
    }

    /// The factor's square is the matrix; one that is not positive is told.
    fn check<E: Element>(library: &impl Factor<E>, layout: Layout, bad: usize) -> Result<(), TestCaseError> {
        let wanted = triangle(layout.rows, layout);
        let mut given: Vec<E> = rounded(&square(&wanted, layout));
        let mut factored = given.clone();
        let is_positive = factor(library, Square { values: &mut factored, layout });
        prop_assert!(is_positive);
        for (row, column) in lower(layout.rows) {
            let at = layout.address(row, column);
            prop_assert!((factored[at].double() - wanted[at]).abs() < tolerance::<E>());
        }
        given[layout.address(bad % layout.rows, bad % layout.rows)] = -E::ONE;
        let is_positive = factor(library, Square { values: &mut given, layout });
        prop_assert!(!is_positive);
        Ok(())
    }

    proptest! {
        #[test]
        fn a_factor_by_halves_is_a_factor(n in 1usize..140, by_rows: bool, more in 0usize..5, bad in 0usize..140) {
            let layout = laid(n, n, by_rows, more);
            check::<f64>(&Faer, layout, bad)?;
            check::<f32>(&Faer, layout, bad)?;
            #[cfg(feature = "openblas")]
            check::<f64>(&OpenBlas, layout, bad)?;
            #[cfg(feature = "openblas")]
            check::<f32>(&OpenBlas, layout, bad)?;
        }
    }
}
