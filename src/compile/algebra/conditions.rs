//! What laws need to know of conditions on indices: which equation is about an element, and where a term is masked.
//!
//! In: the terms of all equations. Out: in the frame, of each element of a tensor with two equations a choice between what these say, by
//! the condition that tells them apart; and for each condition that is compared within a reduction the index that has the values at which it
//! holds. These are definitions and names. That terms may be left out where a mask hides them is the matter of `rules/algebra`.
//!
//! So causal attention written on the square, with scores of -infinity above the diagonal, becomes attention on the triangle, and half of its
//! operations are gone.

use super::written::{Root, Writer, scope_of};
use crate::rewrite::{Language, RecExpr, Term, compared};
use std::collections::BTreeSet;
use systole_base::integer::{Affine, Name, Polyhedron, name};

impl Writer<'_> {
    /// Notes for each element of a tensor with two equations what both say of it.
    pub fn define_cases(&mut self) {
        for (tensor, subscripts) in self.undecided.clone() {
            let Some([one, other]) = self.cases.get(&tensor).and_then(|cases| <[usize; 2]>::try_from(&cases[..]).ok())
            else {
                continue;
            };
            let choices = [[one, other], [other, one]];
            let condition = |[then, _]: [usize; 2]| self.only_condition(then, &subscripts);
            let Some((form, equations)) = choices.into_iter().find_map(|pair| Some((condition(pair)?, pair))) else {
                continue;
            };
            let term = self.choice(&form, equations, &subscripts);
            self.frame.define(&tensor, &subscripts, term);
        }
    }

    /// The only form that has to be at least 0 for an equation to be about an element.
    fn only_condition(&self, position: usize, subscripts: &[Affine]) -> Option<Affine> {
        let equation = &self.system.equations[position];
        let domain = equation.domain.set.substitute(&scope_of(equation, subscripts));
        let around = self.frame.surroundings(subscripts.iter());
        match domain.irredundant(&around).constraints() {
            [form] => Some(form.clone()),
            _ => None,
        }
    }

    /// Names the values of each index that is reduced over at which a condition holds.
    pub fn name_parts(&mut self, roots: &[Root], definitions: &[Root]) {
        let known = self.frame.definitions().into_iter().map(|known| known.term.clone());
        let terms: Vec<RecExpr<Term>> =
            roots.iter().chain(definitions).map(|root| root.term.clone()).chain(known).collect();
        let bound: BTreeSet<Name> = terms.iter().flat_map(bound_names).collect();
        let compared: BTreeSet<Affine> = terms.iter().flat_map(|term| self.comparisons(term)).collect();
        for form in &compared {
            for index in bound.iter().filter(|index| form.coefficient(index).abs() == 1) {
                if let Some(part) = self.part_where(index, form) {
                    self.frame.note_within(index, form, &part);
                }
            }
        }
    }

    /// The index with the values of another one at which `form` is not below 0, where these are from one form to another.
    fn part_where(&mut self, index: &Name, form: &Affine) -> Option<Name> {
        let range = &self.frame.index(index)?.range;
        let mut all = range.constraints().to_vec();
        all.push(form.clone());
        let whole = Polyhedron::new(all);
        let others: Vec<Affine> =
            whole.variables().iter().filter(|other| *other != index).map(Affine::variable).collect();
        let part = whole.irredundant(&self.frame.surroundings(others.iter()));
        let (lower, upper) = part.bounds(index);
        let is_plain = lower.len() == 1 && upper.len() == 1;
        if is_plain { self.part_of(index, &part) } else { None }
    }

    /// The forms that are not below 0 where the comparisons of indices in a term hold, and where one that may be turned round does not.
    fn comparisons(&self, term: &RecExpr<Term>) -> Vec<Affine> {
        let form = |node: &Term| match node {
            Term::Index(access) => match &term[*access] {
                Term::Access(access) => self.frame.access(*access)?.first().cloned(),
                _ => None,
            },
            Term::Number(number) if number.value().fract() == 0.0 => Some(Affine::constant(number.value() as i64)),
            _ => None,
        };
        let compared = |node: &Term| {
            let (Term::Other(word, _), [left, right]) = (node, node.children()) else { return None };
            let (left, right) = (form(&term[*left])?, form(&term[*right])?);
            let flipped = (word.as_str() == "lt").then(|| left.clone() - right.clone());
            Some(compared(word.as_str(), &left, &right).into_iter().chain(flipped))
        };
        term.as_ref().iter().filter_map(compared).flatten().collect()
    }
}

/// The indices that reductions in a term bind.
fn bound_names(term: &RecExpr<Term>) -> Vec<Name> {
    let bound = |node: &Term| match node {
        Term::Reduce([_, _, index, _]) => match &term[*index] {
            Term::Other(word, _) => Some(name(word.as_str())),
            _ => None,
        },
        _ => None,
    };
    term.as_ref().iter().filter_map(bound).collect()
}
