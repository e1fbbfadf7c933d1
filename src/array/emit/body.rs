//! What one class of PEs does: its loops over the points, and the instructions at a point.
//!
//! At a point the operands are taken in, the operation is done, its result is passed on or finished, the operands are
//! passed on, and the step ends. What stays on the PE along the innermost loop is taken in before that loop and stored
//! after it.

use super::known::{Decision, assume, assume_not, decide};
use super::moves::{has_next, has_previous};
use super::names::Names;
use super::scan::Scan;
use crate::array::{Condition, IndexExpr, Instruction, ScalarExpr};
use crate::integer::{Affine, Matrix, Name, Polyhedron};
use crate::mapping::{Design, Flow, FlowRole};
use crate::recurrence::{Function, Operator, Scalar};
use crate::rewrite::Transport;

/// Everything a body is written from.
pub struct Body<'a> {
    /// The design.
    pub design: &'a Design<'a>,
    /// The names of registers and channels.
    pub names: &'a Names,
    /// The points of a PE.
    pub scan: &'a Scan,
    /// What moves.
    pub flows: &'a [Flow],
    /// The clock of a point.
    pub at: &'a IndexExpr,
}

impl Body<'_> {
    /// Every condition that decides between instructions, with whether it looks forwards, in the order of the flows.
    pub fn conditions(&self) -> Vec<(Vec<Affine>, bool)> {
        let space = self.design.space;
        let flow = |flow: &Flow| {
            let previous = has_previous(space, self.scan, &flow.set, &flow.direction);
            [(previous, false), (has_next(space, self.scan, &flow.set, &flow.direction), true)]
        };
        let mut conditions: Vec<(Vec<Affine>, bool)> = self.flows.iter().flat_map(flow).collect();
        for transport in &self.design.dataflow.transports {
            if let Transport::Broadcast(along) = transport {
                conditions.push((self.has_previous(along), false));
            }
        }
        conditions
    }

    /// The body of the class whose PEs are `pes`.
    pub fn write(&self, pes: &Polyhedron) -> Vec<Instruction> {
        let known = self.scan.domain.intersect(pes);
        let mut body = self.prefetches(&known);
        body.extend(self.constants());
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
            around.push(self.store());
        }
        around
    }

    /// The instructions at a point.
    fn point(&self, known: &Polyhedron) -> Vec<Instruction> {
        let mut body = vec![Instruction::At(self.at.clone())];
        (0..self.design.space.operands.len()).for_each(|operand| body.extend(self.take(operand, known)));
        body.extend(self.reduce(0, self.value(), known));
        for flow in self.flows.iter().filter(|flow| matches!(flow.role, FlowRole::Operand(_))) {
            if !flow.is_stationary() {
                let pass = vec![Instruction::Send(self.names.channel(flow.role), self.names.register(flow.role))];
                body.extend(self.when(&self.next(flow), known, |_| pass.clone(), |_| vec![]));
            }
        }
        body.push(Instruction::Tick(1));
        body
    }

    /// How an operand comes in at a point.
    fn take(&self, operand: usize, known: &Polyhedron) -> Vec<Instruction> {
        let role = FlowRole::Operand(operand);
        let (register, channel) = (self.names.register(role), self.names.channel(role));
        match &self.design.dataflow.transports[operand] {
            Transport::Feed => vec![self.load(operand)],
            Transport::Prefetch if self.is_constant(operand) => vec![],
            Transport::Prefetch => vec![self.local(operand)],
            Transport::Broadcast(along) => {
                let tag = self.line(along);
                let drive =
                    vec![self.load(operand), Instruction::Drive(channel.clone(), register.clone(), tag.clone())];
                let listen = vec![Instruction::Listen(register, channel, tag)];
                self.when(&self.has_previous(along), known, |_| listen.clone(), |_| drive.clone())
            }
            Transport::Stream(along) => {
                let stays = self.design.map.displacement(along).iter().all(|entry| *entry == 0);
                if stays && self.follows_innermost(along) && self.scan.is_exact() {
                    return vec![];
                }
                let arrive = if stays { vec![] } else { vec![Instruction::Receive(register, channel)] };
                let load = vec![self.load(operand)];
                self.when(&self.has_previous(along), known, |_| arrive.clone(), |_| load.clone())
            }
        }
    }

    /// Stationary streams, taken in before the innermost loop.
    fn taken_before(&self) -> Vec<Instruction> {
        let held = |(operand, transport): (usize, &Transport)| match transport {
            Transport::Stream(along) if self.follows_innermost(along) && self.scan.is_exact() => {
                let stays = self.design.map.displacement(along).iter().all(|entry| *entry == 0);
                stays.then(|| self.load(operand))
            }
            _ => None,
        };
        self.design.dataflow.transports.iter().enumerate().filter_map(held).collect()
    }

    /// One level of the reduction: `value` joins the running result, which moves on, or is finished at the end of its line.
    fn reduce(&self, level: usize, value: ScalarExpr, known: &Polyhedron) -> Vec<Instruction> {
        let role = FlowRole::Reduction(level);
        let result = self.names.register(role);
        let Some(flow) = self.flows.iter().find(|flow| flow.role == role) else {
            let store = if self.design.space.reduction.is_none() || level > 0 { vec![self.store()] } else { vec![] };
            return [vec![Instruction::Let(result, value)], store].concat();
        };
        let mut join = vec![];
        if !flow.is_stationary() {
            join.push(Instruction::Receive(result.clone(), self.names.channel(role)));
        }
        let operator = self.design.space.reduction.map_or(Function::Add, function_of);
        let sum = ScalarExpr::Apply(operator, vec![ScalarExpr::Register(result.clone()), value.clone()]);
        join.push(Instruction::Let(result.clone(), sum));
        let start = vec![Instruction::Let(result.clone(), value.clone())];
        let mut body = self.when(&self.previous(flow), known, |_| join.clone(), |_| start.clone());
        let moved = match flow.is_stationary() {
            true => vec![],
            false => vec![Instruction::Send(self.names.channel(role), result.clone())],
        };
        body.extend(self.when(&self.next(flow), known, |_| moved.clone(), |known| self.finish(level, known)));
        body
    }

    /// The end of a line: the next level, or the store.
    fn finish(&self, level: usize, known: &Polyhedron) -> Vec<Instruction> {
        let result = ScalarExpr::Register(self.names.register(FlowRole::Reduction(level)));
        if level + 1 < self.design.dataflow.chain.directions.len() {
            return self.reduce(level + 1, result, known);
        }
        if self.stores_after_loop() { vec![] } else { vec![self.store()] }
    }

    /// Whether the result stays through the innermost loop, so that it is stored once after it.
    fn stores_after_loop(&self) -> bool {
        let stays = |flow: &Flow| flow.is_stationary() && self.follows_innermost(&flow.direction);
        let single = self.design.dataflow.chain.directions.len() == 1;
        let mut results = self.flows.iter().filter(|flow| matches!(flow.role, FlowRole::Reduction(_)));
        single && self.scan.is_exact() && results.all(stays)
    }

    fn follows_innermost(&self, along: &[i64]) -> bool {
        self.scan.basis.last().is_some_and(|inner| inner == along)
    }

    /// Elements that are prefetched: every one that the PE uses, once.
    fn prefetches(&self, known: &Polyhedron) -> Vec<Instruction> {
        let transports = self.design.dataflow.transports.iter().enumerate();
        let held = transports.filter(|(_, transport)| **transport == Transport::Prefetch);
        held.flat_map(|(operand, _)| self.prefetch(operand, known)).collect()
    }

    fn prefetch(&self, operand: usize, known: &Polyhedron) -> Vec<Instruction> {
        let (tensor, subscripts) = self.element(operand);
        let fetch = vec![Instruction::Prefetch(tensor, subscripts)];
        if self.is_constant(operand) {
            return fetch;
        }
        let repeats = self.design.map.place.above(&self.access(operand)).null_lattice();
        let mut body = fetch;
        for along in &repeats {
            let inner = body.clone();
            body = self.when(&self.has_previous(along), known, |_| vec![], |_| inner.clone());
        }
        for level in (0..self.scan.loops.len()).rev() {
            let (first, last) = self.scan.loop_bounds(level, known);
            body = vec![Instruction::Loop { index: self.scan.loops[level].clone(), first, last, body }];
        }
        body
    }

    /// Registers for prefetched elements that are the same at all points of a PE.
    fn constants(&self) -> Vec<Instruction> {
        let transports = self.design.dataflow.transports.iter().enumerate();
        let constant = |(operand, transport): (usize, &Transport)| {
            (*transport == Transport::Prefetch && self.is_constant(operand)).then(|| self.local(operand))
        };
        transports.filter_map(constant).collect()
    }

    /// Whether a PE uses one element of the operand only, and can have it before its loops: a PE without points has none.
    fn is_constant(&self, operand: usize) -> bool {
        let access = self.access(operand);
        self.scan.is_full && self.scan.basis.iter().all(|vector| access.apply(vector).iter().all(|entry| *entry == 0))
    }

    fn access(&self, operand: usize) -> Matrix {
        let space = self.design.space;
        let rows = space.operands[operand].access.iter().map(|form| form.row(space.indices())).collect();
        Matrix::new(rows, space.dimension())
    }

    fn element(&self, operand: usize) -> (Name, Vec<IndexExpr>) {
        let operand = &self.design.space.operands[operand];
        (operand.tensor.clone(), self.subscripts(&operand.access))
    }

    fn subscripts(&self, access: &[Affine]) -> Vec<IndexExpr> {
        access.iter().map(|form| self.scan.expression(&self.scan.image(form))).collect()
    }

    fn load(&self, operand: usize) -> Instruction {
        let (tensor, subscripts) = self.element(operand);
        Instruction::Load(self.names.register(FlowRole::Operand(operand)), tensor, subscripts)
    }

    fn local(&self, operand: usize) -> Instruction {
        let (tensor, subscripts) = self.element(operand);
        Instruction::Local(self.names.register(FlowRole::Operand(operand)), tensor, subscripts)
    }

    fn store(&self) -> Instruction {
        let space = self.design.space;
        let last = self.design.dataflow.chain.directions.len().saturating_sub(1);
        let result = self.names.register(FlowRole::Reduction(last));
        Instruction::Store(space.output.clone(), self.subscripts(&space.output_access), result)
    }

    /// What is the same for all points of a line and differs between lines: the coordinates of the line's point whose
    /// entry along the direction's first axis lies between 0 and that entry.
    fn line(&self, along: &[i64]) -> Vec<IndexExpr> {
        let space = self.design.space;
        let Some(axis) = along.iter().position(|entry| *entry != 0) else { return vec![] };
        let pace = along[axis].abs();
        let value = |index: usize| self.scan.image(&Affine::variable(&space.indices()[index]));
        let entry = |index: usize| {
            let slope = along[index] * along[axis].signum();
            match (index == axis, pace) {
                (true, 1) => None,
                (true, _) => Some(IndexExpr::Modulo(Box::new(self.scan.expression(&value(axis))), pace)),
                (false, 1) => Some(self.scan.expression(&(value(index) - value(axis) * slope))),
                (false, _) => {
                    let steps = IndexExpr::Floor(Box::new(self.scan.expression(&value(axis))), pace);
                    let shift = IndexExpr::Product(vec![IndexExpr::Constant(-slope), steps]);
                    Some(IndexExpr::Sum(vec![self.scan.expression(&value(index)), shift]))
                }
            }
        };
        (0..space.dimension()).filter_map(entry).collect()
    }

    /// The operation of a point, over registers.
    fn value(&self) -> ScalarExpr {
        let index = |form: &Affine| self.scan.expression(&self.scan.image(form));
        scalar_expression(&self.design.space.body, &index, &|operand| self.names.register(FlowRole::Operand(operand)))
    }

    fn has_previous(&self, along: &[i64]) -> Vec<Affine> {
        has_previous(self.design.space, self.scan, &self.design.space.domain.set, along)
    }

    fn previous(&self, flow: &Flow) -> Vec<Affine> {
        has_previous(self.design.space, self.scan, &flow.set, &flow.direction)
    }

    fn next(&self, flow: &Flow) -> Vec<Affine> {
        has_next(self.design.space, self.scan, &flow.set, &flow.direction)
    }

    /// One list or the other, decided now where that is possible.
    fn when(
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
                if then.is_empty() && otherwise.is_empty() {
                    return vec![];
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
            let arguments = arguments.iter().map(|argument| scalar_expression(argument, index, register));
            ScalarExpr::Apply(*function, arguments.collect())
        }
    }
}

/// The function that combines two values of a reduction.
pub fn function_of(operator: Operator) -> Function {
    match operator {
        Operator::Sum => Function::Add,
        Operator::Product => Function::Multiply,
        Operator::Max => Function::Maximum,
        Operator::Min => Function::Minimum,
    }
}
