//! The energy of a run.
//!
//! In: what each operation, hop and access takes, and how many there are. Out: the sum. The same sum is taken of predicted
//! and of simulated counts, in the same order, so equal counts give equal numbers. What leaks while a PE waits is left out.

use super::Work;
use crate::scalar::Function;
use std::collections::BTreeMap;

/// What things take, in picojoules; what a machine file does not name takes none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Energy {
    /// For each function: one application.
    pub operations: BTreeMap<Function, f64>,
    /// A word over a link to the next PE, or from a bus to one listener.
    pub hop: f64,
    /// A register read or written.
    pub register: f64,
    /// A word loaded from, prefetched from or stored to the memory behind the ports.
    pub memory: f64,
}

impl Energy {
    /// Whether a machine file says anything of it.
    pub fn is_known(&self) -> bool {
        *self != Energy::default()
    }

    /// The energy of this work, in picojoules.
    pub fn of(&self, work: &Work) -> f64 {
        let each = |function: &Function| self.operations.get(function).copied().unwrap_or(0.0);
        let computed: f64 = work.operations.iter().map(|(function, count)| each(function) * *count as f64).sum();
        let moved = self.hop * work.hops as f64 + self.memory * work.memory as f64;
        computed + moved + self.register * work.registers() as f64
    }
}
