//! Solves and factors by halves, over the routines of OpenBLAS.
//!
//! In: a triangle and what it divides, or a symmetric matrix. Out: the same as from one routine, but most of the work is done
//! by products: half of a solve is a product with the other half, all the way down. OpenBLAS's solves of a tile of 128 reach
//! a third of the speed of its products where lines are columns and half of it where they are rows, its factors a quarter (0.3.21
//! on a processor with AVX-512); by halves they reach two thirds, and two fifths. So columns are turned into rows first.

use super::openblas::{lay, read};
use super::{Layout, Matrix, Rest, Square};
use crate::leaf::Buffer;
use std::ops::Range;

/// A solve of so few rows, or right-hand sides, is one routine.
const FEW: usize = 8;

/// A factor of so few rows is one routine.
const FEW_OF_FACTOR: usize = 16;

/// Elements are turned in pieces of so many lines, which are a line of a cache across.
const LINES: usize = 8;

/// So much of each line is turned at a time.
const LENGTH: usize = 16;

/// Solves `triangle * x = x` for all columns of `x`.
pub(super) fn solve(triangle: Matrix<'_>, is_unit: bool, x: &mut [f64], layout: Layout) {
    if !is_to_be_turned(layout) {
        return solve_rows(triangle, is_unit, x, layout);
    }
    let rows = turned(Matrix { values: x, layout });
    solve_turned(triangle, is_unit, rows, x, layout.step);
}

/// Solves `triangle * x = rest`, whatever `x` holds.
pub(super) fn solve_rest(triangle: Matrix<'_>, is_unit: bool, x: &mut [f64], layout: Layout, rest: Rest<'_>) {
    if !is_to_be_turned(layout) || !rest.lies_like(layout) {
        rest.write(x, layout);
        return solve(triangle, is_unit, x, layout);
    }
    let (mut rows, across) = blank_rows(layout);
    turn_lines(layout.lines(), |line, part, piece| rest.put(line, part, piece), &mut rows, across.step);
    solve_turned(triangle, is_unit, (rows, across), x, layout.step);
}

/// Whether a matrix lies by columns, and is more than one routine.
fn is_to_be_turned(layout: Layout) -> bool {
    !layout.by_rows && layout.rows.min(layout.columns) > FEW
}

/// Solves for columns that have been turned into rows, and turns them back into `x`, where they lie so far apart.
fn solve_turned(triangle: Matrix<'_>, is_unit: bool, (mut rows, across): (Buffer, Layout), x: &mut [f64], step: usize) {
    solve_rows(triangle, is_unit, &mut rows, across);
    turn(Matrix { values: &rows, layout: across }, x, step);
}

/// Solves `triangle * x = x` where neighbours of a row lie side by side, or few elements do.
fn solve_rows(triangle: Matrix<'_>, is_unit: bool, x: &mut [f64], layout: Layout) {
    let Layout { rows, columns, step, .. } = layout;
    if rows.min(columns) <= FEW {
        return openblas::solve(read(triangle), is_unit, x, lay(layout));
    }
    let half = rows / 2;
    let (top, bottom) = x.split_at_mut(half * step);
    let (above, below) = (Layout { rows: half, ..layout }, Layout { rows: rows - half, ..layout });
    solve_rows(triangle.part(0..half, 0..half), is_unit, top, above);
    let left = triangle.part(half..rows, 0..half);
    openblas::add_product(bottom, lay(below), 1.0, -1.0, read(left), read(Matrix { values: top, layout: above }));
    solve_rows(triangle.part(half..rows, half..rows), is_unit, bottom, below);
}

/// Overwrites the lower triangle of a symmetric matrix with its Cholesky factor; whether all pivots are positive.
pub(super) fn factor(a: Square<'_>) -> bool {
    let Square { values, layout } = a;
    let (n, step) = (layout.rows, layout.step);
    if !layout.by_rows || n <= FEW_OF_FACTOR {
        return openblas::factor(values, lay(layout));
    }
    let half = n / 2;
    let (top, bottom) = values.split_at_mut(half * step);
    let (first, last) = (sized(layout, half, half), sized(layout, n - half, n - half));
    if !factor(Square { values: &mut *top, layout: first }) {
        return false;
    }
    let (mut above, across) = turned(Matrix { values: bottom, layout: sized(layout, n - half, half).transposed() });
    solve_rows(Matrix { values: top, layout: first }, false, &mut above, across);
    let above = Matrix { values: &above, layout: across };
    turn(above, bottom, step);
    openblas::add_square(&mut bottom[half..], lay(last), -1.0, read(above.transposed()));
    factor(Square { values: &mut bottom[half..], layout: last })
}

fn sized(layout: Layout, rows: usize, columns: usize) -> Layout {
    Layout { rows, columns, ..layout }
}

/// A matrix that lies by columns, by rows.
fn turned(matrix: Matrix<'_>) -> (Buffer, Layout) {
    let (mut values, layout) = blank_rows(matrix.layout);
    turn(matrix, &mut values, layout.step);
    (values, layout)
}

/// Room for a matrix by rows, which are a little apart: a cache has few places for lines that are a power of two apart.
fn blank_rows(Layout { rows, columns, .. }: Layout) -> (Buffer, Layout) {
    let step = columns + LINES;
    (Buffer::blank(rows * step), Layout { rows, columns, by_rows: true, step })
}

/// Writes the lines of a matrix across those of another one, which lie so far apart.
fn turn(from: Matrix<'_>, into: &mut [f64], step: usize) {
    let copy = |line: usize, part: Range<usize>, piece: &mut [f64]| piece.copy_from_slice(&from.line(line)[part]);
    turn_lines(from.layout.lines(), copy, into, step);
}

/// The same for so many lines of such a length, parts of which are put into pieces.
fn turn_lines(
    [lines, length]: [usize; 2],
    put: impl Fn(usize, Range<usize>, &mut [f64]),
    into: &mut [f64],
    step: usize,
) {
    for first in (0..lines).step_by(LINES) {
        let count = LINES.min(lines - first);
        for start in (0..length).step_by(LENGTH) {
            let end = length.min(start + LENGTH);
            let mut piece = [[0.0; LENGTH]; LINES];
            let rows = piece.iter_mut().take(count).enumerate();
            rows.for_each(|(line, row)| put(first + line, start..end, &mut row[..end - start]));
            turn_piece(&piece, [count, end - start], &mut into[start * step + first..], step);
        }
    }
}

/// Writes so many lines of such a length across others.
fn turn_piece(piece: &[[f64; LENGTH]; LINES], [count, length]: [usize; 2], into: &mut [f64], step: usize) {
    for at in 0..length {
        let across = &mut into[at * step..];
        match across.first_chunk_mut::<LINES>() {
            Some(across) if count == LINES => across.iter_mut().zip(piece).for_each(|(target, row)| *target = row[at]),
            _ => across.iter_mut().zip(piece).take(count).for_each(|(target, row)| *target = row[at]),
        }
    }
}
