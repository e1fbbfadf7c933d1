//! Equalities in the `where` of a reduction.
//!
//! In: `sum(j in 0..N, k in 0..K where 2*j + k == i) x[j] * h[k]`. Out: `sum(j in 0..N where 0 <= i - 2*j < K) x[j] * h[i - 2*j]`. An
//! equality says what one index is where the others are given. So that index is gone, and its range is one of those that are left.
//! The terms keep their order. Where `2*j == i` alone says the index, it is `i div 2`, and there is a term where `i mod 2` is 0.

use super::Lowering;
use super::reductions::with_holes;
use crate::recurrence::{Expr, Operator};
use crate::syntax::ast::Half;
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron};
use systole_base::scalar::Function;
use systole_base::span::Span;

/// An index of a reduction.
pub(super) struct Ranged {
    pub(super) index: Name,
    /// The values that it counts.
    pub(super) range: Polyhedron,
    /// What the index is, in terms of the number of its step.
    pub(super) value: Option<Affine>,
}

/// A form that is 0, and where that is said.
pub(super) type Equality = (Affine, Span);

/// A reduction while equalities are solved.
pub(super) struct Solved {
    pub(super) operator: Operator,
    /// The indices of the equation.
    pub(super) free: Vec<Name>,
    /// The indices that are left, the outermost first.
    pub(super) indices: Vec<Ranged>,
    pub(super) body: Expr,
    /// What each index is that is gone, the first one first.
    pub(super) gone: Vec<BTreeMap<Name, Affine>>,
}

impl Lowering<'_> {
    /// Leaves out the indices that equalities say. One that says none is part of the innermost range that it names.
    pub(super) fn solve_equalities(&mut self, mut equalities: Vec<Equality>, solved: &mut Solved) -> Option<()> {
        while !equalities.is_empty() {
            // Those among indices first: they leave less to divide.
            let named = |(form, _): &Equality| {
                solved.indices.iter().filter(|ranged| form.coefficient(&ranged.index) != 0).count()
            };
            let most = equalities.iter().map(named).max();
            let next = equalities.iter().position(|equality| Some(named(equality)) == most).unwrap_or(0);
            let equality = equalities.remove(next);
            let Some((place, value)) = self.said_index(&equality, solved)? else {
                let (form, _) = equality;
                [form.clone(), -form].into_iter().for_each(|form| self.add_range(form, solved));
                continue;
            };
            let Ranged { index, range, .. } = solved.indices.remove(place);
            let image = BTreeMap::from([(index, value)]);
            solved.substitute(&image);
            equalities.iter_mut().for_each(|(form, _)| *form = form.substitute(&image));
            for form in range.substitute(&image).constraints() {
                self.add_range(form.clone(), solved);
            }
            solved.gone.push(image);
        }
        Some(())
    }

    /// The place of an index that an equality says, and what it is; `None` within where it says none.
    fn said_index(&mut self, equality: &Equality, solved: &mut Solved) -> Option<Option<(usize, Affine)>> {
        let (form, _) = equality;
        let indices = &solved.indices;
        let factor = |place: usize| form.coefficient(&indices[place].index);
        let is_plain =
            |place: usize| indices[place].value.is_none() && self.divided_by_name(&indices[place].index).is_empty();
        let is_said = |place: usize| is_plain(place) && factor(place).abs() == 1;
        let named: Vec<usize> = (0..indices.len()).filter(|place| factor(*place) != 0).collect();
        let said = match named[..] {
            [only] if is_plain(only) && factor(only).abs() > 1 => {
                return self.quotient(only, equality, solved).map(Some);
            }
            [_, .., last] if is_said(last) => last,
            // The inner one takes its place: the outer one is said by it.
            [first, last] if last == first + 1 && is_said(first) && is_plain(last) => first,
            _ => return Some(None),
        };
        let value = solution(form, &indices[said].index);
        // What is inner runs as what is outer did.
        let falls = named.last().is_some_and(|last| *last != said && value.coefficient(&indices[*last].index) < 0);
        Some((!falls || solved.count_down(said + 1)).then_some((said, value)))
    }

    /// The index that is a quotient of what stands around the reduction, where nothing is left over.
    fn quotient(&mut self, place: usize, (form, span): &Equality, solved: &mut Solved) -> Option<(usize, Affine)> {
        let index = &solved.indices[place].index;
        let by = form.coefficient(index);
        let dividend = solution(form, index);
        let is_free = |(name, _): (&Name, i64)| self.parameters.contains(name) || solved.free.contains(name);
        if !dividend.terms().all(is_free) {
            let message =
                format!("whether there is such a `{index}` depends on an index that is reduced or divided elsewhere");
            let help = "let one reduction bind both indices: `sum(k in 0..N, j in 0..N where 2*j == k)`";
            self.report(self.blame(*span, message, "asks for a division").help(help));
            return None;
        }
        let value = self.lower_half(Half::Quotient, dividend.clone(), by.abs(), *span)?;
        let rest = self.lower_half(Half::Rest, dividend, by.abs(), *span)?;
        solved.add_hole(Expr::Apply(Function::Equal, vec![Expr::Index(rest), Expr::Number(0.0)]));
        Some((place, value))
    }

    /// Adds that a form is 0 or more: to the innermost range of an index that it names, or to each term where it names none.
    fn add_range(&self, form: Affine, solved: &mut Solved) {
        match solved.indices.iter_mut().rev().find(|ranged| self.mentions_whole(&form, &ranged.index)) {
            Some(ranged) => ranged.range.add(form.substitute(&ranged.counted())),
            None if form.is_constant() && form.constant_term() >= 0 => {}
            None => solved.add_hole(Expr::Apply(Function::LessEqual, vec![Expr::Number(0.0), Expr::Index(form)])),
        }
    }
}

impl Solved {
    /// There are terms only where a condition holds.
    fn add_hole(&mut self, condition: Expr) {
        self.body = with_holes(std::mem::replace(&mut self.body, Expr::Number(0.0)), vec![condition], self.operator);
    }

    fn substitute(&mut self, image: &BTreeMap<Name, Affine>) {
        self.body = self.body.substitute(image);
        for ranged in &mut self.indices {
            let counted = ranged.counted();
            let image = image.iter().map(|(index, value)| (index.clone(), value.substitute(&counted))).collect();
            ranged.range = ranged.range.substitute(&image);
        }
    }

    /// Lets an index count down from its last value; whether it has one that those around it do not decide.
    fn count_down(&mut self, place: usize) -> bool {
        let (outer, inner) = self.indices.split_at_mut(place);
        let ranged = &mut inner[0];
        let (_, upper) = ranged.range.bounds(&ranged.index);
        let is_last = |form: &Affine| !form.mentions(outer.iter().map(|ranged| &ranged.index));
        let last = upper.into_iter().find(|bound| bound.coefficient == 1 && is_last(&bound.form));
        let Some(last) = last else { return false };
        ranged.value = Some(last.form - Affine::variable(&ranged.index));
        ranged.range = ranged.range.substitute(&ranged.counted());
        true
    }
}

impl Ranged {
    /// What the index is in terms of what it counts; nothing where it counts itself.
    fn counted(&self) -> BTreeMap<Name, Affine> {
        self.value.iter().map(|value| (self.index.clone(), value.clone())).collect()
    }
}

/// What an index, times its factor without a sign, is where a form is 0.
fn solution(form: &Affine, index: &Name) -> Affine {
    let factor = form.coefficient(index);
    let rest = form.clone() - Affine::term(index, factor);
    if factor > 0 { -rest } else { rest }
}
