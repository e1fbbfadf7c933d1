//! Matrices in slices, and the operations on them that a library does.
//!
//! A library sums in another order than the equations, so its results differ from those of the loops in the last digits.
//!
//! **What is promised.** Results are within rounding of the loops, not their bits. Infinities and NaN are where the
//! loops have them, as long as no product or sum overflows on the way in one of both alone. Each element of a library's
//! product is a sum of the products that the loops add, so that holds of products by themselves. Solves, factors and
//! inverses multiply by zeros of the other triangle and by reciprocals, which would spread NaN, or make infinities of
//! numbers below 1e-308. So the triangle is looked at before, and the result after (`finite`). If either is not finite,
//! the loops do the task. What is within rounding of 0 is not told apart from 0: of a matrix that is all but singular
//! the loops may find a pivot 0 or negative where the library does not.
//!
//! **Factors and solves** of a tile are far slower than its products in both libraries, so they are done by halves
//! (`halves`, `solves`). LU without pivoting is in no library, since libraries exchange rows; `both` does it by halves
//! over their solves and products.
//!
//! **faer's products** are done in blocks: 384 bytes of a line of the result, which its kernel keeps in registers, by
//! at most 264 lines and 264 terms. So the factor that every call reads stays in the second cache. Triangles are strips
//! of as much of each line, with a product beside the diagonal each. Up to 256 rows whose lines are columns faer does
//! not halve a solve: 16 rows at a time are one product with all before them. OpenBLAS spends more on packing what each
//! product reads, and is halved throughout.
//!
//! **OpenBLAS** is called through the package `openblas`, which has the `unsafe` code for it. A function there asserts
//! that its matrices lie within their slices, and calls one routine. It works on the thread that calls.
//! `OPENBLAS_CORETYPE` in the environment may pin it to the kernels of an older processor; on a processor that it does
//! not know it runs its oldest. `exec` says which kernels it has chosen, and warns if they are narrower than the
//! processor (`kernels`). A build of it with threads of its own starts them with the process, and they spin for a while
//! beside the workers: `OPENBLAS_NUM_THREADS=1`, or its serial build, keeps them away.

use self::faer::Faer;
use super::Element;
use std::ffi::c_int;

mod both;

pub use both::both_factors;

mod faer;

mod finite;

pub use finite::{is_finite, is_lower_finite};

mod halves;

#[cfg(feature = "openblas")]
mod kernels;

#[cfg(feature = "openblas")]
mod openblas;

mod solves;

mod vectors;

/// Who runs the leaves that a library knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LeafBackend {
    /// Loops in the order of the equations: the bits of the sequential kernel.
    #[default]
    Loops,
    /// The same loops, compiled by the system's C compiler: the same bits. Loops where there is none.
    Native,
    /// The operations of `faer`, on the thread that calls.
    Faer,
    /// Those of OpenBLAS, on the thread that calls.
    #[cfg(feature = "openblas")]
    OpenBlas,
}

impl LeafBackend {
    /// What people call it; OpenBLAS with the processor whose kernels it has chosen, which the environment may pin.
    #[must_use]
    pub fn title(self) -> String {
        match self {
            LeafBackend::Loops => "loops".to_owned(),
            LeafBackend::Native => "native".to_owned(),
            LeafBackend::Faer => "faer".to_owned(),
            #[cfg(feature = "openblas")]
            LeafBackend::OpenBlas => format!("OpenBLAS with kernels for {}", ::openblas::core_name()),
        }
    }

    /// Kernels that this processor runs and that are faster than those the library has chosen: a word for `OPENBLAS_CORETYPE`, to be set
    /// before the process starts. `None` where its choice is as wide as the processor's vectors.
    #[must_use]
    pub fn wider_kernels(self) -> Option<&'static str> {
        match self {
            LeafBackend::Loops | LeafBackend::Native | LeafBackend::Faer => None,
            #[cfg(feature = "openblas")]
            LeafBackend::OpenBlas => kernels::wider_kernels(),
        }
    }

    /// The word for it, on the command line and in machine files.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            LeafBackend::Loops => "loops",
            LeafBackend::Native => "native",
            LeafBackend::Faer => "faer",
            #[cfg(feature = "openblas")]
            LeafBackend::OpenBlas => "openblas",
        }
    }

    /// The library; `None` where loops run everything.
    pub(in crate::leaf) fn library<E: Element>(self) -> Option<&'static dyn Library<E>> {
        match self {
            LeafBackend::Loops | LeafBackend::Native => None,
            LeafBackend::Faer => Some(&Faer),
            #[cfg(feature = "openblas")]
            LeafBackend::OpenBlas => Some(&openblas::OpenBlas),
        }
    }

    /// Whether there is one.
    pub fn is_library(self) -> bool {
        !matches!(self, LeafBackend::Loops | LeafBackend::Native)
    }
}

/// What a library does with matrices. Operands have the sizes that the operation asks for.
pub trait Library<E>: Sync {
    /// `c += factor * a * b`.
    fn add_product(&self, c: Target<'_, E>, factor: E, a: Matrix<'_, E>, b: Matrix<'_, E>);

    /// The same for the lower triangle of a square `c` alone, with its diagonal or without.
    fn add_triangle(&self, c: Square<'_, E>, has_diagonal: bool, factor: E, a: Matrix<'_, E>, b: Matrix<'_, E>);

    /// Solves `triangle * x = x` for all columns of `x`, which are overwritten. The triangle is the lower one of a square; with
    /// `is_unit` its diagonal counts as ones.
    fn solve(&self, triangle: Matrix<'_, E>, is_unit: bool, x: &mut [E], layout: Layout);

    /// Overwrites the lower triangle of a symmetric matrix with its Cholesky factor; the other triangle is neither read nor
    /// kept. False, with anything in the square, where a pivot is not positive.
    fn factor(&self, a: Square<'_, E>) -> bool;

    /// Writes the inverse of the lower triangle of a square into another one, whose other triangle is not kept. False, with
    /// anything in the square, where the library refuses an element of the diagonal.
    fn invert(&self, triangle: Matrix<'_, E>, into: Square<'_, E>) -> bool;
}

/// How a matrix lies in a slice: neighbours of a row or of a column lie side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    pub rows: usize,
    pub columns: usize,
    /// Whether rows follow each other, else columns.
    pub by_rows: bool,
    /// From one row, or column, to the next.
    pub step: usize,
}

impl Layout {
    /// A matrix whose neighbours below and beside lie so far off; `None` where neither is 1, its lines overlap, or a number of it is
    /// none of BLAS: then it is copied, or loops run.
    pub fn new([rows, columns]: [usize; 2], [below, beside]: [i64; 2]) -> Option<Layout> {
        let layout = |by_rows: bool, lines: usize, length: usize, step: i64, within: i64| {
            let step = if lines == 1 { length } else { usize::try_from(step).ok()? };
            let fits =
                (within == 1 || length == 1) && step >= length && [rows, columns, step].into_iter().all(is_of_blas);
            fits.then_some(Layout { rows, columns, by_rows, step })
        };
        layout(true, rows, columns, below, beside).or_else(|| layout(false, columns, rows, beside, below))
    }

    /// How many rows, or columns, follow each other, and how long each is.
    pub fn lines(self) -> [usize; 2] {
        if self.by_rows { [self.rows, self.columns] } else { [self.columns, self.rows] }
    }

    /// That of the transpose, in the same slice.
    pub fn transposed(self) -> Layout {
        Layout { rows: self.columns, columns: self.rows, by_rows: !self.by_rows, step: self.step }
    }

    /// Where an element lies.
    pub fn address(&self, row: usize, column: usize) -> usize {
        if self.by_rows { row * self.step + column } else { column * self.step + row }
    }

    /// How many elements from the first to the last it spans.
    pub fn reach(&self) -> usize {
        if self.rows == 0 || self.columns == 0 { 0 } else { self.address(self.rows - 1, self.columns - 1) + 1 }
    }
}

/// Whether a count or a step is one that BLAS can be told: it counts in C's `int`.
fn is_of_blas(number: usize) -> bool {
    c_int::try_from(number).is_ok()
}

/// A matrix that is read; its first element is the slice's.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a, E> {
    pub values: &'a [E],
    pub layout: Layout,
}

impl<'a, E: Copy> Matrix<'a, E> {
    /// From the first element of a row, or column, on: as elements lie side by side.
    pub fn line(self, line: usize) -> &'a [E] {
        &self.values[line * self.layout.step..]
    }

    /// Some of its rows and columns.
    pub fn part(self, rows: std::ops::Range<usize>, columns: std::ops::Range<usize>) -> Self {
        let layout = Layout { rows: rows.len(), columns: columns.len(), ..self.layout };
        Matrix { values: &self.values[self.layout.address(rows.start, columns.start)..], layout }
    }

    /// The same elements as rows for columns.
    pub fn transposed(self) -> Self {
        Matrix { values: self.values, layout: self.layout.transposed() }
    }
}

/// A matrix to which a product is added; its first element is the slice's.
#[derive(Debug)]
pub struct Target<'a, E> {
    pub values: &'a mut [E],
    pub layout: Layout,
    /// Whether it counts as zeros, whatever it holds.
    pub is_blank: bool,
}

/// A square matrix that is written; its first element is the slice's.
#[derive(Debug)]
pub struct Square<'a, E> {
    pub values: &'a mut [E],
    pub layout: Layout,
}

/// The rows and columns of a lower triangle with its diagonal.
fn lower(rows: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows).flat_map(|row| (0..=row).map(move |column| (row, column)))
}

/// `given - sums`, or `-sums` where nothing is given: one subtraction an element, as in the equations.
#[derive(Clone, Copy, Debug)]
pub struct Rest<'a, E> {
    pub given: Option<Matrix<'a, E>>,
    pub sums: Matrix<'a, E>,
}

impl<E: Element> Rest<'_, E> {
    /// Writes it into a matrix.
    pub fn write(&self, x: &mut [E], layout: Layout) {
        let Layout { rows, columns, step, .. } = layout;
        if !self.lies_like(layout) {
            for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
                let at = |matrix: Matrix<'_, E>| matrix.values[matrix.layout.address(row, column)];
                x[layout.address(row, column)] = self.given.map_or_else(|| -at(self.sums), |b| at(b) - at(self.sums));
            }
            return;
        }
        let [lines, length] = layout.lines();
        (0..lines).for_each(|line| self.write_line(line, &mut x[line * step..][..length]));
    }

    /// Whether lines of a layout are lines of both matrices.
    fn lies_like(&self, layout: Layout) -> bool {
        let is_like = |matrix: &Matrix<'_, E>| matrix.layout.by_rows == layout.by_rows;
        is_like(&self.sums) && self.given.as_ref().is_none_or(is_like)
    }

    fn write_line(&self, line: usize, x: &mut [E]) {
        let sums = self.sums.line(line);
        match self.given {
            Some(b) => x.iter_mut().zip(b.line(line).iter().zip(sums)).for_each(|(x, (b, s))| *x = *b - *s),
            None => x.iter_mut().zip(sums).for_each(|(x, s)| *x = -*s),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is beyond the integers of BLAS in any number is left to loops; one less is not.
    #[test]
    fn a_matrix_beyond_the_integers_of_blas_is_none_of_a_library() {
        let most = c_int::MAX as usize;
        let is_one = |counts, steps| Layout::new(counts, steps).is_some();
        for (number, expected) in [(most, true), (most + 1, false)] {
            let far = number as i64;
            for transposed in [false, true] {
                let turned = |pair: [usize; 2]| if transposed { [pair[1], pair[0]] } else { pair };
                let steps = |pair: [i64; 2]| if transposed { [pair[1], pair[0]] } else { pair };
                assert_eq!(is_one(turned([2, 3]), steps([far, 1])), expected, "a step of {number}");
                assert_eq!(is_one(turned([1, number]), steps([far, 1])), expected, "lines of {number}");
                assert_eq!(is_one(turned([number, 1]), steps([1, 1])), expected, "{number} lines");
            }
        }
    }
}
