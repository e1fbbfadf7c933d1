//! Trees of streams: how an operand reaches the heads of its lines over the faces that they make.
//!
//! A point without a predecessor along the first direction asks for one along the next, on the face it lies on, and so on;
//! only a point without any loads. What stays on the PE between two points of a face has a register of its own, since the
//! register of the operand holds other words in between.

use super::body::Body;
use crate::mapping::{Flow, FlowRole};
use systole_base::integer::{Affine, Polyhedron};
use systole_program::array::{Instruction, ScalarExpr};

impl Body<'_> {
    /// The flows of an operand over the faces of its tree, in their order.
    pub fn branches(&self, operand: usize) -> Vec<&Flow> {
        self.flows.iter().filter(|flow| matches!(flow.role, FlowRole::Face(own, _) if own == operand)).collect()
    }

    /// The conditions under which a flow over a face reaches a point.
    pub fn reached(&self, flow: &Flow) -> Vec<Affine> {
        [self.open(&flow.set), self.previous(flow)].concat()
    }

    /// The conditions under which a flow over a face leaves a point.
    pub fn left(&self, flow: &Flow) -> Vec<Affine> {
        [self.open(&flow.set), self.next(flow)].concat()
    }

    /// How an operand comes to the head of a line: by the first of its branches that reaches the point, or into the space.
    pub fn take_branch(&self, operand: usize, branches: &[&Flow], known: &Polyhedron) -> Vec<Instruction> {
        let Some((first, others)) = branches.split_first() else { return self.enter(operand, known) };
        let register = self.names.register(FlowRole::Operand(operand));
        let arrive = match first.is_stationary() {
            true => Instruction::Let(register, ScalarExpr::Register(self.names.register(first.role))),
            false => Instruction::Receive(register, self.names.channel(first.role)),
        };
        let other = |known: &Polyhedron| self.take_branch(operand, others, known);
        self.when(&self.reached(first), known, |_| vec![arrive.clone()], other)
    }

    /// The operand goes on over its faces.
    pub fn pass_branches(&self, operand: usize, known: &Polyhedron) -> Vec<Instruction> {
        let register = self.names.register(FlowRole::Operand(operand));
        let pass = |flow: &Flow| match flow.is_stationary() {
            true => Instruction::Let(self.names.register(flow.role), ScalarExpr::Register(register.clone())),
            false => Instruction::Send(self.outbound(flow.role), register.clone()),
        };
        let branches = self.branches(operand).into_iter();
        branches.flat_map(|flow| self.when(&self.left(flow), known, |_| vec![pass(flow)], |_| vec![])).collect()
    }
}
