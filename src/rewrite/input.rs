//! From a space to the term that saturation starts with, and to the term of a chosen dataflow.
//!
//! In: a [`Space`]. Out: `(in s (reduce s o k e))`, with one `reduce` for each reduction index, or `(accum s o g e)` over
//! the fibres of an output such as `c[i+j]`; for a [`Dataflow`], the same value with every operand moved and every
//! reduction ordered as it says. Paper: Cyclotron sections 4.1 to 4.3.

use super::context::{access_text, direction_text, null_directions};
use super::dataflow::{Dataflow, Transport};
use super::language::{Literal, Term};
use crate::diagnostic::{Checked, Diagnostic};
use crate::integer::{Affine, Name};
use crate::recurrence::{Operand, Operator, Scalar, Space};
use egg::{Id, Language, RecExpr, Symbol};

/// How large the coefficients in the subscripts of one access may be: the product, over the subscripts, of the sums of
/// their magnitudes. It bounds the minors of the access, and so keeps its null lattice within 64 bits.
pub const MAX_COEFFICIENTS: u64 = 1 << 20;

/// How the reduction of a space is bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Levels {
    /// No reduction.
    None,
    /// Nested reductions over these indices, outermost first.
    Nested(Operator, Vec<Name>),
    /// One reduction over the fibres of the output access.
    Fibre(Operator),
}

/// The levels of the reduction of `space`.
pub(super) fn levels(space: &Space) -> Levels {
    let scattered = space.output_access.iter().any(|form| form.mentions(&space.reduced));
    match space.reduction {
        Some(operator) if scattered => Levels::Fibre(operator),
        Some(operator) => Levels::Nested(operator, space.reduced.clone()),
        None => Levels::None,
    }
}

/// Refuses what this stage cannot lower: huge coefficients, and fibres that are not lines.
pub(super) fn check_space(space: &Space) -> Checked<()> {
    let accesses = space.operands.iter().map(|operand| (&operand.tensor, &operand.access, operand.span));
    let accesses = accesses.chain([(&space.output, &space.output_access, space.span)]);
    let huge = accesses.filter(|(_, access, _)| spread(space, access) > MAX_COEFFICIENTS);
    let wrong: Vec<Diagnostic> = huge
        .map(|(tensor, _, span)| {
            Diagnostic::new(format!("the subscripts of `{tensor}` have coefficients that are too large")).label(
                &space.source,
                span,
                format!("their product is above {MAX_COEFFICIENTS}"),
            )
        })
        .collect();
    if wrong.is_empty() { check_fibre(space) } else { Err(wrong) }
}

fn spread(space: &Space, access: &[Affine]) -> u64 {
    let sum =
        |form: &Affine| form.row(space.indices()).iter().fold(0, |sum: u64, c| sum.saturating_add(c.unsigned_abs()));
    access.iter().map(sum).filter(|sum| *sum > 0).fold(1, u64::saturating_mul)
}

fn check_fibre(space: &Space) -> Checked<()> {
    if !matches!(levels(space), Levels::Fibre(_)) {
        return Ok(());
    }
    match null_directions(space, &space.output_access).len() {
        2 => Ok(()),
        0 => refuse_fibre(space, "single points", "write the equation without a reduction").alone(),
        _ => refuse_fibre(space, "not lines", "reduce over one index less, into a tensor with one subscript more")
            .alone(),
    }
}

fn refuse_fibre(space: &Space, what: &str, help: &str) -> Diagnostic {
    let access = access_text(&space.output_access);
    Diagnostic::new(format!("the fibres of `{}{access}` are {what}", space.output))
        .label(&space.source, space.span, "a reduction into computed subscripts runs along lines")
        .help(help)
}

/// The term that says what `space` computes, with no thought of how.
pub fn input_term(space: &Space) -> RecExpr<Term> {
    let mut builder = Builder::new(space);
    let body = builder.body(&space.body);
    let value = match levels(space) {
        Levels::None => body,
        Levels::Fibre(operator) => builder.accum(operator, body),
        Levels::Nested(operator, indices) => builder.reduce_all(operator, indices.iter().rev(), body),
    };
    let root = builder.inside(value);
    builder.finish(root)
}

/// The term in which each operand travels and each reduction runs as `dataflow` says; `None` where the two do not fit.
///
/// A value that comes from the point before is named by the term that it has there before lowering, so that the term is
/// finite.
pub fn lowered_term(space: &Space, dataflow: &Dataflow) -> Option<RecExpr<Term>> {
    let mut builder = Builder::new(space);
    let mut value = builder.lowered_body(&space.body, &dataflow.transports)?;
    let mut plain = builder.body(&space.body);
    let directions = &dataflow.chain.directions;
    match levels(space) {
        Levels::None if directions.is_empty() => {}
        Levels::Fibre(operator) if directions.len() == 1 => {
            value = builder.accumulate(operator, &directions[0], value, plain);
        }
        Levels::Nested(operator, indices) if directions.len() == indices.len() => {
            for direction in directions {
                value = builder.accumulate(operator, direction, value, plain);
                plain = builder.reduce(operator, space.indices().get(axis(direction)?)?, plain);
            }
        }
        _ => return None,
    }
    Some(builder.finish(value))
}

/// The position of the only non-zero entry.
fn axis(direction: &[i64]) -> Option<usize> {
    let mut used = (0..direction.len()).filter(|position| direction[*position] != 0);
    used.next().filter(|_| used.next().is_none())
}

/// The same term at a place and a step.
pub(super) fn scheduled_term(term: &RecExpr<Term>, place: &str, step: &str) -> RecExpr<Term> {
    let mut scheduled = term.clone();
    let value = term.root();
    // Parentheses would read as a term.
    let leaf = |text: &str| Term::name(&text.replace(' ', "").replace('(', "[").replace(')', "]"));
    let place = scheduled.add(leaf(place));
    let step = scheduled.add(leaf(step));
    scheduled.add(Term::Sched([place, step, value]));
    scheduled
}

struct Builder<'a> {
    space: &'a Space,
    term: RecExpr<Term>,
}

impl Builder<'_> {
    fn new(space: &Space) -> Builder<'_> {
        Builder { space, term: RecExpr::default() }
    }

    fn add(&mut self, node: Term) -> Id {
        self.term.add(node)
    }

    /// The term with `root` at its top.
    fn finish(&self, root: Id) -> RecExpr<Term> {
        self.term[root].build_recexpr(|id| self.term[id].clone())
    }

    fn here(&mut self) -> Id {
        let kernel = Term::name(&self.space.kernel);
        self.add(kernel)
    }

    fn inside(&mut self, value: Id) -> Id {
        let here = self.here();
        self.add(Term::In([here, value]))
    }

    fn reduce(&mut self, operator: Operator, index: &Name, body: Id) -> Id {
        let children = [self.here(), self.add(Term::operator(operator)), self.add(Term::name(index)), body];
        self.add(Term::Reduce(children))
    }

    fn reduce_all<'b>(&mut self, operator: Operator, indices: impl Iterator<Item = &'b Name>, body: Id) -> Id {
        indices.fold(body, |value, index| self.reduce(operator, index, value))
    }

    fn accum(&mut self, operator: Operator, body: Id) -> Id {
        let access = Term::Access(access_text(&self.space.output_access));
        let children = [self.here(), self.add(Term::operator(operator)), self.add(access), body];
        self.add(Term::Accum(children))
    }

    fn body(&mut self, scalar: &Scalar) -> Id {
        match scalar {
            Scalar::Number(value) => self.add(Term::Number(Literal::new(*value))),
            Scalar::Index(form) => {
                let access = self.add(Term::Access(access_text(std::slice::from_ref(form))));
                self.add(Term::Index(access))
            }
            Scalar::Operand(position) => self.at(*position),
            Scalar::Apply(function, arguments) => {
                let children = arguments.iter().map(|argument| self.body(argument)).collect();
                self.add(Term::apply(*function, children))
            }
        }
    }

    /// A read; a position that the space does not have stays a name, which no rule can lower.
    fn at(&mut self, position: usize) -> Id {
        let space = self.space;
        match space.operands.get(position) {
            Some(operand) => {
                let children = [self.add(Term::name(&operand.tensor)), self.access(operand)];
                self.add(Term::At(children))
            }
            None => self.add(Term::Other(Symbol::from(format!("operand{position}")), vec![])),
        }
    }

    fn access(&mut self, operand: &Operand) -> Id {
        self.add(Term::Access(access_text(&operand.access)))
    }

    fn lowered_body(&mut self, scalar: &Scalar, transports: &[Transport]) -> Option<Id> {
        match scalar {
            Scalar::Number(value) => Some(self.add(Term::Number(Literal::new(*value)))),
            Scalar::Index(form) => {
                let children = [self.here(), self.add(Term::Access(access_text(std::slice::from_ref(form))))];
                Some(self.add(Term::Here(children)))
            }
            Scalar::Operand(position) => self.moved(*position, transports.get(*position)?),
            Scalar::Apply(function, arguments) => {
                let lower = |argument| self.lowered_body(argument, transports);
                let children = arguments.iter().map(lower).collect::<Option<Vec<Id>>>()?;
                Some(self.add(Term::apply(*function, children)))
            }
        }
    }

    fn moved(&mut self, position: usize, transport: &Transport) -> Option<Id> {
        let operand = self.space.operands.get(position)?;
        let (here, tensor, access) = (self.here(), self.add(Term::name(&operand.tensor)), self.access(operand));
        let node = match transport {
            Transport::Stream(along) => return Some(self.streamed(position, along, [here, tensor, access])),
            Transport::Broadcast(along) => Term::Bcast([here, self.direction(along), tensor, access]),
            Transport::Prefetch if is_constant(self.space, operand) => Term::Const([here, tensor, access]),
            Transport::Prefetch => Term::Hold([here, tensor, access]),
            Transport::Feed => Term::Feed([here, tensor, access]),
            Transport::Handoff => return None,
        };
        Some(self.add(node))
    }

    fn direction(&mut self, vector: &[i64]) -> Id {
        let text = direction_text(self.space, vector);
        self.add(Term::Direction(text))
    }

    fn streamed(&mut self, position: usize, along: &[i64], [here, tensor, access]: [Id; 3]) -> Id {
        let d = self.direction(along);
        let load = self.add(Term::Load([here, d, tensor, access]));
        let read = self.at(position);
        let before = self.inside(read);
        self.carried(d, load, before)
    }

    /// `first` at the heads along `d`, else what the point before sends: its `value`.
    fn carried(&mut self, d: Id, first: Id, value: Id) -> Id {
        let here = self.here();
        let message = self.add(Term::Send([here, d, value]));
        let received = self.add(Term::Recv([here, d, message]));
        let head = self.add(Term::Head([here, d]));
        self.add(Term::Ite([head, first, received]))
    }

    /// The end of the line along `direction`, with `value` combined on the way; `plain` is `value` before lowering.
    fn accumulate(&mut self, operator: Operator, direction: &[i64], value: Id, plain: Id) -> Id {
        let (here, o, d) = (self.here(), self.add(Term::operator(operator)), self.direction(direction));
        let field = self.inside(plain);
        let before = self.add(Term::Acc([here, o, d, field]));
        let neutral = self.add(Term::Neutral(o));
        let start = self.carried(d, neutral, before);
        let total = self.add(Term::Combine([o, start, value]));
        self.add(Term::Last([here, d, total]))
    }
}

/// Whether no index occurs in the access of `operand`.
pub(super) fn is_constant(space: &Space, operand: &Operand) -> bool {
    !operand.access.iter().any(|form| form.mentions(space.indices()))
}
