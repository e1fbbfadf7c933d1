//! Right-hand sides: reads and functions.

use super::Lowering;
use super::equations::{Scope, count};
use super::reductions::Written;
use crate::recurrence::{Expr, Operator, Strip};
use crate::syntax::ast;
use crate::syntax::ast::{Ident, Infix, Relation, Spanned, Term};
use crate::syntax::habits::instead_of_function;
use crate::syntax::print_expression;
use systole_base::integer::{Affine, Name};
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
            Term::Else(element, other) => self.lower_else(element, other, scope),
            Term::Divide(..) => self.lower_affine(expression, &scope.names()).map(Expr::Index),
            Term::Reduce(word, bindings, conditions, body) => {
                self.lower_reduction(&Written { word, bindings, conditions, body, span: expression.span }, scope)
            }
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
        if Strip::of(&name.node).is_some() {
            let half = Spanned::new(Term::Name(name.node.clone()), name.span);
            return self.lower_affine(&half, &indices).map(Expr::Index);
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
            let diagnostic = self.blame(word.span, message, "called here");
            self.report(match several(function, arguments) {
                Some(help) => diagnostic.help(help),
                None => diagnostic,
            });
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
        if let Some(help) = instead_of_function(&word.node) {
            let message = format!("unknown function `{}`", word.node);
            self.report(self.blame(word.span, message, "not known here").help(help));
            return;
        }
        let known = Function::ALL.iter().map(|function| function.keyword());
        self.report_unknown("function", &word.node, word.span, known);
    }
}

/// How the largest or smallest of one tensor, or of more than two values, is written.
fn several(function: Function, arguments: &[ast::Expr]) -> Option<String> {
    let word = function.keyword();
    let [first, rest @ ..] = arguments else { return None };
    if !matches!(function, Function::Maximum | Function::Minimum) {
        return None;
    }
    if rest.is_empty() {
        return Some(format!("of all elements it is a reduction: `{word}(i) x[i]`"));
    }
    let nested = rest
        .iter()
        .fold(print_expression(first), |nested, next| format!("{word}({nested}, {})", print_expression(next)));
    Some(format!("it is of two at a time: `{nested}`"))
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
