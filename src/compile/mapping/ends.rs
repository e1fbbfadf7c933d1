//! Ends of ranges as program text: the least and the greatest value that bounds leave, for all sizes at once.
//!
//! In: bounds, sets of points with a form over each, and what is known of the sizes. Out: expressions without the bounds that
//! never bind. Of several sets the outermost end is taken, among those that have points at the sizes of the run.

use std::collections::BTreeMap;
use systole_base::integer::{Affine, Bound, Name, Polyhedron, name};
use systole_program::array::IndexExpr;

/// A form over the points of a set.
#[derive(Clone, Debug)]
pub struct Ranged<'a> {
    /// The points, over the indices and what is known of from outside.
    pub set: Polyhedron,
    /// The indices.
    pub indices: &'a [Name],
    /// The form.
    pub form: Affine,
}

impl Ranged<'_> {
    /// The lower and the upper bounds of the form.
    pub fn bounds(&self) -> (Vec<Bound>, Vec<Bound>) {
        let marker = Affine::variable(&name("the value"));
        let equal = self.form.clone() - marker;
        bounds_of_value(self.set.clone(), [equal.clone(), -equal], self.indices)
    }

    fn end(&self, side: Side, known: &Polyhedron) -> End {
        let sizes = self.set.eliminate_all(self.indices.iter().rev());
        let open = sizes.constraints().iter().filter(|condition| !known.implies(condition)).cloned().collect();
        let (lower, upper) = self.bounds();
        End { bounds: if matches!(side, Side::Lower) { lower } else { upper }, open }
    }
}

/// The bounds of `the value` over a set, where `ties` join it to the set's indices.
pub fn bounds_of_value(
    mut set: Polyhedron,
    ties: impl IntoIterator<Item = Affine>,
    indices: &[Name],
) -> (Vec<Bound>, Vec<Bound>) {
    ties.into_iter().for_each(|form| set.add(form));
    set.eliminate_all(indices.iter().rev()).substitute(&BTreeMap::new()).bounds(&name("the value"))
}

/// The least of all values: of those sets that have points at the sizes of the run.
pub fn least_value(all: &[Ranged], known: &Polyhedron) -> IndexExpr {
    Side::Lower.outermost_value(all, known)
}

/// The least and the greatest of all values, of those sets that have points at the sizes of the run.
pub fn range_of_values(all: &[Ranged], known: &Polyhedron) -> [IndexExpr; 2] {
    [Side::Lower, Side::Upper].map(|side| {
        let mut ends: Vec<End> = all.iter().map(|set| set.end(side, known)).collect();
        let always: Vec<End> = ends.iter().filter(|end| end.open.is_empty()).cloned().collect();
        for end in &mut ends {
            if always.iter().any(|other| other.covers_if_empty(end, side, known)) {
                end.open.clear();
            }
        }
        side.outermost_end(ends, known)
    })
}

/// The end of the values of one set.
#[derive(Clone)]
struct End {
    bounds: Vec<Bound>,
    /// Forms that are 0 or more where the set has points; none where it always has some.
    open: Vec<Affine>,
}

impl End {
    /// Whether it has points wherever `other` has some, and reaches as far.
    fn replaces(&self, other: &End, side: Side, known: &Polyhedron) -> bool {
        let known = assume(known, &other.open);
        let reaches = |one: &Bound, other: &Bound| side.is_outside(one, other, &known);
        self.open.iter().all(|condition| known.implies(condition)) && is_reached(&other.bounds, &self.bounds, reaches)
    }

    /// Whether it reaches as far as `other` says wherever that has no points, so that nothing has to ask whether it has some.
    fn covers_if_empty(&self, other: &End, side: Side, known: &Polyhedron) -> bool {
        other.open.iter().all(|condition| {
            let known = assume(known, &[-condition.clone() - Affine::constant(1)]);
            let reaches = |one: &Bound, other: &Bound| side.is_outside(one, other, &known);
            is_reached(&other.bounds, &self.bounds, reaches)
        })
    }

    /// The end; `innermost` or further in where there are no points: one of the forms is then -1 or less.
    fn unless_empty(&self, innermost: &IndexExpr, side: Side, known: &Polyhedron) -> IndexExpr {
        let end = side.expression(&self.bounds, known);
        if self.open.is_empty() || end == *innermost {
            return end;
        }
        let zero = || IndexExpr::Constant(0);
        let missing = IndexExpr::Min(std::iter::once(zero()).chain(self.open.iter().map(IndexExpr::affine)).collect());
        let difference = |a: IndexExpr, b: IndexExpr| IndexExpr::Difference(Box::new(a), Box::new(b));
        let inwards = match side {
            Side::Lower => difference(innermost.clone(), end.clone()),
            Side::Upper => difference(end.clone(), innermost.clone()),
        };
        let way = IndexExpr::Product(vec![missing, IndexExpr::Max(vec![zero(), inwards])]);
        match side {
            Side::Lower => difference(end, way),
            Side::Upper => IndexExpr::Sum(vec![end, way]),
        }
    }
}

/// `known`, and that `conditions` hold.
pub fn assume(known: &Polyhedron, conditions: &[Affine]) -> Polyhedron {
    let mut narrowed = known.clone();
    conditions.iter().for_each(|condition| narrowed.add(condition.clone()));
    narrowed
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

    /// The outermost value of several sets.
    fn outermost_value(self, all: &[Ranged], known: &Polyhedron) -> IndexExpr {
        self.outermost_end(all.iter().map(|set| set.end(self, known)).collect(), known)
    }

    fn outermost_end(self, all: Vec<End>, known: &Polyhedron) -> IndexExpr {
        let left: Vec<End> = left_by_others(all, |one, other| other.replaces(one, self, known));
        let ends: Vec<Vec<Bound>> = left.iter().map(|end| end.bounds.clone()).collect();
        if left.len() == 1 || left.iter().all(|end| end.open.is_empty()) {
            return self.outermost(&ends, known);
        }
        let each = distinct(ends.iter().map(|end| self.expression(end, known)));
        let innermost = match self {
            Side::Lower => combine(each, IndexExpr::Max),
            Side::Upper => combine(each, IndexExpr::Min),
        };
        let parts = distinct(left.iter().map(|end| end.unless_empty(&innermost, self, known)));
        match self {
            Side::Lower => combine(parts, IndexExpr::Min),
            Side::Upper => combine(parts, IndexExpr::Max),
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

/// Each once, in the order in which they come.
fn distinct(parts: impl Iterator<Item = IndexExpr>) -> Vec<IndexExpr> {
    let mut all = vec![];
    for part in parts {
        if !all.contains(&part) {
            all.push(part);
        }
    }
    all
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
