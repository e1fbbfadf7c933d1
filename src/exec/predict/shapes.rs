//! The arrays of a prediction: how large their words are.

use super::account::Account;
use super::ghost::Ghost;
use crate::array::{Layout, Trouble};
use crate::exec::arrays::{Arrays, Share};
use crate::exec::workers::word::ELEMENT;

/// The arrays as one worker sees them.
pub struct Shapes<'a> {
    pub layouts: &'a [Layout],
    pub account: &'a Account,
}

impl Shapes<'_> {
    /// The word at an address.
    fn word<W>(&self, array: usize, address: usize) -> Ghost<W> {
        let layout = &self.layouts[array];
        if layout.boxes.is_empty() { Ghost::number() } else { Ghost::tile(layout.size_at(address) as u64) }
    }

    /// Loads or stores the word at an address; one that is a number is an op like any other.
    fn touch<W>(&self, array: usize, address: usize) -> Ghost<W> {
        let word = self.word(array, address);
        self.account.touch(ELEMENT * word.elements().unwrap_or(0));
        word
    }
}

impl<W> Arrays<Ghost<W>> for Shapes<'_> {
    fn read(&self, array: usize, address: usize) -> Ghost<W> {
        self.touch(array, address)
    }

    fn held(&self) -> Share {
        Share::default()
    }

    fn store(&mut self, array: usize, address: usize, _value: &Ghost<W>) -> Result<bool, Trouble> {
        let _: Ghost<W> = self.touch(array, address);
        Ok(true)
    }
}
