//! What a run does, as counts: operations, hops, accesses to memory.

use crate::scalar::Function;
use std::collections::BTreeMap;

/// How often each function is applied.
pub type Operations = BTreeMap<Function, u64>;

/// The counts of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// How often each function is applied.
    pub operations: Operations,
    /// Words times links, with the words that buses bring to listeners.
    pub hops: u64,
    /// Words loaded, prefetched and stored.
    pub memory: u64,
}

impl Work {
    /// Accesses to registers: an operation reads each of its operands and writes its result.
    pub fn registers(&self) -> u64 {
        self.operations.iter().map(|(function, count)| count * (function.arity() as u64 + 1)).sum()
    }
}
