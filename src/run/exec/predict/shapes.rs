//! The arrays of a prediction: how large their words are.

use super::account::Account;
use super::ghost::{Body, Ghost};
use crate::exec::arrays::{Arrays, Share};
use systole_program::array::{Layout, Trouble};

/// The arrays as one worker sees them.
pub struct Shapes<'a> {
    pub layouts: &'a [Layout],
    pub account: &'a Account,
}

impl Shapes<'_> {
    /// Loads or stores the word at an address; one that is a number is an op like any other.
    fn handle<W>(&self, array: usize, address: usize) -> Ghost<W> {
        let layout = &self.layouts[array];
        if layout.boxes.is_empty() {
            return Ghost::number();
        }
        let tile = Body::in_memory(layout.size_at(address) as u64);
        self.account.handle(tile.bytes());
        Ghost::of(tile)
    }
}

impl<W> Arrays<Ghost<W>> for Shapes<'_> {
    fn read(&self, array: usize, address: usize) -> Ghost<W> {
        self.handle(array, address)
    }

    fn held(&self) -> Share {
        Share::default()
    }

    fn store(&mut self, array: usize, address: usize, _value: &Ghost<W>) -> Result<bool, Trouble> {
        let _: Ghost<W> = self.handle(array, address);
        Ok(true)
    }
}
