//! Piecewise values: what the scheme computes, as guards over coordinates and sizes with a linear form each.
//!
//! Guards may overlap; where they do, the values agree. Where no guard holds there is no value, which the report writes as
//! null. Guards and values may mention the [`Quotient`](super::Quotient)s of the scheme. Report, sections 7.2.2 and 7.4.

use systole_base::integer::{Affine, Bindings, Polyhedron, Vector};

/// A value, and where it is the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case<T> {
    /// Where.
    pub guard: Polyhedron,
    /// What.
    pub value: T,
}

/// A value in cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cases<T> {
    cases: Vec<Case<T>>,
}

impl<T> Cases<T> {
    /// The value with these cases.
    pub fn new(cases: Vec<Case<T>>) -> Cases<T> {
        Cases { cases }
    }

    /// The cases, in the order in which a reader should try them.
    pub fn iter(&self) -> impl Iterator<Item = &Case<T>> {
        self.cases.iter()
    }

    /// The same guards with other values.
    pub fn map<U>(&self, value: impl Fn(&T) -> U) -> Cases<U> {
        let change = |case: &Case<T>| Case { guard: case.guard.clone(), value: value(&case.value) };
        Cases::new(self.cases.iter().map(change).collect())
    }

    /// Every pair of cases, where both guards hold.
    pub fn join<U, V>(&self, other: &Cases<U>, value: impl Fn(&T, &U) -> V) -> Cases<V> {
        let pairs = self.cases.iter().flat_map(|mine| other.cases.iter().map(move |theirs| (mine, theirs)));
        let pair = |(mine, theirs): (&Case<T>, &Case<U>)| Case {
            guard: mine.guard.intersect(&theirs.guard),
            value: value(&mine.value, &theirs.value),
        };
        Cases::new(pairs.map(pair).collect())
    }

    /// The values whose guards hold; `at` binds coordinates, sizes and quotients.
    pub fn enabled<'a>(&'a self, at: &'a Bindings) -> impl Iterator<Item = &'a T> {
        self.cases.iter().filter(|case| case.guard.contains(at)).map(|case| &case.value)
    }

    /// The same value with less text, for points of `known` only: without cases that never hold or that another one
    /// covers, and without constraints that the rest implies.
    pub(super) fn simplify(self, known: &Polyhedron) -> Cases<T> {
        let holds = |case: &Case<T>| !case.guard.intersect(known).is_empty();
        let mut left: Vec<Case<T>> = self.cases.into_iter().filter(holds).collect();
        let mut position = 0;
        while position < left.len() {
            let mine = left[position].guard.intersect(known);
            let covers = |guard: &Polyhedron| guard.constraints().iter().all(|form| mine.implies(form));
            if left.iter().enumerate().any(|(other, case)| other != position && covers(&case.guard)) {
                left.remove(position);
            } else {
                position += 1;
            }
        }
        left.iter_mut().for_each(|case| case.guard = drop_implied(&case.guard, known));
        Cases::new(left)
    }
}

impl Cases<Affine> {
    /// The value; `None` where no guard holds.
    pub fn at(&self, at: &Bindings) -> Option<i64> {
        self.enabled(at).next()?.evaluate(at)
    }
}

impl Cases<Vec<Affine>> {
    /// The value; `None` where no guard holds.
    pub fn at(&self, at: &Bindings) -> Option<Vector> {
        self.enabled(at).next()?.iter().map(|form| form.evaluate(at)).collect()
    }
}

/// The constraints of `set` that neither `known` nor the others imply.
pub(super) fn drop_implied(set: &Polyhedron, known: &Polyhedron) -> Polyhedron {
    let mut left = set.constraints().to_vec();
    let mut position = 0;
    while position < left.len() {
        let others = left.iter().enumerate().filter(|(other, _)| *other != position).map(|(_, form)| form.clone());
        if known.intersect(&Polyhedron::new(others)).implies(&left[position]) {
            left.remove(position);
        } else {
            position += 1;
        }
    }
    Polyhedron::new(left)
}
