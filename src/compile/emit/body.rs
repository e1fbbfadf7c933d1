//! What one class of PEs does for one space: its loops over the points, and the instructions at a point.
//!
//! At a point the operands are taken in (`take`), the operation is done, its result is passed on or finished (`reduce`),
//! the operands are passed on, and the step ends. What stays on the PE along the innermost loop is taken in before that
//! loop and stored after it; what is prefetched comes before everything (`prefetch`).

use super::decide::{Decision, assume_not, decide};
use super::moves::{has_next, has_previous};
use super::names::Names;
use super::passage::Passage;
use super::scan::Scan;
use crate::mapping::ends::assume;
use crate::mapping::{Flow, FlowRole, MappedSpace};
use crate::rewrite::Transport;
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron, name};
use systole_base::scalar::Function;
use systole_equations::recurrence::Scalar;
use systole_program::array::{Condition, IndexExpr, Instruction, ScalarExpr};

/// Everything a body is written from.
#[derive(Clone)]
pub struct Body<'a> {
    /// The design of the space.
    pub design: &'a MappedSpace<'a>,
    /// The names of registers, and of the channels that come in.
    pub names: &'a Names,
    /// The bus that the points feed, where they are words on their way from memory and no operations.
    pub feeds: Option<Name>,
    /// The channels that go out, where they have other names than those that come in.
    pub outbound: BTreeMap<FlowRole, Name>,
    /// All points of a PE.
    pub all: Scan,
    /// The points of a PE; of a round, where there are rounds.
    pub scan: Scan,
    /// What moves along the space.
    pub flows: &'a [Flow],
    /// What the space takes from others, or from points of its own outside its streams.
    pub taken: Vec<&'a Passage>,
    /// What it gives.
    pub given: Vec<&'a Passage>,
    /// The clock of a point.
    pub at: IndexExpr,
    /// The scratchpad in which the PE keeps its results, where it does.
    pub keeps: Option<Name>,
    /// The memory that all PEs share, in which it stores them, where others read them there.
    pub shares: Option<Name>,
    /// Whether the result is an output of the kernel.
    pub is_output: bool,
    /// Whether a point may share its step with points of other spaces.
    pub shares_step: bool,
    /// Whether the points of a PE follow each other with nothing between, so that what stays can be moved out of the loop.
    pub is_undivided: bool,
}

impl Body<'_> {
    /// Every condition that decides between instructions, with whether it looks forwards, in the order of the flows.
    pub fn conditions(&self) -> Vec<(Vec<Affine>, bool)> {
        let space = self.design.space;
        let flow = |flow: &Flow| {
            if let FlowRole::Face(..) = flow.role {
                return [(self.reached(flow), false), (self.left(flow), true)];
            }
            let previous = has_previous(space, &self.scan, &flow.set, &flow.direction);
            [(previous, false), (has_next(space, &self.scan, &flow.set, &flow.direction), true)]
        };
        let mut conditions: Vec<(Vec<Affine>, bool)> = self.flows.iter().flat_map(flow).collect();
        for (operand, transport) in self.design.dataflow.transports.iter().enumerate() {
            if let Transport::Broadcast(along) = transport
                && self.passages(operand).next().is_none()
            {
                conditions.push((self.has_previous(along), false));
            }
        }
        if self.design.dataflow.transports.contains(&Transport::Bus) {
            conditions.push((self.is_feeder(), false));
        }
        let taken = self.taken.iter().filter(|passage| !passage.is_idle);
        conditions.extend(taken.map(|passage| (self.open(&passage.handoff.set), false)));
        conditions.extend(self.given.iter().map(|passage| (self.open(&passage.givers), true)));
        conditions
    }

    /// What a set of points asks besides lying in the space.
    pub fn open(&self, set: &Polyhedron) -> Vec<Affine> {
        let conditions = set.constraints().iter().map(|form| self.scan.image(form));
        conditions.filter(|form| !self.scan.domain.implies(form)).collect()
    }

    /// The body of the class whose PEs are `pes`, all of which have points.
    pub fn write(&self, pes: &Polyhedron) -> Vec<Instruction> {
        let known = self.scan.domain.intersect(pes);
        let mut body = self.constants();
        body.extend(self.nest(0, &known));
        body
    }

    fn nest(&self, level: usize, known: &Polyhedron) -> Vec<Instruction> {
        if level == self.scan.loops.len() {
            return self.point(known);
        }
        let innermost = level + 1 == self.scan.loops.len();
        let (first, last) = self.scan.loop_bounds(level, known);
        let body = self.nest(level + 1, known);
        let index = self.scan.loops[level].clone();
        let mut around = if innermost { self.taken_before() } else { vec![] };
        around.push(Instruction::Loop { index, first, last, body });
        if innermost && self.stores_after_loop() {
            around.extend(self.store());
        }
        around
    }

    /// The instructions at a point, from its clock on.
    pub fn point(&self, known: &Polyhedron) -> Vec<Instruction> {
        [vec![Instruction::At(self.at.clone())], self.step(known)].concat()
    }

    /// What is done at a point whose clock has come. An operation ends its step; a word that is fed does not.
    pub fn step(&self, known: &Polyhedron) -> Vec<Instruction> {
        if let Some(bus) = &self.feeds {
            return self.feed(bus);
        }
        let mut body = vec![];
        self.in_order().into_iter().for_each(|operand| body.extend(self.take(operand, known)));
        body.extend(self.reduce(0, self.scalar(&self.design.space.body), known));
        body.extend(self.pass_on(known));
        body.push(if self.shares_step { Instruction::Share } else { Instruction::Tick(1) });
        body
    }

    /// Operands go on along their streams, and to those that take them from this point.
    fn pass_on(&self, known: &Polyhedron) -> Vec<Instruction> {
        let mut body = vec![];
        for flow in self.flows.iter().filter(|flow| matches!(flow.role, FlowRole::Operand(_))) {
            if !flow.is_stationary() {
                let pass = vec![Instruction::Send(self.outbound(flow.role), self.names.register(flow.role))];
                body.extend(self.when(&self.next(flow), known, |_| pass.clone(), |_| vec![]));
            }
        }
        for operand in 0..self.design.space.operands.len() {
            body.extend(self.pass_branches(operand, known));
            body.extend(self.give(Some(operand), known));
        }
        body
    }

    /// The channel on which a flow goes out.
    pub fn outbound(&self, role: FlowRole) -> Name {
        self.outbound.get(&role).cloned().unwrap_or_else(|| self.names.channel(role))
    }

    /// Whether the PE's loop is one, and runs at least once, with nothing between its rounds.
    pub fn is_exact(&self) -> bool {
        self.is_undivided && self.scan.is_exact()
    }

    /// Whether a direction is that of the innermost loop.
    pub fn follows_innermost(&self, along: &[i64]) -> bool {
        self.scan.basis.last().is_some_and(|inner| inner == along)
    }

    /// Subscripts as program text.
    pub fn subscripts(&self, access: &[Affine]) -> Vec<IndexExpr> {
        access.iter().map(|form| self.scan.expression(&self.scan.image(form))).collect()
    }

    /// A scalar over registers.
    pub fn scalar(&self, scalar: &Scalar) -> ScalarExpr {
        let index = |form: &Affine| self.scan.expression(&self.scan.image(form));
        scalar_expression(scalar, &index, &|operand| self.names.register(FlowRole::Operand(operand)))
    }

    /// The conditions under which a point has one before it along a direction.
    pub fn has_previous(&self, along: &[i64]) -> Vec<Affine> {
        has_previous(self.design.space, &self.scan, &self.design.space.domain.set, along)
    }

    /// The conditions under which a flow comes from a point before.
    pub fn previous(&self, flow: &Flow) -> Vec<Affine> {
        has_previous(self.design.space, &self.scan, &flow.set, &flow.direction)
    }

    /// The conditions under which a flow goes on to another point.
    pub fn next(&self, flow: &Flow) -> Vec<Affine> {
        has_next(self.design.space, &self.scan, &flow.set, &flow.direction)
    }

    /// One list or the other, decided now where that is possible.
    pub fn when(
        &self,
        conditions: &[Affine],
        known: &Polyhedron,
        then: impl Fn(&Polyhedron) -> Vec<Instruction>,
        otherwise: impl Fn(&Polyhedron) -> Vec<Instruction>,
    ) -> Vec<Instruction> {
        match decide(conditions, known) {
            Decision::Always => then(known),
            Decision::Never => otherwise(known),
            Decision::Test(open) => {
                let conditions: Vec<Condition> = open.iter().map(|form| self.scan.condition(form)).collect();
                let (then, otherwise) = (then(&assume(known, &open)), otherwise(&assume_not(known, &open)));
                if then == otherwise {
                    return then;
                }
                vec![Instruction::If { conditions, then, otherwise }]
            }
        }
    }
}

/// A pointwise expression, given the text of index forms and the registers of operands.
pub fn scalar_expression(
    scalar: &Scalar,
    index: &dyn Fn(&Affine) -> IndexExpr,
    register: &dyn Fn(usize) -> Name,
) -> ScalarExpr {
    match scalar {
        Scalar::Number(value) => ScalarExpr::Number(*value),
        Scalar::Index(form) => ScalarExpr::Index(index(form)),
        Scalar::Operand(operand) => ScalarExpr::Register(register(*operand)),
        Scalar::Apply(function, arguments) => {
            let arguments: Vec<ScalarExpr> =
                arguments.iter().map(|argument| scalar_expression(argument, index, register)).collect();
            applied(*function, arguments)
        }
    }
}

/// A function of its arguments. Those of a leaf begin with its tile coordinates.
pub fn applied(function: Function, arguments: Vec<ScalarExpr>) -> ScalarExpr {
    let Function::Leaf(number) = function else { return ScalarExpr::Apply(function, arguments) };
    let coordinates = arguments.iter().take_while(|argument| matches!(argument, ScalarExpr::Index(_))).count();
    let tile = |argument: &ScalarExpr| match argument {
        ScalarExpr::Index(form) => Some(form.clone()),
        _ => None,
    };
    ScalarExpr::Call {
        leaf: leaf_name(number),
        onto: None,
        at: arguments[..coordinates].iter().filter_map(tile).collect(),
        arguments: arguments[coordinates..].to_vec(),
    }
}

/// The name of a leaf while a program is written.
pub fn leaf_name(number: u16) -> Name {
    name(&format!("leaf{number}"))
}

/// `value` joined to what a register holds: a leaf goes on from there.
pub fn joined(operator: Function, result: &Name, value: ScalarExpr) -> ScalarExpr {
    let running = ScalarExpr::Register(result.clone());
    match value {
        ScalarExpr::Call { leaf, onto: None, at, arguments } => {
            ScalarExpr::Call { leaf, onto: Some(Box::new(running)), at, arguments }
        }
        value => ScalarExpr::Apply(operator, vec![running, value]),
    }
}
