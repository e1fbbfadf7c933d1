//! The cycles that no design on a machine can do without: all its PEs busy in each of them, or operations that wait for each other.
//!
//! In: a search on a machine whose array has an end. Out: the bound at some sizes, and how near a number of cycles comes to it.

use crate::driver::kernels::searched::Searched;
use crate::driver::shown::show::grouped_count;
use serde_json::{Value, json};
use systole_base::integer::Bindings;

/// The operations of a kernel at some sizes, and the PEs that can do one each in a cycle.
pub struct Bound {
    operations: u64,
    pes: u64,
    /// The longest chain of operations that wait for each other, where it was looked for.
    chain: Option<u64>,
}

impl Bound {
    /// The bound at these sizes; nothing where the array has no end, or numbers do not fit.
    pub fn at(searched: &Searched, sizes: &Bindings) -> Option<Bound> {
        let sides = searched.setting.machine.extent.as_ref()?;
        let pes = sides.iter().try_fold(1u64, |pes, side| pes.checked_mul(*side)).filter(|pes| *pes > 0)?;
        let count = |sum: u64, space: &systole_equations::recurrence::Space| {
            sum.checked_add(space.domain.set.count(space.indices(), sizes)?)
        };
        let operations = searched.kernel.spaces().iter().try_fold(0, count)?;
        Some(Bound { operations, pes, chain: searched.kernel.cut.longest_chain(sizes) })
    }

    fn cycles(&self) -> u64 {
        self.busy().max(self.chain.unwrap_or(0))
    }

    /// The cycles in which the PEs do all operations.
    fn busy(&self) -> u64 {
        self.operations.div_ceil(self.pes)
    }

    /// The part of the cycles that the bound asks for.
    fn share(&self, cycles: u64) -> f64 {
        if cycles == 0 { 1.0 } else { self.cycles() as f64 / cycles as f64 }
    }

    /// The bound in words, for a design of so many cycles.
    pub fn line(&self, cycles: u64) -> String {
        let (operations, pes) = (grouped_count(self.operations, "operation"), grouped_count(self.pes, "PE"));
        let least = grouped_count(self.cycles(), "cycle");
        let why = match self.chain.filter(|chain| *chain > self.busy()) {
            Some(_) => format!("since so many of {operations} wait for each other"),
            None => format!("for {operations} on {pes}"),
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
