//! Inequalities with the unknowns that they mention only.
//!
//! In: the rows and bounds of a [`LinearProblem`]. Out: each different left side once, with the strictest right side, in a
//! fixed order. Labels are gone: whoever needs them asks the problem.

use super::linear::LinearProblem;
use std::collections::BTreeMap;

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
        let least = strictest.entry(terms(&row.coefficients)).or_insert(row.least);
        *least = row.least.max(*least);
    }
    strictest.into_iter().map(|(terms, least)| Inequality { terms, least }).collect()
}
