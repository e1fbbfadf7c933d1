//! The names of a program: coordinates, loop indices, registers and channels, none of which clash.

use crate::mapping::{FlowRole, MappedSpace, tree_sets};
use crate::rewrite::Transport;
use std::collections::BTreeSet;
use systole_base::integer::{Name, name};
use systole_equations::recurrence::Strip;

/// Names taken from the source where they can be.
pub struct Names {
    /// One for each dimension of the array: the index it is, where the place has a row that is an index.
    pub coordinates: Vec<Name>,
    /// For each loop a spare name, used where the loop is not over an index.
    pub loops: Vec<Name>,
    /// For each dimension of the array an auxiliary coordinate, which never reaches the text.
    pub lattice: Vec<Name>,
    operands: Vec<Name>,
    /// For each operand one for each face that its tree branches on.
    faces: Vec<Vec<Name>>,
    results: Vec<Name>,
}

impl Names {
    /// Chooses names for one space; what is `taken` no register, loop or channel is named.
    pub fn among(taken: &mut BTreeSet<Name>, coordinates: Vec<Name>, design: &MappedSpace) -> Names {
        let (space, rank) = (design.space, coordinates.len());
        let spare = space.dimension().saturating_sub(design.map.place.rank());
        let loops = (0..spare).map(|level| fresh(taken, &format!("n{level}"))).collect();
        let lattice = (0..rank).map(|axis| fresh(taken, &format!("y{axis}"))).collect();
        let levels = design.dataflow.chain.directions.len().max(1);
        let results = (0..levels).map(|_| fresh(taken, &space.output)).collect();
        let operands = space.operands.iter().map(|operand| fresh(taken, &operand.tensor)).collect();
        let mut face = |tensor: &Name, transport: &Transport| {
            let flows: usize = tree_sets(space, transport.streams()).iter().skip(1).map(Vec::len).sum();
            (0..flows).map(|_| fresh(taken, tensor)).collect()
        };
        let moved = space.operands.iter().zip(&design.dataflow.transports);
        let faces = moved.map(|(operand, transport)| face(&operand.tensor, transport)).collect();
        Names { coordinates, loops, lattice, operands, faces, results }
    }

    /// The loop at a level over this index alone. Half an index, such as `i mod 16`, has no name that a program could hold.
    pub fn of_loop(&self, level: usize, index: &Name) -> Name {
        if Strip::of(index).is_some() { self.loops[level].clone() } else { index.clone() }
    }

    /// The register of an operand, or of a level of the reduction.
    pub fn register(&self, role: FlowRole) -> Name {
        match role {
            FlowRole::Operand(operand) => self.operands[operand].clone(),
            FlowRole::Face(operand, number) => self.faces[operand][number].clone(),
            FlowRole::Reduction(level) => self.results[level].clone(),
        }
    }

    /// The channel or bus of a flow.
    pub fn channel(&self, role: FlowRole) -> Name {
        name(&format!("{}-link", self.register(role)))
    }
}

/// Takes `wanted`, or `wanted_2` and so on where it is taken.
pub fn fresh(taken: &mut BTreeSet<Name>, wanted: &str) -> Name {
    let candidates = std::iter::once(wanted.to_owned()).chain((2..).map(|count| format!("{wanted}_{count}")));
    let free = candidates.map(|text| name(&text)).find(|candidate| !taken.contains(candidate));
    let free = free.unwrap_or_else(|| name(wanted));
    taken.insert(free.clone());
    free
}
