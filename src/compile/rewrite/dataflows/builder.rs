//! Builds the terms of a space: what it computes, and how.
//!
//! In: a [`Space`] of some [`Equations`]. Out: nodes of one term, added bottom up. Invariant: what comes from another point
//! or another space is named by the term that it has there before lowering, so that every term is finite. Paper: Cyclotron
//! sections 4.1 to 4.4.

use super::dataflow::Transport;
use super::levels::{Levels, is_constant, levels};
use crate::rewrite::registry::{Equations, access_text, direction_text, own_offset};
use crate::rewrite::terms::{Literal, Term};
use egg::{Id, Language, RecExpr};
use systole_base::integer::{Name, Vector};
use systole_base::scalar::Function;
use systole_equations::recurrence::{Operand, Operator, Scalar, Space};

/// How values of the own space are handed over where they have a constant distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OwnValues {
    /// The point before sends its result; only heads take theirs from elsewhere (`self-dep`).
    FromPointBefore,
    /// Every point takes its own (`choose-handoff`).
    Taken,
}

/// A term that grows.
pub(super) struct Builder<'a> {
    equations: &'a Equations,
    space: &'a Space,
    own: OwnValues,
    term: RecExpr<Term>,
}

impl<'a> Builder<'a> {
    pub fn new(equations: &'a Equations, space: &'a Space, own: OwnValues) -> Builder<'a> {
        Builder { equations, space, own, term: RecExpr::default() }
    }

    fn add(&mut self, node: Term) -> Id {
        self.term.add(node)
    }

    /// The term with `root` at its top.
    pub fn finish(&self, root: Id) -> RecExpr<Term> {
        self.term[root].build_recexpr(|id| self.term[id].clone())
    }

    fn here(&mut self) -> Id {
        self.add(Term::name(&self.space.name))
    }

    pub fn inside(&mut self, value: Id) -> Id {
        let here = self.here();
        self.add(Term::In([here, value]))
    }

    pub fn reduce(&mut self, operator: Operator, index: &Name, body: Id) -> Id {
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

    /// What the space computes, as an expression over its indices.
    pub fn value(&mut self) -> Id {
        let body = self.body(&self.space.body);
        match levels(self.space) {
            Levels::None => body,
            Levels::Fibre(operator) => self.accum(operator, body),
            Levels::Nested(operator, indices) => self.reduce_all(operator, indices.iter().rev(), body),
        }
    }

    /// The value of another space, as an expression over that space's indices.
    fn value_of(&mut self, inner: &'a Space) -> Id {
        let outer = std::mem::replace(&mut self.space, inner);
        let value = self.value();
        self.space = outer;
        value
    }

    pub fn body(&mut self, scalar: &Scalar) -> Id {
        match scalar {
            Scalar::Number(value) => self.add(Term::Number(Literal::new(*value))),
            Scalar::Index(form) => {
                let access = self.add(Term::Access(access_text(std::slice::from_ref(form))));
                self.add(Term::Index(access))
            }
            Scalar::Operand(position) => self.at(*position),
            Scalar::Apply(function, arguments) => {
                let children = arguments.iter().map(|argument| self.body(argument)).collect();
                self.apply(*function, children)
            }
        }
    }

    fn apply(&mut self, function: Function, children: Vec<Id>) -> Id {
        let Function::Leaf(number) = function else { return self.add(Term::apply(function, &children)) };
        let name = self.add(Term::leaf_name(number));
        let leaf = self.add(Term::Leaf(name));
        children.into_iter().fold(leaf, |called, argument| self.add(Term::Call([called, argument])))
    }

    /// A read; a position that the space does not have stays a name, which no rule can lower.
    fn at(&mut self, position: usize) -> Id {
        let space = self.space;
        let Some(operand) = space.operands.get(position) else {
            return self.add(Term::name(&format!("operand{position}")));
        };
        match self.equations.inner(operand) {
            Some(inner) => {
                let [name, operator] = self.reduction_of(inner);
                let children = [name, operator, self.access(operand), self.value_of(inner)];
                self.add(Term::Inner(children))
            }
            None => {
                let children = [self.add(Term::name(&operand.tensor)), self.access(operand)];
                self.add(Term::At(children))
            }
        }
    }

    /// The name of a space and the operator that it reduces by.
    fn reduction_of(&mut self, inner: &Space) -> [Id; 2] {
        let operator = inner.reduction.map_or_else(|| Term::name("none"), Term::operator);
        [self.add(Term::name(&inner.name)), self.add(operator)]
    }

    fn access(&mut self, operand: &Operand) -> Id {
        self.add(Term::Access(access_text(&operand.access)))
    }

    pub fn lowered_body(&mut self, scalar: &Scalar, transports: &[Transport]) -> Option<Id> {
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
                Some(self.apply(*function, children))
            }
        }
    }

    fn moved(&mut self, position: usize, transport: &Transport) -> Option<Id> {
        let space = self.space;
        let operand = space.operands.get(position)?;
        let (here, tensor, access) = (self.here(), self.add(Term::name(&operand.tensor)), self.access(operand));
        let node = match transport {
            Transport::Stream(along) => return Some(self.streamed(position, along, [here, tensor, access])),
            Transport::Tree(directions) => return self.branched(position, directions, [here, tensor, access]),
            Transport::Broadcast(along) => Term::Bcast([here, self.direction(along), tensor, access]),
            Transport::Prefetch if is_constant(self.space, operand) => Term::Const([here, tensor, access]),
            Transport::Prefetch => Term::Hold([here, tensor, access]),
            // One bus is another way to what ports bring: what is read is the same.
            Transport::Feed | Transport::Bus => Term::Feed([here, tensor, access]),
            Transport::Local => Term::Kept([here, tensor, access]),
            Transport::Memory => Term::Stored([here, tensor, access]),
            Transport::Handoff => return Some(self.handed(operand)),
        };
        Some(self.add(node))
    }

    fn direction(&mut self, vector: &[i64]) -> Id {
        let text = direction_text(self.space, vector);
        self.add(Term::Direction(text))
    }

    /// A tree: the words of each stream come to the heads of its lines by the next stream, on the space of these heads.
    fn branched(&mut self, position: usize, directions: &[Vector], [here, tensor, access]: [Id; 3]) -> Option<Id> {
        let mut faces = vec![here];
        let mut loads = vec![];
        for along in directions {
            let (face, d) = (*faces.last()?, self.direction(along));
            loads.push((d, self.add(Term::Load([face, d, tensor, access]))));
            faces.push(self.add(Term::Heads([face, d])));
        }
        let read = self.at(position);
        let whole = self.inside(read);
        let before = std::iter::once(whole).chain(loads.iter().map(|(_, load)| *load));
        let levels: Vec<(Id, Id, Id)> =
            faces.iter().zip(&loads).zip(before).map(|((f, (d, _)), b)| (*f, *d, b)).collect();
        let last = loads.last()?.1;
        Some(levels.iter().rev().fold(last, |first, (face, d, before)| self.carried_on(*face, *d, first, *before)))
    }

    fn streamed(&mut self, position: usize, along: &[i64], [here, tensor, access]: [Id; 3]) -> Id {
        let d = self.direction(along);
        let given =
            self.space.operands.get(position).is_some_and(|operand| self.equations.inputs.contains(&operand.tensor));
        let children = [here, d, tensor, access];
        let first = self.add(if given { Term::Load(children) } else { Term::Xfer(children) });
        let read = self.at(position);
        let before = self.inside(read);
        self.carried(d, first, before)
    }

    /// The operand, handed over to each point.
    fn handed(&mut self, operand: &Operand) -> Id {
        let (here, access) = (self.here(), self.access(operand));
        if let Some(inner) = self.equations.inner(operand) {
            let [name, operator] = self.reduction_of(inner);
            let value = self.value_of(inner);
            let field = self.add(Term::In([name, value]));
            return self.add(Term::Handoff([here, name, operator, access, field]));
        }
        let tensor = self.add(Term::name(&operand.tensor));
        let taken = self.add(Term::Take([here, tensor, access]));
        match own_offset(self.space, operand).filter(|_| self.own == OwnValues::FromPointBefore) {
            Some(offset) => {
                let (d, result) = (self.direction(&offset), self.add(Term::Result(here)));
                self.carried(d, taken, result)
            }
            None => taken,
        }
    }

    /// `first` at the heads along `d`, else what the point before sends: its `value`.
    fn carried(&mut self, d: Id, first: Id, value: Id) -> Id {
        let here = self.here();
        self.carried_on(here, d, first, value)
    }

    /// [`Builder::carried`] on the space `face`.
    fn carried_on(&mut self, face: Id, d: Id, first: Id, value: Id) -> Id {
        let message = self.add(Term::Send([face, d, value]));
        let received = self.add(Term::Recv([face, d, message]));
        let head = self.add(Term::Head([face, d]));
        self.add(Term::Ite([head, first, received]))
    }

    /// The end of the line along `direction`, with `value` combined on the way; `plain` is `value` before lowering.
    pub fn accumulate(&mut self, operator: Operator, direction: &[i64], value: Id, plain: Id) -> Id {
        let (here, o, d) = (self.here(), self.add(Term::operator(operator)), self.direction(direction));
        let field = self.inside(plain);
        let before = self.add(Term::Acc([here, o, d, field]));
        let neutral = self.add(Term::Neutral(o));
        let start = self.carried(d, neutral, before);
        let total = self.add(Term::Combine([o, start, value]));
        self.add(Term::Last([here, d, total]))
    }
}
