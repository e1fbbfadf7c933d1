//! The arrays of a run as a worker sees them.

use super::workers::word::Stored;
use crate::shared::Memory;
use systole_program::array::Trouble;

/// What a worker alone holds of the elements of arrays, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    pub inputs: u64,
    pub outputs: u64,
}

/// Inputs to be read and outputs to be stored. Arrays are positions in the code, addresses those of words, row-major.
pub trait Arrays<W> {
    /// A word of an input that some PE of the worker loads or prefetches.
    fn read(&self, array: usize, address: usize) -> W;

    /// What the worker alone holds of them.
    fn held(&self) -> Share;

    /// Stores a word of an output; whether this is the first time that this worker knows of.
    ///
    /// # Errors
    /// A tile of another box.
    fn store(&mut self, array: usize, address: usize, value: &W) -> Result<bool, Trouble>;
}

/// Workers of one process share its memory.
impl<W: Stored> Arrays<W> for &Memory<W::Element> {
    fn read(&self, array: usize, address: usize) -> W {
        W::read(self, array, address)
    }

    fn held(&self) -> Share {
        Share::default()
    }

    fn store(&mut self, array: usize, address: usize, value: &W) -> Result<bool, Trouble> {
        value.store(self, array, address)
    }
}
