//! Inequalities with the unknowns that they mention only.
//!
//! In: the rows and bounds of a [`LinearProblem`]. Out: each different left side once, with the strictest right side, in a
//! fixed order. Left sides have no common divisor, and right sides are rounded up, as the unknowns are integers: so `4 x = 3`, in two
//! rows, is `1 <= x <= 0` (Gomory, Outline of an algorithm for integer solutions to linear programs, 1958). Labels are gone: whoever
//! needs them asks the problem.

use super::linear::LinearProblem;
use std::collections::BTreeMap;
use systole_base::integer::gcd;

/// Unknowns, each once, with the multiple of it.
pub(super) type Terms = Vec<(usize, i64)>;

/// The sum of `terms` is `least` or more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Inequality {
    /// The left side.
    pub terms: Terms,
    /// The right side.
    pub least: i64,
}

/// The terms of a dense row.
pub(super) fn terms(coefficients: &[i64]) -> Terms {
    coefficients.iter().copied().enumerate().filter(|(_, factor)| *factor != 0).collect()
}

/// The terms with opposite signs; `None` where one does not fit.
pub(super) fn opposite(terms: &[(usize, i64)]) -> Option<Terms> {
    terms.iter().map(|(unknown, factor)| Some((*unknown, factor.checked_neg()?))).collect()
}

/// What the rows of a problem say.
pub(super) fn inequalities(problem: &LinearProblem) -> Vec<Inequality> {
    let mut strictest: BTreeMap<Terms, i64> = BTreeMap::new();
    for row in &problem.rows {
        let Inequality { terms, least } = rounded(terms(&row.coefficients), row.least);
        let known = strictest.entry(terms).or_insert(least);
        *known = least.max(*known);
    }
    strictest.into_iter().map(|(terms, least)| Inequality { terms, least }).collect()
}

/// The same for integers, without a common divisor on the left. The one number that has no magnitude is left as it is.
fn rounded(terms: Terms, least: i64) -> Inequality {
    let fits = terms.iter().all(|(_, factor)| *factor != i64::MIN);
    let divisor = terms.iter().fold(0, |divisor, (_, factor)| if fits { gcd(divisor, *factor) } else { 1 }).max(1);
    let least = least.div_euclid(divisor) + i64::from(least.rem_euclid(divisor) != 0);
    Inequality { terms: terms.into_iter().map(|(unknown, factor)| (unknown, factor / divisor)).collect(), least }
}

/// Whether two of the inequalities, with opposite left sides, have no solution together.
pub(super) fn have_clash(all: &[Inequality]) -> bool {
    opposed(all).any(|(_, room)| room < 0)
}

/// The inequalities that bound what others bound from the other side, each with the room between both: 0 where the two are an equality.
pub(super) fn opposed(all: &[Inequality]) -> impl Iterator<Item = (&Inequality, i64)> {
    let least: BTreeMap<&Terms, i64> = all.iter().map(|row| (&row.terms, row.least)).collect();
    all.iter().filter_map(move |row| {
        let other = opposite(&row.terms).and_then(|terms| least.get(&terms).copied())?;
        Some((row, other.checked_add(row.least)?.checked_neg()?))
    })
}
