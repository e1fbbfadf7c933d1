//! The library OpenBLAS, through the package `systole-openblas` of this project.

use super::halves::Factor;
use super::solves::{Rows, Solve};
use super::{Element, Layout, Library, Matrix, Square, Target, halves, lower, solves};
use openblas::{Lay, Read};

/// Triangles of no more rows that no routine knows are computed as squares, of which a triangle is kept.
const SMALLEST: usize = 32;

/// The library OpenBLAS, on one thread.
pub(super) struct OpenBlas;

impl<E: Element> Library<E> for OpenBlas {
    fn add_product(&self, c: Target<'_, E>, factor: E, a: Matrix<'_, E>, b: Matrix<'_, E>) {
        let kept = if c.is_blank { E::ZERO } else { E::ONE };
        openblas::add_product(c.values, lay(c.layout), kept, factor, read(a), read(b));
    }

    fn add_triangle(&self, c: Square<'_, E>, has_diagonal: bool, factor: E, a: Matrix<'_, E>, b: Matrix<'_, E>) {
        let turned = b.transposed();
        let is_square = has_diagonal && turned.layout == a.layout && std::ptr::eq(a.values, turned.values);
        match is_square {
            true => openblas::add_square(c.values, lay(c.layout), factor, read(a)),
            false => add_lower(c, has_diagonal, factor, a, b),
        }
    }

    fn solve(&self, triangle: Matrix<'_, E>, is_unit: bool, x: &mut [E], layout: Layout) {
        solves::solve(self, triangle, is_unit, x, layout);
    }

    fn factor(&self, a: Square<'_, E>) -> bool {
        halves::factor(self, a)
    }

    fn invert(&self, triangle: Matrix<'_, E>, into: Square<'_, E>) -> bool {
        for (row, column) in lower(into.layout.rows) {
            into.values[into.layout.address(row, column)] = triangle.values[triangle.layout.address(row, column)];
        }
        openblas::invert(into.values, lay(into.layout))
    }
}

impl<E: Element> Factor<E> for OpenBlas {
    const FEW: usize = 16;

    fn factor_whole(&self, a: Square<'_, E>) -> bool {
        openblas::factor(a.values, lay(a.layout))
    }
}

impl<E: Element> Solve<E> for OpenBlas {
    /// It packs what each product reads, a tenth of the time of a solve of 128 rows by halves; by few rows it is more.
    const UNHALVED: usize = 0;

    fn solve_whole(&self, triangle: Matrix<'_, E>, is_unit: bool, x: &mut [E], layout: Layout) {
        openblas::solve(read(triangle), is_unit, x, lay(layout));
    }

    fn add_rows(&self, x: Rows<'_, E>, factor: E, a: Matrix<'_, E>) {
        openblas::add_product_within(x.values, lay(x.layout), x.into, factor, read(a), x.from);
    }
}

/// BLAS has no product of two matrices of which a triangle is wanted: two triangles and the square between them.
fn add_lower<E: Element>(c: Square<'_, E>, has_diagonal: bool, factor: E, a: Matrix<'_, E>, b: Matrix<'_, E>) {
    let Square { values, layout } = c;
    let (n, half) = (layout.rows, layout.rows / 2);
    if n <= SMALLEST {
        let whole = Layout { rows: n, columns: n, by_rows: true, step: n };
        let mut product = vec![E::ZERO; n * n];
        openblas::add_product(&mut product, lay(whole), E::ZERO, factor, read(a), read(b));
        let kept = lower(n).filter(|(row, column)| has_diagonal || row != column);
        kept.for_each(|(row, column)| {
            values[layout.address(row, column)] = values[layout.address(row, column)] + product[row * n + column]
        });
        return;
    }
    let (inner, top, bottom) = (0..a.layout.columns, 0..half, half..n);
    let at = |row: usize, column: usize| layout.address(row, column);
    let sized = |rows: usize, columns: usize| Layout { rows, columns, ..layout };
    let (left, right) = (b.part(inner.clone(), top.clone()), b.part(inner.clone(), bottom.clone()));
    let (above, below) = (a.part(top, inner.clone()), a.part(bottom, inner));
    let first = Square { values: &mut *values, layout: sized(half, half) };
    add_lower(first, has_diagonal, factor, above, left);
    let between = lay(sized(n - half, half));
    openblas::add_product(&mut values[at(half, 0)..], between, E::ONE, factor, read(below), read(left));
    let last = Square { values: &mut values[at(half, half)..], layout: sized(n - half, n - half) };
    add_lower(last, has_diagonal, factor, below, right);
}

fn lay(layout: Layout) -> Lay {
    let Layout { rows, columns, by_rows, step } = layout;
    Lay { rows, columns, by_rows, step: step.max(1) }
}

fn read<E: Element>(matrix: Matrix<'_, E>) -> Read<'_, E> {
    Read { values: matrix.values, lay: lay(matrix.layout) }
}

#[cfg(test)]
mod tests {
    use openblas::{Lay, Read};

    #[test]
    #[should_panic(expected = "from.end <= into.start")]
    fn rows_that_meet_are_refused() {
        let lay = Lay { rows: 3, columns: 1, by_rows: true, step: 1 };
        let a = Read { values: &[1.0; 4], lay: Lay { rows: 2, columns: 2, by_rows: true, step: 2 } };
        openblas::add_product_within(&mut [1.0; 3], lay, 1..3, 1.0, a, 0..2);
    }
}
