//! How operands come in at a point, and how they and results leave for other spaces.

use super::body::Body;
use super::decide::{Decision, decide};
use super::passage::{Passage, Storage};
use crate::mapping::{Field, FlowRole, Giver};
use crate::rewrite::Transport;
use systole_base::integer::{Affine, Name, Polyhedron};
use systole_program::array::{IndexExpr, Instruction, ScalarExpr};

impl Body<'_> {
    /// The operands in an order in which each that another one gives at the same point comes after it.
    pub fn in_order(&self) -> Vec<usize> {
        let mut left: Vec<usize> = (0..self.design.space.operands.len()).collect();
        let mut order = vec![];
        while !left.is_empty() {
            let waits = |operand: &usize| self.copied(*operand).any(|giver| left.contains(&giver));
            let next = left.iter().position(|operand| !waits(operand)).unwrap_or(0);
            order.push(left.remove(next));
        }
        order
    }

    /// The operands of the same point that an operand is copied from.
    fn copied(&self, operand: usize) -> impl Iterator<Item = usize> {
        let mine = self.passages(operand).filter(|passage| passage.is_within_point);
        mine.filter_map(|passage| match passage.handoff.given() {
            Some((_, Field::Operand(giver))) => Some(giver),
            _ => None,
        })
    }

    /// How an operand may come in from outside its stream, where its tensor is computed.
    pub fn passages(&self, operand: usize) -> impl Iterator<Item = &Passage> {
        self.taken.iter().copied().filter(move |passage| passage.handoff.operand == operand)
    }

    /// How an operand comes in at a point.
    pub fn take(&self, operand: usize, known: &Polyhedron) -> Vec<Instruction> {
        let role = FlowRole::Operand(operand);
        let (register, channel) = (self.names.register(role), self.names.channel(role));
        match &self.design.dataflow.transports[operand] {
            Transport::Feed | Transport::Handoff | Transport::Local | Transport::Memory => self.enter(operand, known),
            Transport::Bus => self.hear(operand, known),
            Transport::Prefetch if self.is_constant(operand) => vec![],
            Transport::Prefetch => vec![self.local(operand)],
            Transport::Broadcast(along) => {
                let tag = self.line(along);
                let drive = Instruction::Drive(channel.clone(), register.clone(), tag.clone());
                let listen = vec![Instruction::Listen(register, channel, tag)];
                if self.passages(operand).next().is_some() {
                    return self.drive_or_listen(operand, (&drive, &listen), known);
                }
                let drive = vec![self.load(operand), drive];
                self.when(&self.has_previous(along), known, |_| listen.clone(), |_| drive.clone())
            }
            Transport::Tree(directions) => {
                let along = directions.first().map_or(&[][..], Vec::as_slice);
                let arrive = if self.stays(along) { vec![] } else { vec![Instruction::Receive(register, channel)] };
                let branches = self.branches(operand);
                let branch = |known: &Polyhedron| self.take_branch(operand, &branches, known);
                self.when(&self.has_previous(along), known, |_| arrive.clone(), branch)
            }
            Transport::Stream(_) if self.is_held(operand) => vec![],
            Transport::Stream(along) => {
                let arrive = if self.stays(along) { vec![] } else { vec![Instruction::Receive(register, channel)] };
                let enter = |known: &Polyhedron| self.enter(operand, known);
                self.when(&self.has_previous(along), known, |_| arrive.clone(), enter)
            }
        }
    }

    /// How an operand comes into the space: from memory, or from the first giver whose readers the point is one of.
    pub fn enter(&self, operand: usize, known: &Polyhedron) -> Vec<Instruction> {
        let never = |passage: &Passage| matches!(decide(&self.open(&passage.handoff.set), known), Decision::Never);
        let possible = |passage: &&Passage| !passage.is_idle && !never(passage);
        let passages: Vec<&Passage> = self.passages(operand).collect();
        if passages.is_empty() {
            return vec![self.load(operand)];
        }
        let possible: Vec<&Passage> = passages.into_iter().filter(possible).collect();
        if possible.is_empty() && known.has_no_integers() {
            // No point comes here. Whoever reads the program still finds every register written before it is read.
            return vec![Instruction::Let(self.names.register(FlowRole::Operand(operand)), ScalarExpr::Number(0.0))];
        }
        self.enter_by(&possible, known)
    }

    /// A computed operand off a bus: who takes it from its giver drives it, and all others listen, but where its value is known.
    fn drive_or_listen(
        &self,
        operand: usize,
        (drive, listen): (&Instruction, &[Instruction]),
        known: &Polyhedron,
    ) -> Vec<Instruction> {
        let passages: Vec<&Passage> = self.passages(operand).filter(|passage| !passage.is_idle).collect();
        self.drive_by(&passages, (drive, listen), known)
    }

    fn drive_by(
        &self,
        passages: &[&Passage],
        (drive, listen): (&Instruction, &[Instruction]),
        known: &Polyhedron,
    ) -> Vec<Instruction> {
        let [first, others @ ..] = passages else { return listen.to_vec() };
        let is_known = matches!(first.handoff.giver, Giver::Known(_));
        let drive_here = (!is_known).then(|| drive.clone());
        let here: Vec<Instruction> = std::iter::once(self.receive(first)).chain(drive_here).collect();
        let rest = |known: &Polyhedron| self.drive_by(others, (drive, listen), known);
        self.when(&self.open(&first.handoff.set), known, |_| here.clone(), rest)
    }

    /// The sets of readers cover the space, so the last one needs no test.
    fn enter_by(&self, passages: &[&Passage], known: &Polyhedron) -> Vec<Instruction> {
        match passages {
            [] => vec![],
            [last] => vec![self.receive(last)],
            [first, others @ ..] => {
                let here = vec![self.receive(first)];
                let rest = |known: &Polyhedron| self.enter_by(others, known);
                self.when(&self.open(&first.handoff.set), known, |_| here.clone(), rest)
            }
        }
    }

    fn receive(&self, passage: &Passage) -> Instruction {
        let register = self.names.register(FlowRole::Operand(passage.handoff.operand));
        let element = || self.subscripts(&self.design.space.operands[passage.handoff.operand].access);
        match &passage.storage {
            Some(Storage::Own(pad)) => return Instruction::Recall(register, pad.clone(), element()),
            Some(Storage::Shared(memory)) => return Instruction::Listen(register, memory.clone(), element()),
            None => {}
        }
        match (&passage.handoff.giver, passage.handoff.given()) {
            (Giver::Known(value), _) => Instruction::Let(register, self.scalar(value)),
            (_, Some((_, Field::Operand(giver)))) if passage.is_within_point => {
                let given = self.names.register(FlowRole::Operand(giver));
                Instruction::Let(register, ScalarExpr::Register(given))
            }
            _ => Instruction::Receive(register, passage.channel.clone()),
        }
    }

    /// What leaves for other points: an operand, or the result.
    pub fn give(&self, operand: Option<usize>, known: &Polyhedron) -> Vec<Instruction> {
        let (field, role) = match operand {
            Some(operand) => (Field::Operand(operand), FlowRole::Operand(operand)),
            None => (Field::Result, FlowRole::Reduction(self.last_level())),
        };
        let mut body = vec![];
        for passage in self.given.iter().filter(|passage| passage.handoff.given().is_some_and(|(_, f)| f == field)) {
            let send = vec![Instruction::Send(passage.channel.clone(), self.names.register(role))];
            body.extend(self.when(&self.open(&passage.givers), known, |_| send.clone(), |_| vec![]));
        }
        body
    }

    /// Stationary streams from memory, taken in before the innermost loop.
    pub fn taken_before(&self) -> Vec<Instruction> {
        let operands = 0..self.design.space.operands.len();
        operands.filter(|operand| self.is_held(*operand)).map(|operand| self.load(operand)).collect()
    }

    /// Whether an operand comes from memory and stays through the innermost loop.
    fn is_held(&self, operand: usize) -> bool {
        match &self.design.dataflow.transports[operand] {
            Transport::Stream(along) => {
                let stays = self.stays(along) && self.follows_innermost(along) && self.is_exact();
                stays && self.passages(operand).next().is_none()
            }
            _ => false,
        }
    }

    fn stays(&self, along: &[i64]) -> bool {
        self.design.map.displacement(along).iter().all(|entry| *entry == 0)
    }

    /// The element that an operand is, as program text.
    pub fn element(&self, operand: usize) -> (Name, Vec<IndexExpr>) {
        let operand = &self.design.space.operands[operand];
        (operand.tensor.clone(), self.subscripts(&operand.access))
    }

    /// An operand through the port of the PE.
    pub fn load(&self, operand: usize) -> Instruction {
        let (tensor, subscripts) = self.element(operand);
        Instruction::Load(self.names.register(FlowRole::Operand(operand)), tensor, subscripts)
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
}
