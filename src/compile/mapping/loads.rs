//! Loads: what comes through the memory ports of the PEs during a run, and how many loads a PE has outstanding.
//!
//! In: a design, and the latency of memory. Out: the operands that are loaded, and for each array a number of outstanding loads that
//! is enough for every size. Inputs are there from the beginning, so a PE may ask for a word L cycles before the step that takes it.
//! Who does so has as many outstanding as it takes in L + 1 steps, counting the one whose slot is free a cycle after its word
//! was taken. No PE runs two points of one space at one time (`pe-conflict`), so an operand is taken L + 1 times in as many steps at most;
//! fewer where the points of a PE that load it are further apart. The words of a bus from memory are one a step (`link-conflict`).

use super::tree::heads_of;
use super::{Design, MappedSpace, spacing};
use crate::rewrite::Transport;
use systole_base::integer::{Name, Polyhedron};

impl MappedSpace<'_> {
    /// How many loads of an operand a PE has outstanding at most where a word is asked for so many steps before it is taken.
    ///
    /// Where a time is a vector its rows may be as short as one step, so nothing is said of how far apart points are but that they
    /// are two.
    pub fn outstanding(&self, operand: usize, latency: u64) -> u64 {
        let taken_in = latency.saturating_add(1);
        if self.dataflow.transports[operand] == Transport::Bus {
            return taken_in;
        }
        match self.load_spacing(operand).as_deref() {
            None => 1,
            Some([steps]) => taken_in.div_ceil(steps.unsigned_abs().max(1)),
            Some(_) => taken_in,
        }
    }

    /// The least positive time between two points of one PE that load an operand; `None` where a PE has only one.
    fn load_spacing(&self, operand: usize) -> Option<Vec<i64>> {
        let whole = vec![self.space.domain.set.clone()];
        let directions = self.dataflow.transports[operand].directions().iter();
        let loading = directions.fold(whole, |sets, along| heads_of(self.space, &sets, along));
        match &loading[..] {
            [set] => spacing(self.space, &self.map, set),
            // Points of several faces may lie on one PE.
            _ => spacing(self.space, &self.map, &Polyhedron::default()),
        }
    }
}

impl Design<'_> {
    /// The operands that PEs load, each with its space and its position there.
    pub fn loads(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let operands =
            |space: usize| (0..self.parts[space].dataflow.transports.len()).map(move |operand| (space, operand));
        (0..self.parts.len()).flat_map(operands).filter(|(space, operand)| {
            let is_input = self.system.sources[*space][*operand].is_empty();
            is_input && self.parts[*space].dataflow.transports[*operand] != Transport::Prefetch
        })
    }

    /// [`MappedSpace::outstanding`] of an operand, given with its space. A folded PE runs the points of several, still one at a time.
    pub fn outstanding_of(&self, (space, operand): (usize, usize), latency: u64) -> u64 {
        if self.fold.is_none() { self.alone(space).outstanding(operand, latency) } else { latency.saturating_add(1) }
    }

    /// How many loads of an array a PE has outstanding at most where words are asked for so many steps before they are taken; 0 where
    /// none is loaded.
    pub fn outstanding(&self, array: &Name, latency: u64) -> u64 {
        let of_array =
            |(space, operand): &(usize, usize)| self.system.spaces[*space].operands[*operand].tensor == *array;
        self.loads().filter(of_array).map(|load| self.outstanding_of(load, latency)).fold(0, u64::saturating_add)
    }
}
