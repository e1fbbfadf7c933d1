//! How a value joins the running result of its line, and what is done with the final one.

use super::body::{Body, joined};
use crate::mapping::{Flow, FlowRole};
use systole_base::integer::{Name, Polyhedron, name};
use systole_base::scalar::Function;
use systole_equations::recurrence::{Operator, Space};
use systole_program::array::{IndexExpr, Instruction, ScalarExpr};

impl Body<'_> {
    /// One level of the reduction: `value` joins the running result, which moves on, or is finished at the end of its line.
    pub fn reduce(&self, level: usize, value: ScalarExpr, known: &Polyhedron) -> Vec<Instruction> {
        let role = FlowRole::Reduction(level);
        let result = self.names.register(role);
        let Some(flow) = self.flows.iter().find(|flow| flow.role == role) else {
            return [vec![Instruction::Let(result, value)], self.complete(known)].concat();
        };
        let mut join = vec![];
        if !flow.is_stationary() {
            join.push(Instruction::Receive(result.clone(), self.names.channel(role)));
        }
        if flow.is_kept {
            join.push(Instruction::Recall(result.clone(), partial(self.design.space, level), self.result_element()));
        }
        let operator = self.design.space.reduction.map_or(Function::Add, Operator::function);
        join.push(Instruction::Let(result.clone(), joined(operator, &result, value.clone())));
        let start = vec![Instruction::Let(result.clone(), value.clone())];
        let mut body = self.when(&self.previous(flow), known, |_| join.clone(), |_| start.clone());
        let moved = match flow.is_stationary() {
            true if flow.is_kept => {
                vec![Instruction::Keep(partial(self.design.space, level), self.result_element(), result.clone())]
            }
            true => vec![],
            false => vec![Instruction::Send(self.outbound(role), result.clone())],
        };
        body.extend(self.when(&self.next(flow), known, |_| moved.clone(), |known| self.finish(level, known)));
        body
    }

    /// The end of a line: the next level, or the final result.
    fn finish(&self, level: usize, known: &Polyhedron) -> Vec<Instruction> {
        let result = ScalarExpr::Register(self.names.register(FlowRole::Reduction(level)));
        if level + 1 < self.design.dataflow.chain.directions.len() {
            return self.reduce(level + 1, result, known);
        }
        self.complete(known)
    }

    /// The result is final: it is stored, and given to those that read it.
    fn complete(&self, known: &Polyhedron) -> Vec<Instruction> {
        let mut body = if self.stores_after_loop() { vec![] } else { self.store() };
        body.extend(self.share());
        body.extend(self.give(None, known));
        body
    }

    /// Whether the result stays through the innermost loop, so that it is stored once after it.
    pub fn stores_after_loop(&self) -> bool {
        let stays = |flow: &Flow| flow.is_stationary() && self.follows_innermost(&flow.direction);
        let single = self.design.dataflow.chain.directions.len() == 1;
        let mut results = self.flows.iter().filter(|flow| matches!(flow.role, FlowRole::Reduction(_)));
        single && self.is_exact() && results.all(stays)
    }

    /// The result is kept where the PE or another point of it reads it again, and stored where it is an output.
    pub fn store(&self) -> Vec<Instruction> {
        let space = self.design.space;
        let result = self.names.register(FlowRole::Reduction(self.last_level()));
        let element = || self.subscripts(&space.output_access);
        let keep = self.keeps.iter().map(|pad| Instruction::Keep(pad.clone(), element(), result.clone()));
        let store = self.is_output.then(|| Instruction::Store(space.output.clone(), element(), result.clone()));
        keep.chain(store).collect()
    }

    /// The element of the result that the point is of.
    fn result_element(&self) -> Vec<IndexExpr> {
        self.subscripts(&self.design.space.output_access)
    }

    /// The result goes into the memory that all PEs share, in the step in which it is there.
    fn share(&self) -> Option<Instruction> {
        let result = self.names.register(FlowRole::Reduction(self.last_level()));
        let element = self.subscripts(&self.design.space.output_access);
        self.shares.as_ref().map(|memory| Instruction::Drive(memory.clone(), result, element))
    }

    /// The outermost level of the reduction, whose running value becomes the result.
    pub fn last_level(&self) -> usize {
        self.design.dataflow.chain.directions.len().saturating_sub(1)
    }
}

/// The scratchpad in which partial results of a level of a reduction wait.
pub fn partial(space: &Space, level: usize) -> Name {
    let number = if level == 0 { String::new() } else { format!("{}", level + 1) };
    name(&format!("{}-partial{number}", space.name))
}
