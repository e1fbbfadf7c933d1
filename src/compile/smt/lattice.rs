//! Equalities that no integers satisfy.
//!
//! In: sums of integer unknowns, each with the value that it must have. Out: whether there are such integers, decided exactly: combinations
//! of columns leave each sum one unknown more than those before it, whose value is then known, and has to be whole. So `4 x + 2 y = 1` is
//! seen at once, and `x = y` with `x + y = 1`, where branch and bound would divide without end. Hermite, Sur l'introduction des variables
//! continues dans la théorie des nombres, 1851; Schrijver, Theory of Linear and Integer Programming, 1986, section 4.1.

use super::sparse::{Inequality, opposed};

/// A sum that has to have a value.
type Equality = (Vec<i64>, i64);

/// Whether no integers satisfy those of the inequalities that are equalities, two and two; `false` where a number does not fit.
pub(super) fn have_no_point(unknowns: usize, all: &[Inequality]) -> bool {
    is_empty(equalities(unknowns, all)) == Some(true)
}

/// Two inequalities without room between them, told by the one that begins with a positive factor.
fn equalities(unknowns: usize, all: &[Inequality]) -> Vec<Equality> {
    let is_first = |row: &Inequality| row.terms.first().is_some_and(|(_, factor)| *factor > 0);
    let dense = |row: &Inequality| {
        let mut sum = vec![0; unknowns];
        row.terms.iter().for_each(|(unknown, factor)| sum[*unknown] = *factor);
        (sum, row.least)
    };
    opposed(all).filter(|(row, room)| *room == 0 && is_first(row)).map(|(row, _)| dense(row)).collect()
}

/// Whether no integers satisfy all; `None` where a number does not fit.
fn is_empty(mut rows: Vec<Equality>) -> Option<bool> {
    let mut known: Vec<i64> = vec![];
    for row in 0..rows.len() {
        clear(&mut rows[row..], known.len())?;
        let (sum, value) = &rows[row];
        let told = sum.iter().zip(&known).map(|(factor, value)| factor.checked_mul(*value));
        let rest = told.sum::<Option<i64>>().and_then(|told| value.checked_sub(told))?;
        match sum.get(known.len()) {
            Some(factor) if *factor != 0 && rest % factor == 0 => known.push(rest / factor),
            None | Some(0) if rest == 0 => {}
            _ => return Some(true),
        }
    }
    Some(false)
}

/// Combines the columns from `first` on until the first row has an entry in that one only.
fn clear(rows: &mut [Equality], first: usize) -> Option<()> {
    let count = rows[0].0.len();
    loop {
        let entry = |column: &usize| rows[0].0[*column];
        let others = (first..count).filter(|column| entry(column) != 0);
        let Some(least) = others.clone().min_by_key(|column| entry(column).unsigned_abs()) else { return Some(()) };
        let Some(other) = others.rev().find(|column| *column != least) else {
            rows.iter_mut().for_each(|(sum, _)| sum.swap(first, least));
            return Some(());
        };
        let times = rows[0].0[other].checked_div(rows[0].0[least])?;
        for (sum, _) in rows.iter_mut() {
            sum[other] = sum[other].checked_sub(sum[least].checked_mul(times)?)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn empty(rows: &[(&[i64], i64)]) -> Option<bool> {
        is_empty(rows.iter().map(|(sum, value)| (sum.to_vec(), *value)).collect())
    }

    #[test]
    fn a_remainder_leaves_no_integers() {
        assert_eq!(empty(&[(&[4, 2], 1)]), Some(true));
        assert_eq!(empty(&[(&[4, 2], 2)]), Some(false));
        // Two spaces on PE x and y, at the times 2 x and 2 y + 1 less the PE.
        assert_eq!(empty(&[(&[1, -1], 0), (&[1, 1], 1)]), Some(true));
        assert_eq!(empty(&[(&[1, -1], 0), (&[1, 1], 2)]), Some(false));
    }

    #[test]
    fn two_bounds_without_room_are_an_equality() {
        let row = |terms: &[(usize, i64)], least: i64| Inequality { terms: terms.to_vec(), least };
        let on_one_pe = [row(&[(0, 1), (1, -1)], 0), row(&[(0, -1), (1, 1)], 0)];
        let at_one_time = |least: i64| [row(&[(0, 1), (1, 1)], least), row(&[(0, -1), (1, -1)], -1)];
        assert!(have_no_point(2, &[on_one_pe.clone(), at_one_time(1)].concat()));
        assert!(!have_no_point(2, &[on_one_pe, at_one_time(0)].concat()), "0 or 1");
    }

    #[test]
    fn what_does_not_fit_is_not_decided() {
        assert_eq!(empty(&[(&[3, 2], 1), (&[i64::MAX, i64::MIN], 1)]), None);
    }

    proptest! {
        /// Against every point of a box; a system with a point there is not empty.
        #[test]
        fn no_point_of_a_box_is_lost(
            rows in proptest::collection::vec((proptest::collection::vec(-4i64..5, 3), -6i64..7), 1..4)
        ) {
            let values = || -6i64..7;
            let points = values().flat_map(|x| values().flat_map(move |y| values().map(move |z| [x, y, z])));
            let holds = |point: &[i64; 3]| {
                rows.iter().all(|(sum, value)| sum.iter().zip(point).map(|(a, b)| a * b).sum::<i64>() == *value)
            };
            let found = points.into_iter().any(|point| holds(&point));
            prop_assert!(!found || is_empty(rows.clone()) == Some(false));
        }

        /// A sum of unknowns whose values are known is never empty; the same with a remainder is.
        #[test]
        fn a_value_that_is_reached_is_not_empty_and_one_beside_it_is(
            rows in proptest::collection::vec(proptest::collection::vec(-4i64..5, 4), 1..4),
            point in proptest::collection::vec(-9i64..10, 4),
        ) {
            let value = |sum: &Vec<i64>| sum.iter().zip(&point).map(|(a, b)| a * b).sum::<i64>();
            let reached: Vec<Equality> = rows.iter().map(|sum| (sum.clone(), value(sum))).collect();
            prop_assert_eq!(is_empty(reached.clone()), Some(false));
            let mut beside = reached;
            let doubled = beside[0].0.iter().map(|entry| 2 * entry).collect();
            beside.push((doubled, 2 * beside[0].1 + 1));
            prop_assert_eq!(is_empty(beside), Some(true));
        }
    }
}
