//! Reductions: the ranges of their indices, steps, and what their `where` leaves out.
//!
//! In: `sum(k in 0..N step 2, l where k < l, l != i) e`. Out: one level for each index, the outermost first. An index with a step counts
//! its values from 0 on, in the order in which they are written: behind the count `k` the body reads `2*k`. A condition belongs to the
//! innermost index that it names, as part of its range; an equality may say what an index is. What `!=` leaves out is no range: there the
//! neutral value stands for the term.

use super::Lowering;
use super::equalities::{Equality, Ranged, Solved};
use super::equations::Scope;
use super::ranges::half_open;
use crate::recurrence::{Expr, Operator};
use crate::syntax::ast;
use crate::syntax::ast::{Binding, Condition, Ident, Relation, Spanned};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron};
use systole_base::scalar::Function;
use systole_base::span::Span;

/// An index that a reduction binds.
pub(super) struct Bound {
    pub(super) index: Name,
    /// The values that it counts; `None` where the arrays say them that it indexes.
    range: Option<Polyhedron>,
    /// What the index is, in terms of the number of its step.
    value: Option<Affine>,
}

/// What a reduction's `where` says.
struct Left {
    /// For each index the forms that are 0 or more.
    ranges: Vec<Polyhedron>,
    /// What may say what an index is.
    equalities: Vec<Equality>,
    /// Conditions that are no ranges.
    holes: Vec<Expr>,
}

/// One level of a reduction.
pub(super) struct Level {
    pub(super) index: Name,
    pub(super) range: Polyhedron,
    /// What the index is, in terms of the number of its step.
    value: Option<Affine>,
    pub(super) operator: Operator,
    pub(super) span: Span,
}

/// A reduction as it is written.
pub(super) struct Written<'a> {
    pub(super) word: &'a Ident,
    pub(super) bindings: &'a [Binding],
    pub(super) conditions: &'a [Spanned<Condition>],
    pub(super) body: &'a ast::Expr,
    pub(super) span: Span,
}

impl Lowering<'_> {
    /// `sum(k, l) e` becomes `sum(k) sum(l) e`; what the bindings bring into scope leaves it at the end.
    pub(super) fn lower_reduction(&mut self, written: &Written, scope: &mut Scope) -> Option<Expr> {
        let operator = Operator::from_keyword(&written.word.node)?;
        let depth = scope.indices.len();
        let bounds: Vec<Option<Bound>> =
            written.bindings.iter().map(|binding| self.lower_binding(binding, scope)).collect();
        let left = self.lower_left(written, &scope.names());
        let body = self.lower_expression(written.body, scope);
        scope.indices.truncate(depth);
        let bounds: Vec<Bound> = bounds.into_iter().collect::<Option<_>>()?;
        let (body, left) = (body?, left?);
        let ranges = self.infer_missing(written.bindings, &bounds, &body, scope)?;
        let with_range = |((Bound { index, value, .. }, range), own): ((Bound, Polyhedron), &Polyhedron)| {
            let range = range.intersect(&match &value {
                Some(value) => own.substitute(&BTreeMap::from([(index.clone(), value.clone())])),
                None => own.clone(),
            });
            Ranged { index, range, value }
        };
        let indices = bounds.into_iter().zip(ranges).zip(&left.ranges).map(with_range).collect();
        let body = with_holes(body, left.holes, operator);
        let free = scope.indices[..scope.free].iter().map(|index| index.node.clone()).collect();
        let mut solved = Solved { operator, free, indices, body, gone: vec![] };
        self.solve_equalities(left.equalities, &mut solved)?;
        solved.gone.iter().for_each(|image| scope.target.substitute(image));
        let mut value = solved.body;
        for Ranged { index, range, value: image } in solved.indices.into_iter().rev() {
            let level = Level { index, range, value: image, operator, span: written.span };
            value = self.close_level(level, value, scope)?;
        }
        Some(value)
    }

    /// A reduction over one index, with the values of the index in place of the numbers of its steps.
    fn close_level(&mut self, mut level: Level, body: Expr, scope: &mut Scope) -> Option<Expr> {
        let Some(value) = level.value.take() else { return self.divide_reduced(level, body, scope) };
        if let Some(divided) = self.divided_by_name(&level.index).first() {
            let message = format!("`{}` divides an index that has a step", divided.name);
            let blamed = self.blame(divided.span, message, "of a range with a step");
            self.report(blamed.help("let two indices make one, as in `sum(p in 0..N, q in 0..2) x[2*p + q]`"));
            return None;
        }
        let image = BTreeMap::from([(level.index.clone(), value)]);
        scope.target.substitute(&image);
        Some(level.around(body.substitute(&image)))
    }

    /// Nothing where the binding is wrong.
    fn lower_binding(&mut self, binding: &Binding, scope: &mut Scope) -> Option<Bound> {
        let names = scope.names();
        let is_new = self.bind_index(&binding.index, scope);
        let index = binding.index.node.clone();
        let Some((low, high)) = &binding.range else {
            return is_new.then_some(Bound { index, range: None, value: None });
        };
        let (low, high) = (self.lower_affine(low, &names), self.lower_affine(high, &names));
        let (low, high) = (low?, high?);
        if !is_new {
            return None;
        }
        if binding.step == 1 {
            let range = Some(half_open(&index, &low, &high));
            return Some(Bound { index, range, value: None });
        }
        let value = low.clone() + Affine::term(&index, binding.step);
        let one = Affine::constant(1);
        let left = if binding.step > 0 { high - value.clone() - one } else { value.clone() - high - one };
        if !self.check_magnitude(&left, binding.index.span) {
            return None;
        }
        let range = Some(Polyhedron::new([Affine::variable(&index), left]));
        Some(Bound { index, range, value: Some(value) })
    }

    /// The ranges that are written, and for the rest those of what the body indexes.
    fn infer_missing(
        &mut self,
        bindings: &[Binding],
        bounds: &[Bound],
        body: &Expr,
        scope: &Scope,
    ) -> Option<Vec<Polyhedron>> {
        let mut uses = self.uses_in(body);
        uses.push(scope.target.clone());
        let mut complete = vec![];
        for (binding, bound) in bindings.iter().zip(bounds) {
            let index = &binding.index;
            let help = format!("give it a range: `{} in 0..N`", index.node);
            let range = bound.range.clone();
            complete.push(range.or_else(|| self.infer_range(&index.node, index.span, &uses, &help)));
        }
        complete.into_iter().collect()
    }

    /// What the conditions of a reduction say of its indices.
    fn lower_left(&mut self, written: &Written, names: &[Name]) -> Option<Left> {
        let ranges = vec![Polyhedron::default(); written.bindings.len()];
        let mut left = Left { ranges, equalities: vec![], holes: vec![] };
        let mut complete = true;
        for condition in written.conditions {
            let mut first = &condition.node.first;
            for (relation, second) in &condition.node.rest {
                let sides = (first, *relation, second);
                complete &= self.lower_left_relation(written, sides, names, &mut left).is_some();
                first = second;
            }
        }
        complete.then_some(left)
    }

    fn lower_left_relation(
        &mut self,
        written: &Written,
        (first, relation, second): (&ast::Expr, Relation, &ast::Expr),
        names: &[Name],
        left: &mut Left,
    ) -> Option<()> {
        let (low, high) = (self.lower_affine(first, names), self.lower_affine(second, names));
        let (low, high) = (low?, high?);
        let named = |form: &Affine, index: &Name| self.mentions_whole(form, index);
        let names_index = |binding: &Binding| named(&low, &binding.index.node) || named(&high, &binding.index.node);
        let Some(level) = written.bindings.iter().rposition(names_index) else {
            let message = "a condition of a reduction names none of its indices".to_owned();
            let help = "put it behind the equation, or choose the value by it: `select(CONDITION, VALUE, OTHER)`";
            let blamed = self.blame(first.span.to(second.span), message, "of other indices and sizes alone");
            self.report(blamed.help(help));
            return None;
        };
        if relation == Relation::NotEqual {
            left.holes.push(Expr::Apply(Function::NotEqual, vec![Expr::Index(low), Expr::Index(high)]));
            return Some(());
        }
        let apart = low.clone() - high.clone();
        if relation == Relation::Equal && !self.divided.iter().flatten().any(|half| apart.mentions([&half.name])) {
            left.equalities.push((apart, first.span.to(second.span)));
            return Some(());
        }
        let forms = super::equations::constraints(relation, low, high);
        forms.into_iter().for_each(|form| left.ranges[level].add(form));
        Some(())
    }
}

impl Level {
    /// The reduction of this level, of a body.
    pub(super) fn around(self, body: Expr) -> Expr {
        let Level { index, range, operator, span, .. } = self;
        Expr::Reduce { operator, index, range, body: Box::new(body), span }
    }
}

/// The body where all conditions hold, and elsewhere what changes no result.
pub(super) fn with_holes(body: Expr, holes: Vec<Expr>, operator: Operator) -> Expr {
    let all = holes.into_iter().reduce(|one, other| Expr::Apply(Function::Multiply, vec![one, other]));
    match all {
        Some(all) => Expr::Apply(Function::Select, vec![all, body, Expr::Number(operator.neutral())]),
        None => body,
    }
}
