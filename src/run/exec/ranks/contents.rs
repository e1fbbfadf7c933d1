//! Words as the elements of an array, by which ranks give them to each other before and after a run.

use super::super::workers::word::Word;
use crate::leaf::{Element, Tile};
use crate::shared::check_box;
use std::sync::Arc;
use systole_program::array::{Layout, Trouble};

/// A word that stands at an address of an array.
pub trait Contents: Word {
    /// Refuses a word that cannot stand at an address.
    fn check(&self, layout: &Layout, address: usize) -> Result<(), Trouble>;

    /// Puts the bits of its elements, of which there are `size`, after these: bits of doubles, whatever the elements are.
    fn write_elements(&self, size: usize, bits: &mut Vec<u64>);

    /// The word with the elements nearest to these.
    fn of_elements(bits: &[u64]) -> Self;
}

impl<E: Element> Contents for E {
    fn check(&self, _layout: &Layout, _address: usize) -> Result<(), Trouble> {
        Ok(())
    }

    fn write_elements(&self, _size: usize, bits: &mut Vec<u64>) {
        bits.push(self.double().to_bits());
    }

    fn of_elements(bits: &[u64]) -> E {
        bits.first().map_or(E::NAN, |bits| number(*bits))
    }
}

impl<E: Element> Contents for Tile<E> {
    fn check(&self, layout: &Layout, address: usize) -> Result<(), Trouble> {
        check_box(layout, address, self)
    }

    fn write_elements(&self, size: usize, bits: &mut Vec<u64>) {
        bits.extend((0..size).map(|position| self.at(position).double().to_bits()));
    }

    fn of_elements(bits: &[u64]) -> Tile<E> {
        Tile::Values(Arc::new(bits.iter().map(|bits| number(*bits)).collect()))
    }
}

fn number<E: Element>(bits: u64) -> E {
    E::rounded(f64::from_bits(bits))
}
