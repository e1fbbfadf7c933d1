//! How long a PE takes for what it does itself, where that is more than one cycle.
//!
//! In: the keys `[operation.NAME]` and `[memory]` of a machine file. Out: times in cycles. By default every operation gives
//! its result in the cycle in which it begins, as the timing rule of schedules has it, and memory has a word at once.

use super::Bandwidth;
use crate::scalar::Function;
use std::collections::BTreeMap;

/// The time of one operation; a PE has a unit of its own for every operation of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationTime {
    /// Cycles until the result is there, at least 1: with 1 it is there in the cycle in which the operation begins.
    pub latency: i64,
    /// Cycles until the unit takes the next operands, at least 1.
    pub interval: i64,
}

impl Default for OperationTime {
    fn default() -> OperationTime {
        OperationTime { latency: 1, interval: 1 }
    }
}

/// The times of a PE's own work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Operations; those that are not here take the default.
    pub operations: BTreeMap<Function, OperationTime>,
    /// Cycles from asking for a word until it is there, 0 at least.
    pub load_latency: i64,
    /// Loads of an array that a PE may have outstanding; `None` for as many as its program says.
    pub outstanding: Option<u64>,
    /// Words that pass a memory port of a PE in a cycle; `None` for as many as are loaded and stored.
    pub port: Option<Bandwidth>,
}

impl Times {
    /// The time of an operation.
    pub fn of(&self, function: Function) -> OperationTime {
        self.operations.get(&function).copied().unwrap_or_default()
    }

    /// Changes the time of an operation.
    pub fn set(&mut self, function: Function, time: OperationTime) {
        self.operations.insert(function, time);
        self.operations.retain(|_, time| *time != OperationTime::default());
    }

    /// The cycle of a step in which its word with this number, from 0, passes the port of a PE.
    pub fn port_cycle(&self, number: u64) -> u64 {
        match self.port {
            None => 0,
            Some(Bandwidth::WordsACycle(words)) => number / words.max(1),
            Some(Bandwidth::CyclesAWord(cycles)) => number.saturating_mul(cycles),
        }
    }
}
