//! Words as the elements of an array, by which ranks give them to each other before and after a run.

use super::super::workers::word::Word;
use crate::array::{Layout, Trouble};
use crate::leaf::Tile;
use crate::sim::check_box;
use std::sync::Arc;

/// A word that stands at an address of an array.
pub trait Contents: Word {
    /// Refuses a word that cannot stand at an address.
    fn check(&self, layout: &Layout, address: usize) -> Result<(), Trouble>;

    /// Puts the bits of its elements, of which there are `size`, after these.
    fn write_elements(&self, size: usize, bits: &mut Vec<u64>);

    /// The word with these bits.
    fn of_elements(bits: &[u64]) -> Self;
}

impl Contents for f64 {
    fn check(&self, _layout: &Layout, _address: usize) -> Result<(), Trouble> {
        Ok(())
    }

    fn write_elements(&self, _size: usize, bits: &mut Vec<u64>) {
        bits.push(self.to_bits());
    }

    fn of_elements(bits: &[u64]) -> f64 {
        bits.first().map_or(f64::NAN, |bits| f64::from_bits(*bits))
    }
}

impl Contents for Tile {
    fn check(&self, layout: &Layout, address: usize) -> Result<(), Trouble> {
        check_box(layout, address, self)
    }

    fn write_elements(&self, size: usize, bits: &mut Vec<u64>) {
        bits.extend((0..size).map(|position| self.at(position).to_bits()));
    }

    fn of_elements(bits: &[u64]) -> Tile {
        Tile::Values(Arc::new(bits.iter().map(|bits| f64::from_bits(*bits)).collect()))
    }
}
