//! Both factors of a square without pivoting, over the products and solves of a library.
//!
//! In: a square. Out: `U` on its diagonal and above, `L` below, whose diagonal counts as ones. Libraries exchange rows, which equations do
//! not; so it is done by halves here: of the first half both factors, a solve to the right of it and one below, and both factors
//! of what their product leaves, all the way down to squares of a few rows.

use super::halves::copy;
use super::{Layout, Library, Matrix, Square, Target};
use crate::leaf::{Buffer, Element};

/// Squares of no more rows are not halved.
const FEW: usize = 16;

/// Overwrites a square whose rows follow each other with its factors.
pub fn both_factors<E: Element>(library: &dyn Library<E>, Square { values, layout }: Square<'_, E>) {
    let (n, step) = (layout.rows, layout.step);
    if n <= FEW {
        return few(values, layout);
    }
    let half = (n / 2).next_multiple_of(FEW);
    let sized = |rows: usize, columns: usize| Layout { rows, columns, ..layout };
    let (top, bottom) = values.split_at_mut(half * step);
    both_factors(library, Square { values: &mut *top, layout: sized(half, half) });
    let corner = copied(Matrix { values: top, layout: sized(half, half) });
    library.solve(corner.matrix(), true, &mut top[half..], sized(half, n - half));
    let below = sized(n - half, half);
    library.solve(corner.matrix().transposed(), false, bottom, below.transposed());
    let below = copied(Matrix { values: bottom, layout: below });
    let right = Matrix { values: &top[half..], layout: sized(half, n - half) };
    let left = Target { values: &mut bottom[half..], layout: sized(n - half, n - half), is_blank: false };
    library.add_product(left, -E::ONE, below.matrix(), right);
    both_factors(library, Square { values: &mut bottom[half..], layout: sized(n - half, n - half) });
}

/// A matrix by itself.
struct Copied<E: Element> {
    values: Buffer<E>,
    layout: Layout,
}

impl<E: Element> Copied<E> {
    fn matrix(&self) -> Matrix<'_, E> {
        Matrix { values: &self.values, layout: self.layout }
    }
}

/// A copy, since what stands beside the matrix in the same lines is to be written.
fn copied<E: Element>(matrix: Matrix<'_, E>) -> Copied<E> {
    let [lines, length] = matrix.layout.lines();
    let mut values = Buffer::blank(lines * length);
    copy(matrix, &mut values, length);
    Copied { values, layout: Layout { step: length, ..matrix.layout } }
}

/// Row by row: what is left of the rows below is lessened by their multiples of this one.
fn few<E: Element>(values: &mut [E], Layout { rows, step, .. }: Layout) {
    for pivot in 0..rows {
        let (above, below) = values.split_at_mut(((pivot + 1) * step).min(values.len()));
        let line = &above[pivot * step..][..rows];
        for row in below.chunks_mut(step).take(rows - pivot - 1) {
            let factor = row[pivot] / line[pivot];
            row[pivot] = factor;
            let rest = &mut row[pivot + 1..rows];
            rest.iter_mut().zip(&line[pivot + 1..]).for_each(|(entry, known)| *entry -= factor * *known);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leaf::library::faer::Faer;
    use crate::leaf::library::halves::samples::{laid, number, rounded, tolerance};
    #[cfg(feature = "openblas")]
    use crate::leaf::library::openblas::OpenBlas;
    use proptest::prelude::*;

    /// A square whose diagonal outweighs its rows.
    fn dominant(n: usize, layout: Layout) -> Vec<f64> {
        let mut values: Vec<f64> = (0..layout.step * n).map(number).collect();
        (0..n).for_each(|row| values[layout.address(row, row)] += n as f64);
        values
    }

    /// By the equations: an element less what the elements before come to.
    fn by_equations(given: &[f64], layout: Layout) -> Vec<f64> {
        let (n, mut factors) = (layout.rows, given.to_vec());
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let at = |row: usize, column: usize| factors[layout.address(row, column)];
            let sum: f64 = (0..i.min(j)).map(|k| at(i, k) * at(k, j)).sum();
            let pivot = if i > j { at(j, j) } else { 1.0 };
            factors[layout.address(i, j)] = (given[layout.address(i, j)] - sum) / pivot;
        }
        factors
    }

    fn check<E: Element>(library: &dyn Library<E>, given: &[f64], layout: Layout) -> Result<(), TestCaseError> {
        let (mut found, expected) = (rounded::<E>(given), by_equations(given, layout));
        both_factors(library, Square { values: &mut found, layout });
        let bound = tolerance::<E>() * layout.rows as f64;
        for (place, (one, other)) in found.iter().zip(&expected).enumerate() {
            prop_assert!((one.double() - other).abs() < bound, "{place}: {} and {other}", one.double());
        }
        Ok(())
    }

    proptest! {
        /// However far rows lie apart; what is between them stays.
        #[test]
        fn both_factors_by_halves_are_those_of_the_equations(n in 1usize..90, more in 0usize..5) {
            let layout = laid(n, n, true, more);
            let given = dominant(n, layout);
            check::<f64>(&Faer, &given, layout)?;
            check::<f32>(&Faer, &given, layout)?;
            #[cfg(feature = "openblas")]
            check::<f64>(&OpenBlas, &given, layout)?;
            #[cfg(feature = "openblas")]
            check::<f32>(&OpenBlas, &given, layout)?;
        }
    }
}
