//! Affine forms: what subscripts, extents, bounds, places and times must be.

use super::Lowering;
use crate::recurrence::Strip;
use crate::syntax::ast::{Expr, Half, Infix, Term};
use crate::syntax::print_expression;
use systole_base::diagnostic::nearest;
use systole_base::integer::{Affine, Name};
use systole_base::span::Span;

/// The largest number in an affine form.
const NUMBER_LIMIT: u64 = 1 << 31;

/// The largest factor of a variable. Elimination multiplies such factors, and all its results must fit 64 bits.
const COEFFICIENT_LIMIT: u64 = 1 << 10;

impl Lowering<'_> {
    /// The expression as an affine form of the parameters and of `indices`.
    pub(super) fn lower_affine(&mut self, expression: &Expr, indices: &[Name]) -> Option<Affine> {
        let form = match &expression.node {
            Term::Number(value) => self.lower_integer(*value, expression.span),
            Term::Name(name) => self.lower_variable(name, expression.span, indices),
            Term::Negate(operand) => self.lower_affine(operand, indices).map(|form| -form),
            Term::Infix(infix, left, right) => {
                let (left, right) = (self.lower_affine(left, indices), self.lower_affine(right, indices));
                self.combine(*infix, left?, right?, expression)
            }
            Term::Divide(half, form, by) => {
                let form = self.lower_affine(form, indices)?;
                self.lower_half(*half, form, *by, expression.span)
            }
            Term::Access(..) | Term::Call(..) | Term::Compare(..) | Term::Else(..) | Term::Reduce(..) => {
                self.report_non_affine(expression, "depends on more than indices and parameters");
                None
            }
        };
        form.filter(|form| self.check_magnitude(form, expression.span))
    }

    fn lower_integer(&mut self, value: f64, span: Span) -> Option<Affine> {
        if value.is_infinite() {
            self.report(self.blame(span, "`infinity` where a whole number is needed".to_owned(), "not whole"));
            return None;
        }
        if value.fract() != 0.0 {
            self.report(self.blame(span, "a fraction where a whole number is needed".to_owned(), "not whole"));
            return None;
        }
        // The conversion saturates; what lies beyond the limit is refused with every other large number.
        Some(Affine::constant(value as i64))
    }

    fn lower_variable(&mut self, name: &Name, span: Span, indices: &[Name]) -> Option<Affine> {
        if indices.contains(name) || self.is_parameter(name) {
            return Some(Affine::variable(name));
        }
        if self.tensor(name).is_some() {
            let message = format!("tensor `{name}` cannot stand where an index or a parameter is needed");
            self.report(self.blame(span, message, "a tensor").help("subscripts and bounds cannot depend on data"));
            return None;
        }
        if let Some(strip) = Strip::of(name) {
            let index = self.lower_variable(&strip.index, span, indices)?;
            let half = if strip.number() == *name { Half::Quotient } else { Half::Rest };
            return self.lower_half(half, index, strip.size, span);
        }
        let known: Vec<Name> = indices.iter().chain(&self.parameters).cloned().collect();
        let what = if indices.is_empty() { "parameter" } else { "index or parameter" };
        let is_of_equation = self.divided.is_some() && self.binding_before(name, span).is_none();
        let is_size = known.iter().any(|size| size.eq_ignore_ascii_case(name));
        if is_of_equation && (is_size || nearest(name, known.iter().map(|name| &**name)).is_none()) {
            let help = format!(
                "what the left side has no index for is bound by a reduction, as in `sum({name}) A[i, {name}]`"
            );
            self.report(self.blame(span, format!("unknown {what} `{name}`"), "not known here").help(help));
            return None;
        }
        self.report_unknown(what, name, span, known.iter().map(|name| &**name));
        None
    }

    fn combine(&mut self, infix: Infix, left: Affine, right: Affine, whole: &Expr) -> Option<Affine> {
        match infix {
            Infix::Add => Some(left + right),
            Infix::Subtract => Some(left - right),
            Infix::Multiply if left.is_constant() => Some(right * left.constant_term()),
            Infix::Multiply if right.is_constant() => Some(left * right.constant_term()),
            Infix::Multiply => {
                self.report_non_affine(whole, "a product of two variables");
                None
            }
            Infix::Divide => {
                self.report_non_affine(whole, "a quotient");
                None
            }
        }
    }

    fn report_non_affine(&mut self, expression: &Expr, label: &str) {
        let message = format!("`{}` is not affine", print_expression(expression));
        let help = "only sums of whole multiples of indices and parameters can stand here, as in `2*i + N - 1`";
        self.report(self.blame(expression.span, message, label).help(help));
    }

    pub(super) fn check_magnitude(&mut self, form: &Affine, span: Span) -> bool {
        let constant = form.constant_term().unsigned_abs() <= NUMBER_LIMIT;
        let coefficients = form.terms().all(|(_, coefficient)| coefficient.unsigned_abs() <= COEFFICIENT_LIMIT);
        if !constant {
            let message = format!("a number beyond {NUMBER_LIMIT} in a subscript, bound or extent");
            self.report(self.blame(span, message, "too large"));
        } else if !coefficients {
            let message = format!("a factor beyond {COEFFICIENT_LIMIT} of an index or a parameter");
            self.report(self.blame(span, message, "too large"));
        }
        constant && coefficients
    }
}
