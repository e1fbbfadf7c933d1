//! `x[i - 1] else 0`: an element, and what stands for it outside of its tensor.
//!
//! While an equation is lowered, such a read is a `select` whose condition is still open. Once the points of the equation are known, the
//! condition is that each subscript lies within its extent, as far as that is not so at all points anyway.

use super::Lowering;
use super::equations::Scope;
use crate::recurrence::Expr;
use crate::syntax::ast;
use crate::syntax::ast::Term;
use systole_base::integer::{Affine, Polyhedron};
use systole_base::scalar::Function;

/// Stands for a condition that is still open.
const OPEN: f64 = 0.5;

impl Lowering<'_> {
    pub(super) fn lower_else(&mut self, element: &ast::Expr, other: &ast::Expr, scope: &mut Scope) -> Option<Expr> {
        if !matches!(element.node, Term::Access(..)) {
            let message = "`else` stands behind one element".to_owned();
            let help = "write it behind each element that may lie outside, as in `(x[i - 1] else 0) + x[i]`";
            self.report(self.blame(element.span, message, "not an element of a tensor").help(help));
            return None;
        }
        let (read, other) = (self.lower_expression(element, scope), self.lower_expression(other, scope));
        self.padded.push(element.span);
        Some(Expr::Apply(Function::Select, vec![Expr::Number(OPEN), read?, other?]))
    }

    /// The value with the condition of each element that has an `else`, at these points.
    pub(super) fn close_padding(&self, value: &Expr, set: &Polyhedron) -> Expr {
        match value {
            Expr::Number(_) | Expr::Index(_) | Expr::Read { .. } => value.clone(),
            Expr::Reduce { operator, index, range, body, span } => Expr::Reduce {
                operator: *operator,
                index: index.clone(),
                range: range.clone(),
                body: Box::new(self.close_padding(body, &set.intersect(range))),
                span: *span,
            },
            Expr::Apply(function, arguments) => {
                let closed = || arguments.iter().map(|argument| self.close_padding(argument, set)).collect::<Vec<_>>();
                match (function, &arguments[..]) {
                    (Function::Select, [open, read @ Expr::Read { tensor, subscripts, span }, other])
                        if *open == Expr::Number(OPEN) && self.padded.contains(span) =>
                    {
                        let other = self.close_padding(other, set);
                        let shape = self.tensor(tensor).map(|tensor| tensor.shape.clone()).unwrap_or_default();
                        match within(subscripts, &shape, set) {
                            Some(condition) => Expr::Apply(Function::Select, vec![condition, read.clone(), other]),
                            None => read.clone(),
                        }
                    }
                    _ => Expr::Apply(*function, closed()),
                }
            }
        }
    }
}

/// That each subscript lies within its extent; `None` where that is so at all of these points.
fn within(subscripts: &[Affine], shape: &[Affine], set: &Polyhedron) -> Option<Expr> {
    let index = |form: &Affine| match form.is_constant() {
        true => Expr::Number(form.constant_term() as f64),
        false => Expr::Index(form.clone()),
    };
    let sides = |(subscript, extent): (&Affine, &Affine)| {
        let above = extent.clone() - subscript.clone() - Affine::constant(1);
        [
            (subscript.clone(), Expr::Apply(Function::LessEqual, vec![Expr::Number(0.0), index(subscript)])),
            (above, Expr::Apply(Function::Less, vec![index(subscript), index(extent)])),
        ]
    };
    let open = subscripts.iter().zip(shape).flat_map(sides).filter(|(form, _)| !set.implies(form));
    open.map(|(_, condition)| condition).reduce(|one, other| Expr::Apply(Function::Multiply, vec![one, other]))
}
