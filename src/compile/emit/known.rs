//! What is known while a program is written: decides conditions once and for all sizes, and drops bounds that never bind.

use systole_base::integer::{Affine, Bound, Polyhedron};
use systole_program::array::IndexExpr;

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
    Side::Lower.expression(bounds, known)
}

/// The greatest value that upper bounds allow.
pub fn upper_expression(bounds: &[Bound], known: &Polyhedron) -> IndexExpr {
    Side::Upper.expression(bounds, known)
}

/// The least of several lower ends, each the greatest value of its bounds.
pub fn least_expression(ends: &[Vec<Bound>], known: &Polyhedron) -> IndexExpr {
    Side::Lower.outermost(ends, known)
}

/// The greatest of several upper ends, each the least value of its bounds.
pub fn greatest_expression(ends: &[Vec<Bound>], known: &Polyhedron) -> IndexExpr {
    Side::Upper.outermost(ends, known)
}

/// A side of ranges: the bounds of an end on it, and which of several values is the end.
#[derive(Clone, Copy)]
enum Side {
    Lower,
    Upper,
}

impl Side {
    /// Whether the end that `bound` gives never lies inside that of `other`.
    fn is_outside(self, bound: &Bound, other: &Bound, known: &Polyhedron) -> bool {
        known.implies(&match self {
            Side::Lower => other.form.clone() - bound.form.clone(),
            Side::Upper => bound.form.clone() - other.form.clone(),
        })
    }

    /// The end that one bound gives.
    fn end(self, bound: &Bound) -> IndexExpr {
        let form = IndexExpr::affine(&bound.form);
        match (self, bound.coefficient) {
            (_, 1) => form,
            (Side::Lower, divisor) => IndexExpr::Ceil(Box::new(form), divisor),
            (Side::Upper, divisor) => IndexExpr::Floor(Box::new(form), divisor),
        }
    }

    /// The end that bounds give together.
    fn expression(self, bounds: &[Bound], known: &Polyhedron) -> IndexExpr {
        let parts = binding(bounds, |bound, other| self.is_outside(bound, other, known));
        let parts = parts.iter().map(|bound| self.end(bound)).collect();
        match self {
            Side::Lower => combine(parts, IndexExpr::Max),
            Side::Upper => combine(parts, IndexExpr::Min),
        }
    }

    /// The outermost of several ends.
    fn outermost(self, ends: &[Vec<Bound>], known: &Polyhedron) -> IndexExpr {
        let ends = unrivalled(ends, |one, other| self.is_outside(one, other, known));
        let parts = ends.iter().map(|end| self.expression(end, known)).collect();
        match self {
            Side::Lower => combine(parts, IndexExpr::Min),
            Side::Upper => combine(parts, IndexExpr::Max),
        }
    }
}

/// The ends left when those that another one always reaches are dropped, one after the other.
fn unrivalled(ends: &[Vec<Bound>], reaches: impl Fn(&Bound, &Bound) -> bool) -> Vec<Vec<Bound>> {
    left_by_others(ends.to_vec(), |end, other| is_reached(end, other, &reaches))
}

/// What is left when each part that one of the others replaces is dropped, one after the other.
pub fn left_by_others<T>(mut left: Vec<T>, is_replaced: impl Fn(&T, &T) -> bool) -> Vec<T> {
    let mut position = 0;
    while position < left.len() {
        let mut others = left.iter().enumerate().filter(|(other, _)| *other != position).map(|(_, other)| other);
        if others.any(|other| is_replaced(&left[position], other)) {
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
fn binding(bounds: &[Bound], is_weaker: impl Fn(&Bound, &Bound) -> bool) -> Vec<Bound> {
    let mut left = bounds.to_vec();
    left.sort();
    left.dedup();
    let are_plain = |bound: &Bound, other: &Bound| bound.coefficient == 1 && other.coefficient == 1;
    left_by_others(left, |bound, other| are_plain(bound, other) && is_weaker(bound, other))
}
