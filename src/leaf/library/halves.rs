//! Solves and factors by halves, over the products of OpenBLAS.
//!
//! In: a triangle and what it divides, or a symmetric matrix. Out: the same as from one routine, but nearly all of the work is done
//! by products: half of a solve is a product with the other half, all the way down, and the last few rows are multiplied by the inverse of
//! their triangle. OpenBLAS's solves of a tile of 256 reach two fifths of the speed of its products where neighbours of a column lie side by
//! side (0.3.21 on a processor with AVX-512); by halves they reach three quarters, and nine tenths where those of a row do.

use super::openblas::{lay, read};
use super::{Layout, Matrix, Square};
use crate::leaf::Buffer;
use std::ops::Range;

/// So few rows are multiplied by an inverse; a solve of so few rows, or right-hand sides, is one routine.
const FEW: usize = 16;

/// Lines of a copy are so much longer than they need be: a cache has few places for lines that are a power of two apart.
const APART: usize = 8;

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

/// Overwrites the lower triangle of a symmetric matrix with its Cholesky factor; whether all pivots are positive.
pub(super) fn factor(a: Square<'_>) -> bool {
    let Square { values, layout } = a;
    let (n, step) = (layout.rows, layout.step);
    if !layout.by_rows || n <= FEW {
        return openblas::factor(values, lay(layout));
    }
    let half = (n / 2).next_multiple_of(FEW);
    let (top, bottom) = values.split_at_mut(half * step);
    let (first, last) = (sized(layout, half, half), sized(layout, n - half, n - half));
    if !factor(Square { values: &mut *top, layout: first }) {
        return false;
    }
    let between = sized(layout, n - half, half);
    let below = Layout { step: half + APART, ..between };
    let mut solved = Buffer::blank(below.rows * below.step);
    copy(Matrix { values: bottom, layout: between }, &mut solved, below.step);
    solve(Matrix { values: top, layout: first }, false, &mut solved, below.transposed());
    let solved = Matrix { values: &solved, layout: below };
    copy(solved, bottom, step);
    openblas::add_square(&mut bottom[half..], lay(last), -1.0, read(solved));
    factor(Square { values: &mut bottom[half..], layout: last })
}

fn sized(layout: Layout, rows: usize, columns: usize) -> Layout {
    Layout { rows, columns, ..layout }
}

/// Writes the lines of a matrix into others, which lie so far apart.
fn copy(from: Matrix<'_>, into: &mut [f64], step: usize) {
    let [lines, length] = from.layout.lines();
    let rows = into.chunks_mut(step).take(lines).enumerate();
    rows.for_each(|(line, row)| row[..length].copy_from_slice(&from.line(line)[..length]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers that look random, the same each time.
    fn number(at: usize) -> f64 {
        ((at * 7919 + 104_729) % 1009) as f64 / 1009.0 - 0.5
    }

    fn laid(rows: usize, columns: usize, by_rows: bool, more: usize) -> Layout {
        let length = if by_rows { columns } else { rows };
        Layout { rows, columns, by_rows, step: length + more }
    }

    /// A triangle far from singular, with anything above it.
    fn triangle(n: usize, layout: Layout) -> Vec<f64> {
        let mut values: Vec<f64> = (0..layout.step * n).map(number).collect();
        (0..n).for_each(|row| values[layout.address(row, row)] = 2.0 + number(row));
        for (row, column) in (0..n).flat_map(|row| (0..row).map(move |column| (row, column))) {
            values[layout.address(row, column)] /= n as f64;
        }
        values
    }

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

        /// The factor's square is the matrix; one that is not positive is told.
        #[test]
        fn a_factor_by_halves_is_a_factor(n in 1usize..70, by_rows: bool, more in 0usize..5, bad in 0usize..70) {
            let layout = laid(n, n, by_rows, more);
            let lower = triangle(n, layout);
            let at = |row: usize, column: usize| if column > row { 0.0 } else { lower[layout.address(row, column)] };
            let mut square = vec![0.0; lower.len()];
            for (row, column) in (0..n).flat_map(|row| (0..n).map(move |column| (row, column))) {
                square[layout.address(row, column)] = (0..n).map(|k| at(row, k) * at(column, k)).sum();
            }
            let mut factored = square.clone();
            let is_positive = factor(Square { values: &mut factored, layout });
            prop_assert!(is_positive);
            for (row, column) in (0..n).flat_map(|row| (0..=row).map(move |column| (row, column))) {
                prop_assert!((factored[layout.address(row, column)] - at(row, column)).abs() < 1e-12);
            }
            square[layout.address(bad % n, bad % n)] = -1.0;
            let is_positive = factor(Square { values: &mut square, layout });
            prop_assert!(!is_positive);
        }
    }
}
