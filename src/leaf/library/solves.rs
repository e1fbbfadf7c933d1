//! Solves by halves, over the products of OpenBLAS.
//!
//! In: a triangle and what it divides. Out: the same as from one routine, but nearly all of the work is done by products: half of a solve
//! is a product with the other half, all the way down, and the last few rows are multiplied by the inverse of their triangle. OpenBLAS's
//! solves of a tile of 256 reach two fifths of the speed of its products where neighbours of a column lie side by side (0.3.21 on a
//! processor with AVX-512); by halves they reach three quarters, and nine tenths where those of a row do.

use super::halves::copy;
use super::openblas::{lay, read};
use super::{Layout, Matrix};
use crate::leaf::Buffer;
use std::ops::Range;

/// So few rows are multiplied by an inverse; a solve of so few rows, or right-hand sides, is one routine.
const FEW: usize = 16;

/// Solves `triangle * x = x` for all columns of `x`.
pub(super) fn solve(triangle: Matrix<'_>, is_unit: bool, x: &mut [f64], layout: Layout) {
    if layout.rows.min(layout.columns) <= FEW {
        return openblas::solve(read(triangle), is_unit, x, lay(layout));
    }
    let room = Buffer::blank(FEW * layout.columns);
    Solve { triangle, is_unit, x, layout, room }.rows(0..layout.rows);
}

/// A solve under way.
struct Solve<'a> {
    triangle: Matrix<'a>,
    is_unit: bool,
    x: &'a mut [f64],
    layout: Layout,
    /// Room for a few rows.
    room: Buffer,
}

impl Solve<'_> {
    /// Solves for these rows, from which those before have been taken.
    fn rows(&mut self, rows: Range<usize>) {
        if rows.len() <= FEW {
            return self.few(rows);
        }
        let half = rows.start + (rows.len() / 2).next_multiple_of(FEW);
        let (first, last) = (rows.start..half, half..rows.end);
        self.rows(first.clone());
        let between = read(self.triangle.part(last.clone(), first.clone()));
        openblas::add_product_within(self.x, lay(self.layout), last.clone(), -1.0, between, first);
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
        openblas::add_product(
            x,
            lay(part),
            0.0,
            1.0,
            read(inverse),
            read(Matrix { values: &self.room, layout: given }),
        );
    }
}

/// The inverse of the lower triangle of a small square, by rows: each row is taken from those before.
fn inverse(triangle: Matrix<'_>, is_unit: bool) -> [f64; FEW * FEW] {
    let at = |row: usize, column: usize| triangle.values[triangle.layout.address(row, column)];
    let mut inverse = [0.0; FEW * FEW];
    for row in 0..triangle.layout.rows {
        let (known, line) = inverse.split_at_mut(row * FEW);
        let pivot = if is_unit { 1.0 } else { at(row, row).recip() };
        for (column, before) in known.chunks_exact(FEW).enumerate() {
            let factor = -at(row, column) * pivot;
            line.iter_mut().zip(before).for_each(|(entry, before)| *entry += factor * before);
        }
        line[row] = pivot;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leaf::library::halves::samples::{laid, number, triangle};
    use proptest::prelude::*;

    #[test]
    #[should_panic(expected = "from.end <= into.start")]
    fn rows_that_meet_are_refused() {
        let lay = openblas::Lay { rows: 3, columns: 1, by_rows: true, step: 1 };
        let a =
            openblas::Read { values: &[1.0; 4], lay: openblas::Lay { rows: 2, columns: 2, by_rows: true, step: 2 } };
        openblas::add_product_within(&mut [1.0; 3], lay, 1..3, 1.0, a, 0..2);
    }

    proptest! {
        /// Against substitution, wherever lines lie and however far apart; what is between the lines stays.
        #[test]
        fn a_solve_by_halves_is_a_solve(
            n in 1usize..70, columns in 1usize..40, by_rows: [bool; 2], more in 0usize..5, is_unit: bool,
        ) {
            let (square, layout) = (laid(n, n, by_rows[0], more), laid(n, columns, by_rows[1], more));
            let values = triangle(n, square);
            let given: Vec<f64> = (0..layout.step * layout.lines()[0]).map(|at| number(at + 5)).collect();
            let (mut x, mut expected) = (given.clone(), given);
            solve(Matrix { values: &values, layout: square }, is_unit, &mut x, layout);
            for column in 0..columns {
                for row in 0..n {
                    let known = (0..row).map(|k| values[square.address(row, k)] * expected[layout.address(k, column)]);
                    let rest = expected[layout.address(row, column)] - known.sum::<f64>();
                    let pivot = if is_unit { 1.0 } else { values[square.address(row, row)] };
                    expected[layout.address(row, column)] = rest / pivot;
                }
            }
            prop_assert!(x.iter().zip(&expected).all(|(one, other)| (one - other).abs() < 1e-12));
        }
    }
}
