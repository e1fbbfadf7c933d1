//! What a PE brings into its own memory before the run.

use super::body::Body;
use crate::mapping::FlowRole;
use crate::rewrite::Transport;
use systole_base::integer::{Matrix, Polyhedron};
use systole_program::array::Instruction;

impl Body<'_> {
    /// Elements that are prefetched: every one that the PE uses, once, in any round.
    pub fn prefetches(&self, pes: &Polyhedron) -> Vec<Instruction> {
        let whole = Body { scan: self.all.clone(), ..self.clone() };
        let known = &whole.scan.domain.intersect(pes);
        let transports = self.design.dataflow.transports.iter().enumerate();
        let held = transports.filter(|(_, transport)| **transport == Transport::Prefetch);
        held.flat_map(|(operand, _)| whole.prefetch(operand, known)).collect()
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
    pub fn constants(&self) -> Vec<Instruction> {
        let transports = self.design.dataflow.transports.iter().enumerate();
        let constant = |(operand, transport): (usize, &Transport)| {
            (*transport == Transport::Prefetch && self.is_constant(operand)).then(|| self.local(operand))
        };
        transports.filter_map(constant).collect()
    }

    /// Whether a PE uses one element of the operand only, and can have it before its loops: a PE without points has none.
    pub fn is_constant(&self, operand: usize) -> bool {
        let access = self.access(operand);
        self.scan.is_full && self.scan.basis.iter().all(|vector| access.apply(vector).iter().all(|entry| *entry == 0))
    }

    fn access(&self, operand: usize) -> Matrix {
        let space = self.design.space;
        let rows = space.operands[operand].access.iter().map(|form| form.row(space.indices())).collect();
        Matrix::new(rows, space.dimension())
    }

    /// An operand out of the PE's own memory.
    pub fn local(&self, operand: usize) -> Instruction {
        let (tensor, subscripts) = self.element(operand);
        Instruction::Local(self.names.register(FlowRole::Operand(operand)), tensor, subscripts)
    }
}
