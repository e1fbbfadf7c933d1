//! Numbers between parametric ends: the statements of a process, the elements of a pipe.
//!
//! In: a polyhedron over one number, coordinates and sizes. Out: the range of the number in closed form, its first and last
//! value in cases. Case `i` of the first value is lower bound `i`, where all constraints hold at it: the rule of the
//! report's section 7.2.2 (solve with one bound tight, the rest within bounds), for any polyhedron.

use super::cases::{Case, Cases, drop_implied};
use super::context::Context;
use systole_base::integer::{Affine, Bindings, Name, Polyhedron};

/// The whole numbers from the largest of `lower` to the smallest of `upper`, where every form of `guard` is at least 0;
/// none elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// Lower ends, at least one.
    pub lower: Vec<Affine>,
    /// Upper ends, at least one.
    pub upper: Vec<Affine>,
    /// What does not depend on the number.
    pub guard: Vec<Affine>,
}

impl Range {
    /// The range of `number` in `set`; `None` where it has no end. Nothing is kept that `context` knows already.
    pub(super) fn of(set: &Polyhedron, number: &Name, context: &mut Context) -> Option<Range> {
        let set = drop_implied(set, &context.known);
        let (low, high) = set.bounds(number);
        let lower: Vec<Affine> = low.iter().map(|bound| context.ceiling(&bound.form, bound.coefficient)).collect();
        let upper: Vec<Affine> = high.iter().map(|bound| context.floor(&bound.form, bound.coefficient)).collect();
        let free = set.constraints().iter().filter(|form| form.coefficient(number) == 0).cloned();
        let guard: Vec<Affine> = free.collect();
        (!lower.is_empty() && !upper.is_empty()).then_some(Range { lower, upper, guard })
    }

    /// Where the range has a number: every form is at least 0.
    pub fn conditions(&self) -> Vec<Affine> {
        let spans = self.lower.iter().flat_map(|low| self.upper.iter().map(move |high| high.clone() - low.clone()));
        self.guard.iter().cloned().chain(spans).collect()
    }

    /// Where `number` is in the range: every form is at least 0.
    pub fn conditions_for(&self, number: &Affine) -> Vec<Affine> {
        let above = self.lower.iter().map(|low| number.clone() - low.clone());
        let below = self.upper.iter().map(|high| high.clone() - number.clone());
        self.guard.iter().cloned().chain(above).chain(below).collect()
    }

    /// The first number.
    pub fn first(&self) -> Cases<Affine> {
        self.ends(&self.lower)
    }

    /// The last number.
    pub fn last(&self) -> Cases<Affine> {
        self.ends(&self.upper)
    }

    /// How many numbers, where there is one.
    pub fn count(&self) -> Cases<Affine> {
        self.first().join(&self.last(), |first, last| last.clone() - first.clone() + Affine::constant(1))
    }

    fn ends(&self, ends: &[Affine]) -> Cases<Affine> {
        let case = |end: &Affine| Case { guard: Polyhedron::new(self.conditions_for(end)), value: end.clone() };
        Cases::new(ends.iter().map(case).collect())
    }

    /// First and last number; `None` where there is none. `at` binds coordinates, sizes and quotients.
    pub fn evaluate(&self, at: &Bindings) -> Option<(i64, i64)> {
        let values = |forms: &[Affine]| forms.iter().map(|form| form.evaluate(at)).collect::<Option<Vec<i64>>>();
        let guarded = values(&self.guard)?.into_iter().all(|value| value >= 0);
        let (first, last) = (values(&self.lower)?.into_iter().max()?, values(&self.upper)?.into_iter().min()?);
        (guarded && first <= last).then_some((first, last))
    }
}
