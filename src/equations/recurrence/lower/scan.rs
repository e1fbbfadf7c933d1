//! One joint equation written out: the tensor over the reduction index for each target, and its equations.
//!
//! In: a joint equation whose range and targets are in order, and the reduction it names. Out: tensors and equations of a
//! syntax tree, which are lowered like all others; every part keeps the place in the text that it came from.

use super::equations::collect_names;
use super::joint::names_a_target;
use super::laws::neutral;
use crate::recurrence::Strip;
use crate::syntax::ast;
use crate::syntax::ast::{
    Condition, Direction, Expr, Half, Ident, Infix, JointEquation, Reduction, Relation, Spanned, Term,
};
use systole_base::integer::{Name, unused};
use systole_base::span::Span;

/// A joint equation while it is written out.
pub(super) struct Scan<'f> {
    /// What is written out.
    pub(super) equation: &'f JointEquation,
    /// The operator.
    pub(super) reduction: &'f Reduction,
    /// The whole equation.
    pub(super) span: Span,
    /// The first value of the index.
    pub(super) low: Expr,
    /// One past its last value.
    pub(super) high: Expr,
    /// How many values the index may have, where there may be none for some element or at some sizes; then a place is a value, and
    /// without a term it is neutral.
    pub(super) extent: Option<Expr>,
    /// The tensor over the reduction index that stands for each target.
    pub(super) steps: Vec<Ident>,
    /// The terms; each is a number, a name or an access.
    pub(super) terms: Vec<Expr>,
    /// Whether the neutral tuple has a place of its own, before the first term. It has where the operator makes another tuple of both
    /// than the first term: of a mask, with which alone there is nothing yet.
    pub(super) starts_from_nothing: bool,
}

impl Scan<'_> {
    /// Adds the tensors and equations; a local target is noted in `results` with the tensor and element that it is.
    pub(super) fn write(mut self, file: &ast::File, expanded: &mut ast::File, results: &mut Vec<(Name, Name, Expr)>) {
        for component in 0..self.terms.len() {
            self.name_term(file, expanded, component);
        }
        for component in 0..self.terms.len() {
            self.write_steps(file, expanded, component);
            self.write_result(file, expanded, results, component);
        }
    }

    /// The first element of a component's tensor, and each from the one before.
    fn write_steps(&self, file: &ast::File, expanded: &mut ast::File, component: usize) {
        let title = &self.steps[component];
        expanded.tensors.extend(self.declare(file, component, &title.node, self.starts_from_nothing));
        self.write_first(file, expanded, component);
        let one = || number(1.0, self.span);
        let (before, place) = match self.starts_from_nothing {
            true => (self.place(self.here()), infix(Infix::Add, self.place(self.here()), one())),
            false => (self.place(infix(Infix::Subtract, self.here(), one())), self.place(self.here())),
        };
        let next = self.combined(component, &before, &place);
        self.define(expanded, component, place, next, vec![self.within_range()], self.span);
    }

    /// What the steps start from: nothing, or the first term.
    fn write_first(&self, file: &ast::File, expanded: &mut ast::File, component: usize) {
        let (term, nothing) = (&self.terms[component], neutral(self.reduction)[component]);
        let (here, zero) = (self.here(), number(0.0, term.span));
        match (&self.extent, self.starts_from_nothing) {
            (Some(_), true) => self.fill(expanded, (&self.steps[component], component), nothing, true),
            (None, true) => {
                let nothing = number(nothing, term.span);
                self.define(expanded, component, zero, nothing, self.ranges(file, component), term.span);
            }
            (Some(_), false) => {
                let at_low = self.less(&[(&self.low, Relation::LessEqual), (&here, Relation::LessEqual)], &self.low);
                let first = vec![at_low, self.less(&[(&here, Relation::Less)], &self.high)];
                self.define(expanded, component, here, term.clone(), first, term.span);
                self.fill(expanded, (&self.steps[component], component), nothing, false);
            }
            (None, false) => {
                let at_low = |part: &Expr| at(part, &self.equation.binding.index.node, &self.low);
                let within = self.within_targets(file, component);
                self.define(expanded, component, zero, rewrite(term, &at_low), within, term.span);
            }
        }
    }

    /// The ranges of a target's indices, spelled out where a term is read at an index and more: at the first value of the index reduced
    /// `a[i + k]` becomes `a[i + 0]`, whose extent is not that of `i`.
    fn within_targets(&self, file: &ast::File, component: usize) -> Vec<Spanned<Condition>> {
        match shares_a_subscript(&self.terms[component], &self.equation.binding.index.node) {
            true => self.ranges(file, component),
            false => vec![],
        }
    }

    /// `0 <= i < M` for each index of a target.
    fn ranges(&self, file: &ast::File, component: usize) -> Vec<Spanned<Condition>> {
        let (target, subscripts) = &self.equation.targets[component];
        let declared = file.tensors.iter().find(|declared| declared.node.name == *target);
        let extents = declared.map_or(&[][..], |declared| &declared.node.shape);
        let zero = number(0.0, self.span);
        let within = |(index, extent): (&Expr, &Expr)| {
            self.less(&[(&zero, Relation::LessEqual), (index, Relation::Less)], extent)
        };
        subscripts.iter().zip(extents).map(within).collect()
    }

    /// The elements of a tensor over the reduction index where there is no term: before the range, and behind it. Where each term has its
    /// place `after` the one that it is combined with, the elements are shifted by one.
    fn fill(&self, expanded: &mut ast::File, (tensor, component): (&Ident, usize), value: f64, after: bool) {
        let Some(extent) = self.places(after) else { return };
        let (strictly, loosely) =
            if after { (Relation::LessEqual, Relation::Less) } else { (Relation::Less, Relation::LessEqual) };
        let inside =
            || self.less(&[(&number(0.0, self.span), Relation::LessEqual), (&self.here(), Relation::Less)], &extent);
        let before = self.less(&[(&self.here(), strictly)], &self.low);
        let behind = [&self.low, &self.high].map(|end| self.less(&[(end, loosely)], &self.here()));
        let subscripts: Vec<Expr> = self.equation.targets[component].1.iter().cloned().chain([self.here()]).collect();
        for conditions in [vec![inside(), before], [inside()].into_iter().chain(behind).collect()] {
            let (target, subscripts, value) = (tensor.clone(), subscripts.clone(), number(value, self.span));
            let equation = plain(target, subscripts, value, conditions);
            expanded.equations.push(Spanned::new(equation, self.span));
        }
    }

    /// The extent of a tensor over the reduction index, where it has a place for each value of it; with one more where they are shifted.
    fn places(&self, after: bool) -> Option<Expr> {
        let extent = self.extent.clone()?;
        Some(if after { infix(Infix::Add, extent, number(1.0, self.span)) } else { extent })
    }

    /// What the target is: the last element, copied, or noted where no copy has to be made; neutral where the range is empty.
    fn write_result(
        &self,
        file: &ast::File,
        expanded: &mut ast::File,
        results: &mut Vec<(Name, Name, Expr)>,
        component: usize,
    ) {
        let (target, subscripts) = &self.equation.targets[component];
        let last = match self.starts_from_nothing {
            true => self.place(self.high.clone()),
            false => self.place(infix(Infix::Subtract, self.high.clone(), number(1.0, self.span))),
        };
        if self.extent.is_none() && is_local_of_one_equation(file, target) {
            results.push((target.node.clone(), self.steps[component].node.clone(), last));
            return;
        }
        let mut copy = |value: Expr, conditions: Vec<Spanned<Condition>>| {
            let (target, subscripts) = (target.clone(), subscripts.clone());
            let span = target.span;
            expanded.equations.push(Spanned::new(plain(target, subscripts, value, conditions), span));
        };
        if self.extent.is_none() {
            return copy(self.element(component, last), vec![]);
        }
        // The last place may be a form of the target's indices, such as `i`, and has an extent of its own.
        let is_filled = self.less(&[(&self.low, Relation::Less)], &self.high);
        let within = if names_a_target(&self.high, self.equation) { self.ranges(file, component) } else { vec![] };
        copy(self.element(component, last), within.into_iter().chain([is_filled]).collect());
        let nothing = number(neutral(self.reduction)[component], self.span);
        copy(nothing, vec![self.less(&[(&self.high, Relation::LessEqual)], &self.low)]);
    }

    /// Gives a term that is more than a number, a name or an access a tensor of its own, so that it is computed once.
    fn name_term(&mut self, file: &ast::File, expanded: &mut ast::File, component: usize) {
        let term = self.terms[component].clone();
        if matches!(term.node, Term::Number(_) | Term::Name(_) | Term::Access(..)) {
            return;
        }
        let (target, subscripts) = &self.equation.targets[component];
        let taken: Vec<Name> = expanded.tensors.iter().map(|tensor| tensor.node.name.node.clone()).collect();
        let named = Spanned::new(unused(&format!("{}_term", target.node), &taken), term.span);
        expanded.tensors.extend(self.declare(file, component, &named.node, false));
        let subscripts: Vec<Expr> = subscripts.iter().cloned().chain([self.place(self.here())]).collect();
        let range = self.less(&[(&self.low, Relation::LessEqual), (&self.here(), Relation::Less)], &self.high);
        let span = term.span;
        let equation = plain(named.clone(), subscripts.clone(), term, vec![range]);
        expanded.equations.push(Spanned::new(equation, span));
        self.fill(expanded, (&named, component), 0.0, false);
        self.terms[component] = Spanned::new(Term::Access(named, subscripts), span);
    }

    /// A local tensor with the extents of a target and that of the range.
    fn declare(&self, file: &ast::File, component: usize, title: &Name, after: bool) -> Option<Spanned<ast::Tensor>> {
        let target = &self.equation.targets[component].0;
        let declared = file.tensors.iter().find(|declared| declared.node.name == *target)?;
        let places = self.places(after).unwrap_or_else(|| {
            let count = self.place(self.high.clone());
            if after { infix(Infix::Add, count, number(1.0, self.span)) } else { count }
        });
        let shape = declared.node.shape.iter().cloned().chain([places]).collect();
        let name = Spanned::new(title.clone(), target.span);
        Some(Spanned::new(
            ast::Tensor { direction: Direction::Local, name, shape, assumption: None, over: None },
            target.span,
        ))
    }

    fn define(
        &self,
        expanded: &mut ast::File,
        component: usize,
        place: Expr,
        value: Expr,
        conditions: Vec<Spanned<Condition>>,
        span: Span,
    ) {
        let subscripts = self.equation.targets[component].1.iter().cloned().chain([place]).collect();
        let equation = plain(self.steps[component].clone(), subscripts, value, conditions);
        expanded.equations.push(Spanned::new(equation, span));
    }

    /// A component of the declared operator, between the elements `before` and the next terms. Where another component occurs in it
    /// whole, that one's new element is read, so that nothing is computed twice.
    fn combined(&self, component: usize, before: &Expr, place: &Expr) -> Expr {
        let Reduction { left, right, values, .. } = self.reduction;
        rewrite(&values[component], &|term| {
            let is_compound = !matches!(term.node, Term::Number(_) | Term::Name(_));
            let whole = values.iter().position(|other| is_compound && other == term);
            if let Some(other) = whole.filter(|other| *other != component) {
                return Some(self.element(other, place.clone()));
            }
            let Term::Name(name) = &term.node else { return None };
            if let Some(other) = left.iter().position(|ident| ident.node == *name) {
                return Some(self.element(other, before.clone()));
            }
            right.iter().position(|ident| ident.node == *name).map(|other| self.terms[other].clone())
        })
    }

    /// The element of a component's tensor at this place along the reduction.
    fn element(&self, component: usize, place: Expr) -> Expr {
        let (target, subscripts) = &self.equation.targets[component];
        let subscripts = subscripts.iter().cloned().chain([place]).collect();
        Spanned::new(Term::Access(self.steps[component].clone(), subscripts), target.span)
    }

    fn here(&self) -> Expr {
        let index = &self.equation.binding.index;
        Spanned::new(Term::Name(index.node.clone()), index.span)
    }

    /// A value of the index counted from the first, or itself where each has a place.
    fn place(&self, value: Expr) -> Expr {
        if self.extent.is_some() || self.low.node == Term::Number(0.0) {
            value
        } else {
            infix(Infix::Subtract, value, self.low.clone())
        }
    }

    /// The values of the index at which something is combined: `low <= j < high`, or from the second on, `low + 1 <= j < high`.
    fn within_range(&self) -> Spanned<Condition> {
        let one = number(1.0, self.span);
        let first = match (self.starts_from_nothing, &self.low.node) {
            (true, _) => self.low.clone(),
            (false, Term::Number(low)) => number(low + 1.0, self.low.span),
            (false, _) => infix(Infix::Add, self.low.clone(), one),
        };
        self.less(&[(&first, Relation::LessEqual), (&self.here(), Relation::Less)], &self.high)
    }

    /// Forms, each with its relation to the next, and the last one: `low <= k < high`.
    fn less(&self, forms: &[(&Expr, Relation)], last: &Expr) -> Spanned<Condition> {
        let next = forms.iter().skip(1).map(|(form, _)| *form).chain([last]);
        let rest = forms.iter().map(|(_, relation)| *relation).zip(next.cloned()).collect();
        let first = forms.first().map_or(last, |(form, _)| *form).clone();
        Spanned::new(Condition { first, rest }, self.span)
    }
}

/// Whether the index stands in a subscript together with something else.
fn shares_a_subscript(term: &Expr, index: &Name) -> bool {
    let Term::Access(_, subscripts) = &term.node else { return false };
    subscripts.iter().any(|subscript| {
        let mut names = vec![];
        collect_names(subscript, &mut names);
        names.len() > 1 && names.iter().any(|name| name.node == *index)
    })
}

/// Whether the tensor is local and nothing else defines it, so that no copy has to be made.
fn is_local_of_one_equation(file: &ast::File, target: &Ident) -> bool {
    let declared = file.tensors.iter().find(|tensor| tensor.node.name == *target);
    let plain = file.equations.iter().map(|equation| &equation.node.target);
    let joint = file.joint_equations.iter().flat_map(|equation| &equation.node.targets).map(|(target, _)| target);
    let is_local = declared.is_some_and(|tensor| tensor.node.direction == Direction::Local);
    is_local && plain.chain(joint).filter(|other| *other == target).count() == 1
}

fn plain(target: Ident, subscripts: Vec<Expr>, value: Expr, conditions: Vec<Spanned<Condition>>) -> ast::Equation {
    ast::Equation { target, subscripts, value, conditions, is_elsewhere: false }
}

fn number(value: f64, span: Span) -> Expr {
    Spanned::new(Term::Number(value), span)
}

fn infix(sign: Infix, left: Expr, right: Expr) -> Expr {
    let span = left.span;
    Spanned::new(Term::Infix(sign, Box::new(left), Box::new(right)), span)
}

/// What an index is that has a value, by itself or divided.
pub(super) fn at(part: &Expr, index: &Name, value: &Expr) -> Option<Expr> {
    let Term::Name(name) = &part.node else { return None };
    let half = || {
        let strip = Strip::of(name).filter(|strip| strip.index == *index)?;
        let half = if strip.number() == *name { Half::Quotient } else { Half::Rest };
        Some(Spanned::new(Term::Divide(half, Box::new(value.clone()), strip.size), part.span))
    };
    if name == index { Some(value.clone()) } else { half() }
}

/// The expression with each outermost part that `replace` knows replaced.
pub(super) fn rewrite(expression: &Expr, replace: &dyn Fn(&Expr) -> Option<Expr>) -> Expr {
    if let Some(replaced) = replace(expression) {
        return replaced;
    }
    let again = |part: &Expr| rewrite(part, replace);
    let boxed = |part: &Expr| Box::new(rewrite(part, replace));
    let each = |list: &[Expr]| list.iter().map(again).collect::<Vec<_>>();
    let node = match &expression.node {
        Term::Number(_) | Term::Name(_) => expression.node.clone(),
        Term::Access(tensor, subscripts) => Term::Access(tensor.clone(), each(subscripts)),
        Term::Call(word, arguments) => Term::Call(word.clone(), each(arguments)),
        Term::Negate(operand) => Term::Negate(boxed(operand)),
        Term::Infix(sign, left, right) => Term::Infix(*sign, boxed(left), boxed(right)),
        Term::Compare(relation, left, right) => Term::Compare(*relation, boxed(left), boxed(right)),
        Term::Else(element, other) => Term::Else(boxed(element), boxed(other)),
        Term::Divide(half, form, by) => Term::Divide(*half, boxed(form), *by),
        Term::Reduce(word, bindings, conditions, body) => {
            Term::Reduce(word.clone(), bindings.clone(), conditions.clone(), boxed(body))
        }
    };
    Spanned::new(node, expression.span)
}
