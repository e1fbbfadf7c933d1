//! Right-hand sides: reads, functions and reductions.

use super::Lowering;
use super::equations::{Scope, count};
use super::ranges::half_open;
use crate::recurrence::{Expr, Operator};
use crate::syntax::ast;
use crate::syntax::ast::{Binding, Ident, Infix, Relation, Spanned, Term};
use systole_base::integer::{Affine, Name, Polyhedron};
use systole_base::scalar::Function;
use systole_base::span::Span;

impl Lowering<'_> {
    pub(super) fn lower_expression(&mut self, expression: &ast::Expr, scope: &mut Scope) -> Option<Expr> {
        match &expression.node {
            Term::Number(value) => Some(Expr::Number(*value)),
            Term::Name(name) => self.lower_name(&Spanned::new(name.clone(), expression.span), scope),
            Term::Access(tensor, subscripts) => self.lower_read(tensor, subscripts, expression.span, scope),
            Term::Call(word, arguments) => self.lower_call(word, arguments, scope),
            // A mask is a number, and costs no operation.
            Term::Negate(operand) if operand.node == Term::Number(f64::INFINITY) => {
                Some(Expr::Number(f64::NEG_INFINITY))
            }
            Term::Negate(operand) => self.lower_apply(Function::Negate, &[operand], scope),
            Term::Infix(infix, left, right) => self.lower_apply(infix_function(*infix), &[left, right], scope),
            Term::Compare(relation, left, right) => match comparison_function(*relation) {
                (function, false) => self.lower_apply(function, &[left, right], scope),
                (function, true) => self.lower_apply(function, &[right, left], scope),
            },
            Term::Reduce(word, bindings, body) => self.lower_reduction(word, bindings, body, expression.span, scope),
        }
    }

    fn lower_apply(&mut self, function: Function, arguments: &[&ast::Expr], scope: &mut Scope) -> Option<Expr> {
        let lowered: Vec<Option<Expr>> =
            arguments.iter().map(|argument| self.lower_expression(argument, scope)).collect();
        Some(Expr::Apply(function, lowered.into_iter().collect::<Option<_>>()?))
    }

    /// An index or a parameter as a number, or a tensor without subscripts.
    fn lower_name(&mut self, name: &Ident, scope: &mut Scope) -> Option<Expr> {
        if self.tensor(&name.node).is_some() {
            return self.lower_read(name, &[], name.span, scope);
        }
        let indices = scope.names();
        if indices.contains(&name.node) || self.is_parameter(&name.node) {
            return Some(Expr::Index(Affine::variable(&name.node)));
        }
        let tensors = self.tensors.iter().map(|tensor| tensor.name.clone());
        let known: Vec<Name> = indices.into_iter().chain(self.parameters.iter().cloned()).chain(tensors).collect();
        self.report_unknown("name", &name.node, name.span, known.iter().map(|name| &**name));
        None
    }

    fn lower_read(&mut self, name: &Ident, subscripts: &[ast::Expr], span: Span, scope: &mut Scope) -> Option<Expr> {
        let tensor = self.find_tensor(name)?;
        let fits = self.check_arity(&tensor, span, subscripts.len());
        let subscripts = self.lower_list(subscripts, &scope.names())?;
        fits.then_some(Expr::Read { tensor: tensor.name, subscripts, span })
    }

    fn lower_call(&mut self, word: &Ident, arguments: &[ast::Expr], scope: &mut Scope) -> Option<Expr> {
        let references: Vec<&ast::Expr> = arguments.iter().collect();
        let Some(function) = Function::from_keyword(&word.node) else {
            self.report_unknown_function(word);
            return None;
        };
        if function.arity() != arguments.len() {
            let wanted = count(function.arity(), "argument");
            let message = format!("`{}` takes {wanted}, {} given", word.node, arguments.len());
            self.report(self.blame(word.span, message, "called here"));
            return None;
        }
        self.lower_apply(function, &references, scope)
    }

    fn report_unknown_function(&mut self, word: &Ident) {
        if Operator::from_keyword(&word.node).is_some() {
            let message = format!("`{}` is a reduction: it binds index names and needs a body", word.node);
            let help = format!("write `{}(k) A[k]` or `{}(k in 0..N) A[k]`", word.node, word.node);
            self.report(self.blame(word.span, message, "used as a function").help(help));
            return;
        }
        if self.tensor(&word.node).is_some() {
            let message = format!("`{}` is a tensor, not a function", word.node);
            self.report(self.blame(word.span, message, "called here").help("subscripts stand in `[` and `]`"));
            return;
        }
        let known = Function::ALL.iter().map(|function| function.keyword());
        self.report_unknown("function", &word.node, word.span, known);
    }

    /// `sum(k, l) e` becomes `sum(k) sum(l) e`; what the bindings bring into scope leaves it at the end.
    fn lower_reduction(
        &mut self,
        word: &Ident,
        bindings: &[Binding],
        body: &ast::Expr,
        span: Span,
        scope: &mut Scope,
    ) -> Option<Expr> {
        let operator = Operator::from_keyword(&word.node)?;
        let depth = scope.indices.len();
        let ranges: Vec<Option<Option<Polyhedron>>> =
            bindings.iter().map(|binding| self.lower_binding(binding, scope)).collect();
        let body = self.lower_expression(body, scope);
        scope.indices.truncate(depth);
        let ranges: Vec<Option<Polyhedron>> = ranges.into_iter().collect::<Option<_>>()?;
        let ranges = self.infer_missing(bindings, ranges, body.as_ref()?, scope)?;
        let levels = bindings.iter().zip(ranges).rev();
        Some(levels.fold(body?, |body, (binding, range)| {
            let index = binding.index.node.clone();
            Expr::Reduce { operator, index, range, body: Box::new(body), span }
        }))
    }

    /// Nothing where the binding is wrong, no polyhedron where it has no range of its own.
    fn lower_binding(&mut self, binding: &Binding, scope: &mut Scope) -> Option<Option<Polyhedron>> {
        let names = scope.names();
        let is_new = self.bind_index(&binding.index, scope);
        let range = match &binding.range {
            None => None,
            Some((low, high)) => {
                let (low, high) = (self.lower_affine(low, &names), self.lower_affine(high, &names));
                Some(half_open(&binding.index.node, &low?, &high?))
            }
        };
        is_new.then_some(range)
    }

    fn infer_missing(
        &mut self,
        bindings: &[Binding],
        ranges: Vec<Option<Polyhedron>>,
        body: &Expr,
        scope: &Scope,
    ) -> Option<Vec<Polyhedron>> {
        let mut uses = self.uses_in(body);
        uses.push(scope.target.clone());
        let mut complete = vec![];
        for (binding, range) in bindings.iter().zip(ranges) {
            let index = &binding.index;
            let help = format!("give it a range: `{} in 0..N`", index.node);
            complete.push(range.or_else(|| self.infer_range(&index.node, index.span, &uses, &help)));
        }
        complete.into_iter().collect()
    }
}

pub(super) fn infix_function(infix: Infix) -> Function {
    match infix {
        Infix::Add => Function::Add,
        Infix::Subtract => Function::Subtract,
        Infix::Multiply => Function::Multiply,
        Infix::Divide => Function::Divide,
    }
}

/// The function for a comparison, and whether its arguments are swapped.
pub(super) fn comparison_function(relation: Relation) -> (Function, bool) {
    match relation {
        Relation::Less => (Function::Less, false),
        Relation::LessEqual => (Function::LessEqual, false),
        Relation::Greater => (Function::Less, true),
        Relation::GreaterEqual => (Function::LessEqual, true),
        Relation::Equal => (Function::Equal, false),
        Relation::NotEqual => (Function::NotEqual, false),
    }
}
