//! Conditions and bounds of a program as linear constraints.
//!
//! In: a condition, or the bound of a loop. Out: a formula without quantifiers that says the same. The bounds of a loop over phases are
//! not linear, but may follow from what is.

use super::{Comparison, Condition, IndexExpr};
use crate::obligation::Formula;
use systole_base::integer::{Affine, Polyhedron};

/// A condition in linear constraints; `None` where it has none.
pub fn formula(condition: &Condition) -> Option<Formula> {
    let Condition { comparison, left, right } = condition;
    match comparison {
        Comparison::Equal => {
            let (least, most) = (bounded(Comparison::AtLeast, left, right)?, bounded(Comparison::AtMost, left, right)?);
            Some(Formula::All(vec![least, most]))
        }
        comparison => bounded(*comparison, left, right),
    }
}

/// `left >= right` or `left <= right`: divisions by numbers, minima and maxima become linear constraints.
pub fn bounded(comparison: Comparison, left: &IndexExpr, right: &IndexExpr) -> Option<Formula> {
    match comparison {
        Comparison::AtLeast => at_least(left, right),
        Comparison::AtMost => at_least(right, left),
        Comparison::Equal => None,
    }
}

fn at_least(left: &IndexExpr, right: &IndexExpr) -> Option<Formula> {
    let each = |parts: &[IndexExpr], of: &dyn Fn(&IndexExpr) -> Option<Formula>| {
        parts.iter().map(of).collect::<Option<Vec<Formula>>>()
    };
    match (left, right) {
        (IndexExpr::Min(parts), _) => each(parts, &|part| at_least(part, right)).map(Formula::All),
        (IndexExpr::Max(parts), _) => each(parts, &|part| at_least(part, right)).map(Formula::Any),
        (_, IndexExpr::Max(parts)) => each(parts, &|part| at_least(left, part)).map(Formula::All),
        (_, IndexExpr::Min(parts)) => each(parts, &|part| at_least(left, part)).map(Formula::Any),
        // x <= floor(a / n) says n x <= a, and x >= ceil(a / n) says n x >= a.
        (IndexExpr::Floor(part, divisor), _) => {
            Some(Formula::at_least(&IndexExpr::as_affine(part)?, &(IndexExpr::as_affine(right)? * *divisor)))
        }
        (_, IndexExpr::Ceil(part, divisor)) => {
            Some(Formula::at_least(&(IndexExpr::as_affine(left)? * *divisor), &IndexExpr::as_affine(part)?))
        }
        // x >= floor(a / n) says n x > a - n, and x <= ceil(a / n) says n x < a + n.
        (_, IndexExpr::Floor(part, divisor)) => Some(Formula::less(
            &(IndexExpr::as_affine(part)? - Affine::constant(*divisor)),
            &(IndexExpr::as_affine(left)? * *divisor),
        )),
        (IndexExpr::Ceil(part, divisor), _) => Some(Formula::less(
            &(IndexExpr::as_affine(right)? * *divisor),
            &(IndexExpr::as_affine(part)? + Affine::constant(*divisor)),
        )),
        _ => Some(Formula::at_least(&IndexExpr::as_affine(left)?, &IndexExpr::as_affine(right)?)),
    }
}

/// Whether `at >= bound` or `at <= bound` at all points of a set. A loop over phases runs from the least of their first steps to the
/// greatest of their last, and a phase that is not there is put aside by a product, which is 0 where it is.
pub fn follows(inside: &Polyhedron, comparison: Comparison, at: &IndexExpr, bound: &IndexExpr) -> bool {
    let of = |part: &IndexExpr| follows(inside, comparison, at, part);
    match (comparison, bound) {
        (Comparison::AtLeast, IndexExpr::Min(parts)) | (Comparison::AtMost, IndexExpr::Max(parts)) => {
            parts.iter().any(of)
        }
        (Comparison::AtLeast, IndexExpr::Max(parts)) | (Comparison::AtMost, IndexExpr::Min(parts)) => {
            parts.iter().all(of)
        }
        _ => match (at.as_affine(), bound.as_affine()) {
            (Some(at), Some(bound)) => {
                let more = at - bound;
                (comparison == Comparison::AtMost || inside.implies(&more))
                    && (comparison == Comparison::AtLeast || inside.implies(&-more))
            }
            _ => in_phase(bound).is_some_and(|(base, mut forms)| {
                of(base) && forms.all(|form| form.as_affine().is_some_and(|form| inside.implies(&form)))
            }),
        },
    }
}

/// The value of a bound within its phase, and the forms that are at least 0 there: `base + min(0, forms ..) * max(0, ..)`, or the
/// difference.
fn in_phase(bound: &IndexExpr) -> Option<(&IndexExpr, impl Iterator<Item = &IndexExpr>)> {
    let (base, aside) = match bound {
        IndexExpr::Difference(base, aside) => (&**base, &**aside),
        IndexExpr::Sum(parts) => match parts.as_slice() {
            [base, aside] => (base, aside),
            _ => return None,
        },
        _ => return None,
    };
    let IndexExpr::Product(factors) = aside else { return None };
    let [IndexExpr::Min(forms), IndexExpr::Max(_)] = factors.as_slice() else { return None };
    let zero = IndexExpr::Constant(0);
    forms.contains(&zero).then(|| (base, forms.iter().filter(move |form| **form != zero)))
}
