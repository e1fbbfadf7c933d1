//! The value of a term of the algebra at a point: an interpreter that knows no law.
//!
//! In: a frame, declared monoids, sizes, arrays for all tensors that terms read. Out: numbers. A reduction runs over the index's values in
//! ascending order and starts from its first term; a window or a range that grows is the reduction that it is equal to. Steps of
//! explanations and random instances of laws are tried with it.

use crate::integer::{Affine, Bindings, Name, Polyhedron, name};
use crate::recurrence::{Function, Operator, Tensors};
use crate::rewrite::{Frame, Id, Monoid, RecExpr, Symbol, Term};
use std::collections::BTreeMap;

/// Where terms have values.
#[derive(Clone, Copy, Debug)]
pub struct World<'a> {
    /// The indices.
    pub frame: &'a Frame,
    /// The operators on tuples.
    pub monoids: &'a [Monoid],
    /// The size parameters.
    pub sizes: &'a Bindings,
    /// Every tensor that is read.
    pub tensors: &'a Tensors,
}

impl World<'_> {
    /// The value of `term` where the indices have the values that `point` gives them beside the sizes; `None` for what is no number: a
    /// tuple, an element outside its tensor, an operator that is not known.
    pub fn value(&self, term: &RecExpr<Term>, point: &Bindings) -> Option<f64> {
        match self.components(term, term.root(), point)?.as_slice() {
            [value] => Some(*value),
            _ => None,
        }
    }

    /// The components of a term whose value is a tuple; the only one where it is a number.
    pub fn tuple(&self, term: &RecExpr<Term>, point: &Bindings) -> Option<Vec<f64>> {
        self.components(term, term.root(), point)
    }

    /// All points of these indices at once, the first index slowest; `None` where there are too many.
    pub fn points(&self, indices: &[Name]) -> Option<Vec<Bindings>> {
        let ranges = indices.iter().filter_map(|index| self.frame.index(index));
        let set = ranges.fold(Polyhedron::default(), |set, index| set.intersect(&index.range));
        let others: Vec<Name> = self.frame.indices().iter().map(|index| index.name.clone()).collect();
        let set = set.eliminate_all(others.iter().filter(|other| !indices.contains(other)));
        let at = |point: Vec<i64>| -> Bindings {
            let sizes = self.sizes.iter().map(|(size, value)| (size.clone(), *value));
            sizes.chain(indices.iter().cloned().zip(point)).collect()
        };
        Some(set.points(indices, self.sizes)?.into_iter().map(at).collect())
    }

    fn components(&self, term: &RecExpr<Term>, id: Id, point: &Bindings) -> Option<Vec<f64>> {
        let one = |id: Id| match self.components(term, id, point)?.as_slice() {
            [value] => Some(*value),
            _ => None,
        };
        match &term[id] {
            Term::Number(number) => Some(vec![number.value()]),
            Term::Index(access) => Some(vec![self.access(term, *access)?.first()?.evaluate(point)? as f64]),
            Term::At([tensor, access]) => Some(vec![self.element(term, *tensor, *access, point)?]),
            Term::Count([_, index]) => Some(vec![self.values(&term[*index].to_string(), point)?.len() as f64]),
            Term::Reduce([_, operator, index, body])
            | Term::Running([_, operator, index, body])
            | Term::Paired([_, operator, index, body]) => {
                self.reduced(term, (&term[*operator].to_string(), *index), *body, point)
            }
            Term::Sliding([_, index, body]) => self.reduced(term, ("sum", *index), *body, point),
            Term::Mirrored([_, whole]) => self.components(term, *whole, point),
            Term::Pair([first, rest]) => {
                let mut all = self.components(term, *first, point)?;
                all.extend(self.components(term, *rest, point)?);
                Some(all)
            }
            Term::Part([number, tuple]) => {
                let position = one(*number)? as usize;
                self.components(term, *tuple, point)?.get(position).map(|value| vec![*value])
            }
            Term::Other(word, children) => {
                let function = Function::from_keyword(word.as_str()).filter(|known| known.arity() == children.len())?;
                let arguments: Vec<f64> = children.iter().map(|child| one(*child)).collect::<Option<_>>()?;
                Some(vec![function.apply(&arguments)])
            }
            _ => None,
        }
    }

    fn access(&self, term: &RecExpr<Term>, access: Id) -> Option<&[Affine]> {
        match term[access] {
            Term::Access(text) => self.frame.access(text),
            _ => None,
        }
    }

    fn element(&self, term: &RecExpr<Term>, tensor: Id, access: Id, point: &Bindings) -> Option<f64> {
        let array = self.tensors.get(&name(&term[tensor].to_string()))?;
        let at = self.access(term, access)?.iter().map(|form| usize::try_from(form.evaluate(point)?).ok());
        array.get(&at.collect::<Option<Vec<usize>>>()?[..]).copied()
    }

    /// The values that an index takes at a point.
    fn values(&self, index: &str, point: &Bindings) -> Option<Vec<i64>> {
        let (low, high) = self.frame.ends(Symbol::from(index))?;
        Some((low.evaluate(point)?..=high.evaluate(point)?).collect())
    }

    /// The points that a reduction at a point goes through, in its order.
    fn within(&self, term: &RecExpr<Term>, index: Id, point: &Bindings) -> Option<Vec<Bindings>> {
        match term[index] {
            Term::Both([outer, inner]) => {
                let outer = self.within(term, outer, point)?;
                let all = outer.iter().map(|point| self.within(term, inner, point));
                Some(all.collect::<Option<Vec<_>>>()?.concat())
            }
            Term::Turned([index, first]) => {
                let mut all = self.within(term, index, point)?;
                let before = usize::try_from(*point.get(&name(&term[first].to_string()))?).ok()?;
                let begin = before.checked_rem(all.len())?;
                all.rotate_right(begin);
                Some(all)
            }
            ref leaf => {
                let index = leaf.to_string();
                let at = |value: i64| {
                    point.iter().map(|(name, value)| (name.clone(), *value)).chain([(name(&index), value)])
                };
                Some(self.values(&index, point)?.into_iter().map(|value| at(value).collect()).collect())
            }
        }
    }

    fn reduced(
        &self,
        term: &RecExpr<Term>,
        (operator, index): (&str, Id),
        body: Id,
        point: &Bindings,
    ) -> Option<Vec<f64>> {
        let mut total: Option<Vec<f64>> = None;
        for inside in self.within(term, index, point)? {
            let next = self.components(term, body, &inside)?;
            total = Some(match total {
                Some(before) => self.combined(operator, &before, &next)?,
                None => next,
            });
        }
        total.or_else(|| self.neutral(operator))
    }

    fn combined(&self, operator: &str, before: &[f64], next: &[f64]) -> Option<Vec<f64>> {
        if let Some(operator) = Operator::from_keyword(operator) {
            let pairs = before.iter().zip(next);
            return Some(pairs.map(|(before, next)| operator.combine(*before, *next)).collect());
        }
        let monoid = self.monoids.iter().find(|monoid| monoid.name == operator)?;
        let names = monoid.left.iter().zip(before).chain(monoid.right.iter().zip(next));
        let names: BTreeMap<&str, f64> = names.map(|(name, value)| (name.as_str(), *value)).collect();
        monoid.values.iter().map(|value| scalar(value, value.root(), &names)).collect()
    }

    fn neutral(&self, operator: &str) -> Option<Vec<f64>> {
        if let Some(operator) = Operator::from_keyword(operator) {
            return Some(vec![operator.neutral()]);
        }
        self.monoids.iter().find(|monoid| monoid.name == operator).map(|monoid| monoid.neutral.clone())
    }
}

/// The value of a monoid's component, given its names.
fn scalar(value: &RecExpr<Term>, id: Id, names: &BTreeMap<&str, f64>) -> Option<f64> {
    match &value[id] {
        Term::Number(number) => Some(number.value()),
        Term::Other(word, children) if children.is_empty() => names.get(word.as_str()).copied(),
        Term::Other(word, children) => {
            let arguments: Vec<f64> =
                children.iter().map(|child| scalar(value, *child, names)).collect::<Option<_>>()?;
            Some(Function::from_keyword(word.as_str())?.apply(&arguments))
        }
        _ => None,
    }
}
