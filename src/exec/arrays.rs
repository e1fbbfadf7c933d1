//! The arrays of a run as a worker sees them.

use crate::sim::Memory;

/// Inputs to be read and outputs to be stored. Arrays are positions in the code, addresses row-major.
pub trait Arrays {
    /// An element of an input that some PE of the worker loads or prefetches.
    fn read(&self, array: usize, address: usize) -> f64;

    /// How many elements of inputs the worker holds; `None` where workers share them.
    fn held(&self) -> Option<u64>;

    /// Stores an element of an output; whether this is the first time that this worker knows of.
    fn store(&mut self, array: usize, address: usize, value: f64) -> bool;
}

/// Workers of one process share its memory.
impl Arrays for &Memory {
    fn read(&self, array: usize, address: usize) -> f64 {
        self.input(array)[address]
    }

    fn held(&self) -> Option<u64> {
        None
    }

    fn store(&mut self, array: usize, address: usize, value: f64) -> bool {
        Memory::store(self, array, address, value)
    }
}
