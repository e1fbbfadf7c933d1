//! Equations that say several: the greatest or least of some forms in a range, a condition or a subscript, and `i != j`.
//!
//! In: an equation of a syntax tree. Out: equations whose conditions exclude each other and which together say the same, each with one
//! form in place of `max(..)` or `min(..)`, and with `<` or `>` in place of `!=`. A sum over a band,
//! `sum(k in max(0, i - W)..min(N, i + W + 1))`, is four: where both ends are cut off, one, the other, and none.

use super::Lowering;
use super::equations::collect_indices;
use super::scan::rewrite;
use crate::recurrence::Equation;
use crate::syntax::ast;
use crate::syntax::ast::{Binding, Condition, Expr, Ident, Relation, Spanned, Term};
use systole_base::integer::{Name, Polyhedron};

/// How many equations one may stand for.
const CASE_LIMIT: usize = 32;

/// One of several ways to read an equation, and when it is to be read so.
struct Case {
    equation: ast::Equation,
    conditions: Vec<(Expr, Relation, Expr)>,
}

impl Lowering<'_> {
    /// The equations that one stands for; of several those are left out that have no points at any size.
    pub(super) fn lower_cases(&mut self, equation: &Spanned<ast::Equation>) -> Vec<Equation> {
        let Some(cases) = self.cases(equation) else { return vec![] };
        let is_alone = cases.len() == 1;
        let mut lowered = vec![];
        for case in &cases {
            // What is wrong with one is wrong with all.
            let Some(equations) = self.lower_equation(case) else { return lowered };
            let is_alone = is_alone && equations.len() == 1;
            let sizes = Polyhedron::sizes(&self.parameters);
            let has_points = |equation: &Equation| !equation.domain.set.intersect(&sizes).is_empty();
            lowered.extend(equations.into_iter().filter(|equation| is_alone || has_points(equation)));
        }
        lowered
    }

    fn cases(&mut self, equation: &Spanned<ast::Equation>) -> Option<Vec<Spanned<ast::Equation>>> {
        let (mut open, mut done) = (vec![equation.node.clone()], vec![]);
        while let Some(next) = open.pop() {
            match self.divided(&next) {
                Divided::Not => done.push(Spanned::new(next, equation.span)),
                Divided::Wrong => return None,
                // The last one is taken up next, so they are done in the order in which they are written.
                Divided::Into(cases) => open.extend(cases.into_iter().rev().map(conditioned)),
            }
            if open.len() + done.len() > CASE_LIMIT {
                let message = format!("an equation with more than {CASE_LIMIT} cases");
                let help = "give some of its reductions a `local` tensor of their own";
                self.report(self.blame(equation.span, message, "has so many bounds").help(help));
                return None;
            }
        }
        Some(done)
    }

    /// The cases of the first thing in an equation that has several.
    fn divided(&mut self, equation: &ast::Equation) -> Divided {
        if let Some(cases) = either_side(equation) {
            return Divided::Into(cases);
        }
        let mut bounds = vec![];
        let sides = equation.conditions.iter().flat_map(|condition| sides(&condition.node));
        sides.chain(&equation.subscripts).for_each(|form| collect_choices(form, &[], &mut bounds));
        collect_bounds(&equation.value, &mut vec![], &mut bounds);
        let Some((bound, forms, around)) = bounds.into_iter().next() else { return Divided::Not };
        let mut names = vec![];
        forms.iter().for_each(|form| collect_indices(form, &mut names));
        if let Some(name) = names.iter().find(|name| around.contains(&name.node)) {
            let message = format!("one of several bounds depends on `{}`, which a reduction binds", name.node);
            let help = "give the inner reduction a `local` tensor of its own, with this index as a subscript";
            self.report(self.blame(name.span, message, "not an index of the target").help(help));
            return Divided::Wrong;
        }
        // The greatest of lower bounds, the least of upper ones; of equal bounds the first.
        let is_lower = is_call(&bound, "max");
        let case = |position: usize, form: &Expr| {
            let others = forms.iter().enumerate().filter(|(other, _)| *other != position);
            let beside = |(other, bound): (usize, &Expr)| match (is_lower, other < position) {
                (true, true) => (bound.clone(), Relation::Less, form.clone()),
                (true, false) => (bound.clone(), Relation::LessEqual, form.clone()),
                (false, true) => (form.clone(), Relation::Less, bound.clone()),
                (false, false) => (form.clone(), Relation::LessEqual, bound.clone()),
            };
            Case { equation: with_form(equation, &bound, form), conditions: others.map(beside).collect() }
        };
        Divided::Into(forms.iter().enumerate().map(|(position, form)| case(position, form)).collect())
    }
}

enum Divided {
    Not,
    Wrong,
    Into(Vec<Case>),
}

/// The equation with the conditions of its case.
fn conditioned(Case { mut equation, conditions }: Case) -> ast::Equation {
    equation.conditions.extend(conditions.into_iter().map(|(left, relation, right)| {
        let span = left.span.to(right.span);
        Spanned::new(Condition { first: left, rest: vec![(relation, right)] }, span)
    }));
    equation
}

/// The equation on both sides of the first `!=` of its conditions.
fn either_side(equation: &ast::Equation) -> Option<Vec<Case>> {
    let differs = |(relation, _): &(Relation, Expr)| *relation == Relation::NotEqual;
    let place = |condition: &Spanned<Condition>| condition.node.rest.iter().position(differs);
    let (condition, place) =
        equation.conditions.iter().enumerate().find_map(|(number, condition)| Some((number, place(condition)?)))?;
    let side = |relation: Relation| {
        let mut equation = equation.clone();
        equation.conditions[condition].node.rest[place].0 = relation;
        Case { equation, conditions: vec![] }
    };
    Some(vec![side(Relation::Less), side(Relation::Greater)])
}

/// The forms that a condition compares.
fn sides(condition: &Condition) -> impl Iterator<Item = &Expr> {
    std::iter::once(&condition.first).chain(condition.rest.iter().map(|(_, form)| form))
}

/// The calls of `max` and `min` in a form, none of which stands in another.
fn collect_choices(form: &Expr, around: &[Name], choices: &mut Vec<(Expr, Vec<Expr>, Vec<Name>)>) {
    match &form.node {
        Term::Call(word, _) if matches!(&*word.node, "max" | "min") => {
            let mut forms = vec![];
            collect_forms(form, &word.node, &mut forms);
            choices.push((form.clone(), forms, around.to_vec()));
        }
        Term::Negate(operand) | Term::Divide(_, operand, _) => collect_choices(operand, around, choices),
        Term::Infix(_, left, right) => {
            [left, right].into_iter().for_each(|side| collect_choices(side, around, choices));
        }
        _ => {}
    }
}

/// The equation with one form in place of the greatest or least of several, wherever it chooses among indices.
fn with_form(equation: &ast::Equation, choice: &Expr, form: &Expr) -> ast::Equation {
    let chosen = |part: &Expr| rewrite(part, &|inner| (inner == choice).then(|| form.clone()));
    let mut equation = equation.clone();
    equation.value = with_bound(&equation.value, choice, form);
    equation.subscripts.iter_mut().for_each(|subscript| *subscript = chosen(subscript));
    for Condition { first, rest } in equation.conditions.iter_mut().map(|condition| &mut condition.node) {
        std::iter::once(first).chain(rest.iter_mut().map(|(_, form)| form)).for_each(|side| *side = chosen(side));
    }
    equation
}

/// The bounds of ranges that are the greatest or least of several forms, with these and the indices that reductions around them bind.
fn collect_bounds(value: &Expr, around: &mut Vec<Name>, bounds: &mut Vec<(Expr, Vec<Expr>, Vec<Name>)>) {
    match &value.node {
        Term::Number(_) | Term::Name(_) | Term::Divide(..) => {}
        Term::Access(_, subscripts) => subscripts.iter().for_each(|form| collect_choices(form, around, bounds)),
        Term::Negate(operand) => collect_bounds(operand, around, bounds),
        Term::Else(left, right) | Term::Infix(_, left, right) | Term::Compare(_, left, right) => {
            [left, right].into_iter().for_each(|side| collect_bounds(side, around, bounds));
        }
        Term::Call(_, arguments) => arguments.iter().for_each(|argument| collect_bounds(argument, around, bounds)),
        Term::Reduce(_, bindings, _, body) => {
            let depth = around.len();
            for Binding { index, range, .. } in bindings {
                for (bound, word) in range.iter().flat_map(|(low, high)| [(low, "max"), (high, "min")]) {
                    let mut forms = vec![];
                    collect_forms(bound, word, &mut forms);
                    if forms.len() > 1 {
                        bounds.push((bound.clone(), forms, around.clone()));
                    }
                }
                around.push(index.node.clone());
            }
            collect_bounds(body, around, bounds);
            around.truncate(depth);
        }
    }
}

/// `a`, `b` and `c` of `max(a, max(b, c))`.
pub(super) fn collect_forms(bound: &Expr, word: &str, forms: &mut Vec<Expr>) {
    match &bound.node {
        Term::Call(called, arguments) if &*called.node == word => {
            arguments.iter().for_each(|argument| collect_forms(argument, word, forms));
        }
        _ => forms.push(bound.clone()),
    }
}

fn is_call(bound: &Expr, word: &str) -> bool {
    matches!(&bound.node, Term::Call(called, _) if &*called.node == word)
}

/// The expression with one form in place of a bound, wherever a range has it.
fn with_bound(value: &Expr, bound: &Expr, form: &Expr) -> Expr {
    let of = |value: &Expr| with_bound(value, bound, form);
    let boxed = |value: &Expr| Box::new(of(value));
    let node = match &value.node {
        Term::Number(_) | Term::Name(_) | Term::Divide(..) => return value.clone(),
        Term::Access(tensor, subscripts) => {
            let chosen = |part: &Expr| rewrite(part, &|inner| (inner == bound).then(|| form.clone()));
            Term::Access(tensor.clone(), subscripts.iter().map(chosen).collect())
        }
        Term::Negate(operand) => Term::Negate(boxed(operand)),
        Term::Else(element, other) => Term::Else(boxed(element), boxed(other)),
        Term::Infix(sign, left, right) => Term::Infix(*sign, boxed(left), boxed(right)),
        Term::Compare(relation, left, right) => Term::Compare(*relation, boxed(left), boxed(right)),
        Term::Call(word, arguments) => Term::Call(word.clone(), arguments.iter().map(of).collect()),
        Term::Reduce(word, bindings, conditions, body) => {
            let side = |side: &Expr| if side == bound { form.clone() } else { side.clone() };
            let bound = |Binding { index, range, step }: &Binding| Binding {
                index: Ident::clone(index),
                range: range.as_ref().map(|(low, high)| (side(low), side(high))),
                step: *step,
            };
            Term::Reduce(word.clone(), bindings.iter().map(bound).collect(), conditions.clone(), boxed(body))
        }
    };
    Spanned::new(node, value.span)
}
