//! The cycles that no design on a machine can do without: all its PEs busy in each of them, or operations that wait for each other.
//!
//! In: a search. Out: the bound at some sizes, and how near a number of cycles comes to it. Where the array has no end, only operations
//! that wait for each other count.

use crate::driver::kernels::searched::Searched;
use crate::driver::shown::show::grouped_count;
use serde_json::{Value, json};
use systole_base::integer::Bindings;

/// The operations of a kernel at some sizes, and the PEs that can do one each in a cycle.
pub struct Bound {
    operations: u64,
    /// None where the array has no end.
    pes: Option<u64>,
    /// So many operations of a PE share a step at most: one, or in a cell one of each space.
    shared: u64,
    /// The longest chain of operations that wait for each other, where it was looked for.
    chain: Option<u64>,
}

impl Bound {
    /// The bound at these sizes; nothing where numbers do not fit, or where neither PEs nor operations can be counted.
    pub fn at(searched: &Searched, sizes: &Bindings) -> Option<Bound> {
        let all = |sides: &Vec<u64>| sides.iter().try_fold(1u64, |pes, side| pes.checked_mul(*side));
        let pes = searched.setting.machine.extent.as_ref().and_then(all).filter(|pes| *pes > 0);
        let count = |sum: u64, space: &systole_equations::recurrence::Space| {
            sum.checked_add(space.domain.set.count(space.indices(), sizes)?)
        };
        let operations = searched.kernel.spaces().iter().try_fold(0, count)?;
        let chain = searched.kernel.cut.longest_chain(sizes);
        let spaces = searched.kernel.spaces().len() as u64;
        let shared = (1..=spaces.max(1)).rev().find(|many| searched.setting.machine.links.cell.has_room_for(*many));
        let shared = shared.unwrap_or(1);
        (pes.is_some() || chain.is_some()).then_some(Bound { operations, pes, shared, chain })
    }

    /// Whether the array has an end.
    pub fn is_of_array(&self) -> bool {
        self.pes.is_some()
    }

    /// So many cycles at least.
    pub fn cycles(&self) -> u64 {
        self.busy().max(self.chained())
    }

    /// The cycles in which the PEs do all operations.
    fn busy(&self) -> u64 {
        self.pes.map_or(0, |pes| self.operations.div_ceil(pes.saturating_mul(self.shared)))
    }

    /// The cycles that operations take which wait for each other.
    fn chained(&self) -> u64 {
        self.chain.map_or(0, |chain| chain.div_ceil(self.shared))
    }

    /// The part of the cycles that the bound asks for.
    fn share(&self, cycles: u64) -> f64 {
        if cycles == 0 { 1.0 } else { self.cycles() as f64 / cycles as f64 }
    }

    /// The bound in words, for a design of so many cycles.
    pub fn line(&self, cycles: u64) -> String {
        let operations = grouped_count(self.operations, "operation");
        let least = grouped_count(self.cycles(), "cycle");
        let why = match self.pes.filter(|_| self.chained() <= self.busy()) {
            Some(pes) => format!("for {operations} on {}", grouped_count(pes, "PE")),
            None => format!("since so many of {operations} wait for each other"),
        };
        format!("{least} at least {why}: at {:.0} % of the bound", 100.0 * self.share(cycles))
    }

    /// The same as data.
    pub fn to_json(&self, cycles: u64) -> Value {
        json!({
            "cycles": self.cycles(),
            "operations": self.operations,
            "pes": self.pes,
            "chain": self.chain,
            "share": self.share(cycles),
        })
    }
}
