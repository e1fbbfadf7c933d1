//! Whether matrices are finite.
//!
//! A library's solve multiplies by zeros of the other triangle and by reciprocals, so a number that is not finite may spread in it to
//! where the loops have none, or get lost. So it is asked of the triangle before, and of the result after, in as many steps as there are
//! elements.

use super::Matrix;
use crate::leaf::Element;

/// So many elements are looked at side by side.
const LANES: usize = 8;

/// Whether all elements are.
pub fn is_finite<E: Element>(matrix: Matrix<'_, E>) -> bool {
    let [lines, length] = matrix.layout.lines();
    (0..lines).all(|line| are_finite(&matrix.line(line)[..length]))
}

/// Whether those of the lower triangle of a square are, with its diagonal or without.
pub fn is_lower_finite<E: Element>(square: Matrix<'_, E>, has_diagonal: bool) -> bool {
    let [lines, length] = square.layout.lines();
    (0..lines).all(|line| {
        let values = &square.line(line)[..length];
        let (before, own) = (line + usize::from(has_diagonal), line + usize::from(!has_diagonal));
        are_finite(if square.layout.by_rows { &values[..before] } else { &values[own..] })
    })
}

/// Zero times a number is a zero if that is finite, and else is no number.
fn are_finite<E: Element>(values: &[E]) -> bool {
    let (blocks, rest) = values.as_chunks::<LANES>();
    let mut sums = [E::ZERO; LANES];
    for block in blocks {
        sums.iter_mut().zip(block).for_each(|(sum, value)| *sum += *value * E::ZERO);
    }
    sums.iter().chain(rest).all(|value| *value * E::ZERO == E::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leaf::library::Layout;
    use proptest::prelude::*;

    fn check<E: Element>(layout: Layout, odd: f64, [row, column]: [usize; 2], has_diagonal: bool) {
        let mut values = vec![E::NAN; layout.lines()[0] * layout.step];
        let places = || (0..layout.rows).flat_map(|row| (0..layout.columns).map(move |column| (row, column)));
        places().for_each(|(row, column)| values[layout.address(row, column)] = E::rounded(-3e38));
        assert!(is_finite(Matrix { values: &values, layout }));
        values[layout.address(row, column)] = E::rounded(odd);
        assert!(!is_finite(Matrix { values: &values, layout }));
        let is_below = row > column || has_diagonal && row == column;
        assert_eq!(is_lower_finite(Matrix { values: &values, layout }, has_diagonal), !is_below);
    }

    proptest! {
        /// Wherever the one odd number is; what is between the lines does not count.
        #[test]
        fn one_number_is_found(n in 1usize..40, at: [usize; 2], by_rows: bool, more in 0usize..3, odd in 0usize..3, has_diagonal: bool) {
            let layout = Layout { rows: n, columns: n, by_rows, step: n + more };
            let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY][odd];
            check::<f64>(layout, odd, at.map(|at| at % n), has_diagonal);
            check::<f32>(layout, odd, at.map(|at| at % n), has_diagonal);
        }
    }
}
