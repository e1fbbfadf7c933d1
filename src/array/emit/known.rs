//! What is known while a program is written: decides conditions once and for all sizes, and drops bounds that never bind.

use crate::array::IndexExpr;
use crate::integer::{Affine, Bound, Polyhedron};

/// What a condition comes to where something is known.
pub enum Decision {
    /// It holds.
    Always,
    /// It fails.
    Never,
    /// It depends; these of its parts have to be tested.
    Test(Vec<Affine>),
}

/// Decides whether all of `conditions` (each `>= 0`) hold at the points of `known`.
pub fn decide(conditions: &[Affine], known: &Polyhedron) -> Decision {
    let excluded = |condition: &Affine| {
        let mut both = known.clone();
        both.add(condition.clone());
        both.is_empty()
    };
    if conditions.iter().any(excluded) {
        return Decision::Never;
    }
    let open: Vec<Affine> = conditions.iter().filter(|condition| !known.implies(condition)).cloned().collect();
    if open.is_empty() { Decision::Always } else { Decision::Test(open) }
}

/// `known`, and that `conditions` do not all hold; only a single condition can be negated.
pub fn assume_not(known: &Polyhedron, conditions: &[Affine]) -> Polyhedron {
    let mut narrowed = known.clone();
    if let [condition] = conditions {
        narrowed.add(negation(condition));
    }
    narrowed
}

/// `known`, and that `conditions` hold.
pub fn assume(known: &Polyhedron, conditions: &[Affine]) -> Polyhedron {
    let mut narrowed = known.clone();
    conditions.iter().for_each(|condition| narrowed.add(condition.clone()));
    narrowed
}

/// `form < 0` as `.. >= 0`.
pub fn negation(form: &Affine) -> Affine {
    -form.clone() - Affine::constant(1)
}

/// The least value that lower bounds allow.
pub fn lower_expression(bounds: &[Bound], known: &Polyhedron) -> IndexExpr {
    let weaker = |bound: &Bound, other: &Bound| known.implies(&(other.form.clone() - bound.form.clone()));
    let parts = binding(bounds, weaker);
    let text = |bound: &Bound| match bound.coefficient {
        1 => IndexExpr::affine(&bound.form),
        divisor => IndexExpr::Ceil(Box::new(IndexExpr::affine(&bound.form)), divisor),
    };
    combine(parts.iter().map(text).collect(), IndexExpr::Max)
}

/// The greatest value that upper bounds allow.
pub fn upper_expression(bounds: &[Bound], known: &Polyhedron) -> IndexExpr {
    let weaker = |bound: &Bound, other: &Bound| known.implies(&(bound.form.clone() - other.form.clone()));
    let parts = binding(bounds, weaker);
    let text = |bound: &Bound| match bound.coefficient {
        1 => IndexExpr::affine(&bound.form),
        divisor => IndexExpr::Floor(Box::new(IndexExpr::affine(&bound.form)), divisor),
    };
    combine(parts.iter().map(text).collect(), IndexExpr::Min)
}

/// The least of several lower ends, each the greatest value of its bounds.
pub fn least_expression(ends: &[Vec<Bound>], known: &Polyhedron) -> IndexExpr {
    let below = |one: &Bound, other: &Bound| known.implies(&(other.form.clone() - one.form.clone()));
    let ends = unrivalled(ends, below);
    combine(ends.iter().map(|end| lower_expression(end, known)).collect(), IndexExpr::Min)
}

/// The greatest of several upper ends, each the least value of its bounds.
pub fn greatest_expression(ends: &[Vec<Bound>], known: &Polyhedron) -> IndexExpr {
    let above = |one: &Bound, other: &Bound| known.implies(&(one.form.clone() - other.form.clone()));
    let ends = unrivalled(ends, above);
    combine(ends.iter().map(|end| upper_expression(end, known)).collect(), IndexExpr::Max)
}

/// The ends left when those that another one always reaches are dropped, one after the other.
fn unrivalled(ends: &[Vec<Bound>], reaches: impl Fn(&Bound, &Bound) -> bool) -> Vec<Vec<Bound>> {
    let mut left = ends.to_vec();
    let mut position = 0;
    while position < left.len() {
        let others = left.iter().enumerate().filter(|(other, _)| *other != position).map(|(_, end)| end);
        if others.into_iter().any(|other| is_reached(&left[position], other, &reaches)) {
            left.remove(position);
        } else {
            position += 1;
        }
    }
    left
}

/// Whether each bound of `by` reaches as far as some bound of `end`.
pub fn is_reached(end: &[Bound], by: &[Bound], reaches: impl Fn(&Bound, &Bound) -> bool) -> bool {
    let plain = |bound: &&Bound| bound.coefficient == 1;
    by.iter().all(|bound| bound.coefficient == 1 && end.iter().filter(plain).any(|other| reaches(bound, other)))
}

fn combine(mut parts: Vec<IndexExpr>, join: impl Fn(Vec<IndexExpr>) -> IndexExpr) -> IndexExpr {
    if parts.len() == 1 { parts.remove(0) } else { join(parts) }
}

/// The bounds left when those that another one implies are dropped, one after the other.
fn binding(bounds: &[Bound], weaker: impl Fn(&Bound, &Bound) -> bool) -> Vec<Bound> {
    let mut left = bounds.to_vec();
    left.sort();
    left.dedup();
    let mut position = 0;
    while position < left.len() {
        let bound = &left[position];
        let others = left.iter().enumerate().filter(|(other, _)| *other != position).map(|(_, other)| other);
        let plain = |other: &&Bound| bound.coefficient == 1 && other.coefficient == 1;
        if others.filter(plain).any(|other| weaker(bound, other)) {
            left.remove(position);
        } else {
            position += 1;
        }
    }
    left
}
