//! Expressions at fixed sizes, ready to be evaluated many times.
//!
//! In: an expression whose indices have slots. Out: a [`Node`] tree in which parameters are folded into constants,
//! indices are slots and tensors are positions; [`evaluate_node`] walks it without looking anything up by name.

use super::table::{State, Table};
use super::{Expr, Operand, Operator, Scalar};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Bindings, Bound, Name};
use systole_base::scalar::{Function, Real};
use systole_base::span::Span;

/// An affine form over slots. Arithmetic saturates; a saturated value lies outside every tensor.
pub(super) struct Linear {
    constant: i64,
    terms: Vec<(usize, i64)>,
}

impl Linear {
    /// The value with these slots.
    pub(super) fn at(&self, slots: &[i64]) -> i64 {
        let term =
            |(slot, coefficient): &(usize, i64)| coefficient.saturating_mul(slots.get(*slot).copied().unwrap_or(0));
        self.terms.iter().fold(self.constant, |sum, pair| sum.saturating_add(term(pair)))
    }
}

/// An expression over slots.
pub(super) enum Node {
    Number(f64),
    Index(Linear),
    Read(Access),
    Apply(Function, Vec<Node>),
    Reduce(Box<Reduction>),
}

/// A tensor by position, with its subscripts.
pub(super) struct Access {
    pub(super) table: usize,
    pub(super) subscripts: Vec<Linear>,
    pub(super) span: Span,
}

/// A reduction over the values of one slot.
pub(super) struct Reduction {
    operator: Operator,
    slot: usize,
    lower: Vec<(Linear, i64)>,
    upper: Vec<(Linear, i64)>,
    guards: Vec<Linear>,
    body: Node,
}

/// Why a value could not be computed.
pub(super) enum Stop {
    /// The element of this table at this position is not known yet.
    Missing(usize, usize),
    /// A subscript lies outside its tensor.
    Outside(usize, Span),
}

/// The names that a resolution needs: which slot an index has, which table a tensor is.
pub(super) struct Resolver<'a> {
    pub(super) sizes: &'a Bindings,
    pub(super) tables: &'a [Table],
    pub(super) indices: Vec<Name>,
}

impl Resolver<'_> {
    /// A form with its parameters folded in.
    pub(super) fn linear(&self, form: &Affine) -> Checked<Linear> {
        let mut linear = Linear { constant: form.constant_term(), terms: vec![] };
        for (name, coefficient) in form.terms() {
            if let Some(slot) = self.indices.iter().position(|index| index == name) {
                linear.terms.push((slot, coefficient));
            } else if let Some(size) = self.sizes.get(name) {
                linear.constant = linear.constant.saturating_add(coefficient.saturating_mul(*size));
            } else {
                return Diagnostic::new(format!("`{name}` has no value in `{form}`")).alone();
            }
        }
        Ok(linear)
    }

    /// A list of forms.
    pub(super) fn linears(&self, forms: &[Affine]) -> Checked<Vec<Linear>> {
        forms.iter().map(|form| self.linear(form)).collect()
    }

    /// A tensor access.
    pub(super) fn access(&self, tensor: &Name, subscripts: &[Affine], span: Span) -> Checked<Access> {
        let Some(table) = self.tables.iter().position(|table| table.name == *tensor) else {
            return Diagnostic::new(format!("unknown tensor `{tensor}`")).alone();
        };
        Ok(Access { table, subscripts: self.linears(subscripts)?, span })
    }

    /// An expression of a system.
    pub(super) fn expression(&mut self, expression: &Expr) -> Checked<Node> {
        Ok(match expression {
            Expr::Number(value) => Node::Number(*value),
            Expr::Index(form) => Node::Index(self.linear(form)?),
            Expr::Read { tensor, subscripts, span } => Node::Read(self.access(tensor, subscripts, *span)?),
            Expr::Apply(function, arguments) => {
                let nodes = arguments.iter().map(|argument| self.expression(argument)).collect::<Checked<_>>()?;
                Node::Apply(*function, nodes)
            }
            Expr::Reduce { operator, index, range, body, .. } => {
                let (lower, upper) = range.bounds(index);
                let (lower, upper) = (self.bounds(&lower)?, self.bounds(&upper)?);
                if lower.is_empty() || upper.is_empty() {
                    return Diagnostic::new(format!("index `{index}` has no bounds")).alone();
                }
                let free = range.constraints().iter().filter(|form| form.coefficient(index) == 0);
                let guards = free.map(|form| self.linear(form)).collect::<Checked<_>>()?;
                let slot = self.indices.len();
                self.indices.push(index.clone());
                let body = self.expression(body);
                self.indices.pop();
                Node::Reduce(Box::new(Reduction { operator: *operator, slot, lower, upper, guards, body: body? }))
            }
        })
    }

    fn bounds(&self, bounds: &[Bound]) -> Checked<Vec<(Linear, i64)>> {
        bounds.iter().map(|bound| Ok((self.linear(&bound.form)?, bound.coefficient))).collect()
    }

    /// The body of a space.
    pub(super) fn scalar(&self, scalar: &Scalar, operands: &[Operand]) -> Checked<Node> {
        Ok(match scalar {
            Scalar::Number(value) => Node::Number(*value),
            Scalar::Index(form) => Node::Index(self.linear(form)?),
            Scalar::Operand(position) => match operands.get(*position) {
                Some(operand) => Node::Read(self.access(&operand.tensor, &operand.access, operand.span)?),
                None => {
                    return Diagnostic::new(format!("the body reads operand {position}, which is not there")).alone();
                }
            },
            Scalar::Apply(function, arguments) => {
                let nodes = arguments.iter().map(|argument| self.scalar(argument, operands)).collect::<Checked<_>>()?;
                Node::Apply(*function, nodes)
            }
        })
    }
}

impl Access {
    /// The position of the element, or `None` outside the tensor.
    pub(super) fn locate(&self, tables: &[Table], slots: &[i64]) -> Option<usize> {
        let table = tables.get(self.table)?;
        let mut flat = 0;
        for (subscript, extent) in self.subscripts.iter().zip(&table.extents) {
            let value = usize::try_from(subscript.at(slots)).ok().filter(|value| value < extent)?;
            flat = flat * extent + value;
        }
        Some(flat)
    }

    fn read<R: Real>(&self, tables: &[Table], slots: &[i64]) -> Result<R, Stop> {
        let flat = self.locate(tables, slots).ok_or(Stop::Outside(self.table, self.span))?;
        let table = &tables[self.table];
        match table.states.get(flat) {
            Some(State::Ready) => Ok(R::rounded(table.values[flat])),
            _ => Err(Stop::Missing(self.table, flat)),
        }
    }
}

impl Reduction {
    /// Starts from the first term, so that no neutral value enters the result; without any term it is the neutral value.
    fn evaluate<R: Real>(&self, tables: &[Table], slots: &mut Vec<i64>) -> Result<R, Stop> {
        Ok(self.total(tables, slots)?.unwrap_or(R::rounded(self.operator.neutral())))
    }

    /// All terms as one; `None` where there are none.
    fn total<R: Real>(&self, tables: &[Table], slots: &mut Vec<i64>) -> Result<Option<R>, Stop> {
        if self.guards.iter().any(|guard| guard.at(slots) < 0) {
            return Ok(None);
        }
        let low = self.lower.iter().map(|(form, divisor)| ceiling(form.at(slots), *divisor)).max().unwrap_or(0);
        let high = self.upper.iter().map(|(form, divisor)| form.at(slots).div_euclid(*divisor)).min().unwrap_or(-1);
        let mut total: Option<R> = None;
        for value in low..=high {
            slots.truncate(self.slot);
            slots.push(value);
            let Some(term) = self.term(tables, slots)? else { continue };
            total = Some(total.map_or(term, |sum| self.operator.combine(sum, term)));
        }
        slots.truncate(self.slot);
        Ok(total)
    }

    /// `sum(k) sum(l) e` is one reduction over all points, so a `k` without any `l` has no term: a neutral one would turn -0 into 0.
    fn term<R: Real>(&self, tables: &[Table], slots: &mut Vec<i64>) -> Result<Option<R>, Stop> {
        match &self.body {
            Node::Reduce(inner) if inner.operator == self.operator => inner.total(tables, slots),
            body => evaluate_node(body, tables, slots).map(Some),
        }
    }
}

/// The value of a node; `slots` holds the indices in scope and comes back as it was.
pub(super) fn evaluate_node<R: Real>(node: &Node, tables: &[Table], slots: &mut Vec<i64>) -> Result<R, Stop> {
    match node {
        Node::Number(value) => Ok(R::rounded(*value)),
        Node::Index(form) => Ok(R::rounded(form.at(slots) as f64)),
        Node::Read(access) => access.read(tables, slots),
        Node::Reduce(reduction) => reduction.evaluate(tables, slots),
        Node::Apply(function, arguments) => {
            let mut values = [0.0; 3];
            for (value, argument) in values.iter_mut().zip(arguments) {
                *value = evaluate_node::<R>(argument, tables, slots)?.double();
            }
            Ok(R::rounded(function.apply(&values[..arguments.len().min(values.len())])))
        }
    }
}

/// The quotient rounded up; the divisor is positive.
fn ceiling(value: i64, divisor: i64) -> i64 {
    let quotient = value.div_euclid(divisor);
    if value.rem_euclid(divisor) == 0 { quotient } else { quotient + 1 }
}
