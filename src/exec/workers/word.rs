//! What a channel carries, a register holds and an array has at an address: a number, or a tile.
//!
//! Everything else of this back end is the same for both.

use super::packet::{Packet, Parcels};
use crate::array::{Assignment, Trouble};
use crate::leaf::{Leaves, Tile, Work, assign};
use crate::sim::Memory;
use std::sync::Arc;

/// Bytes of an element.
pub const ELEMENT: u64 = size_of::<f64>() as u64;

/// A number or a tile.
pub trait Word: Clone + Send + Sync {
    /// What a `let` is computed with.
    type Operations;
    /// Whether threads that hold the same word share its elements.
    const IS_SHARED: bool;
    /// What registers begin with: the validator refuses programs that read them before they are written.
    const UNWRITTEN: Self;
    /// A PE may do so many sends and receives before others have their turn and packets leave.
    const TURN: u32;
    /// So many PEs have a turn before a worker hears the others.
    const SWEEP: usize;

    /// An op is about to be done; of interest to predictions alone.
    #[inline(always)]
    fn note_op(_operations: &Self::Operations) {}

    /// What was done inside of all `let`s so far, where one is more than a few functions.
    fn work(operations: &Self::Operations) -> Work;

    /// The value of a `let`.
    fn compute(
        operations: &Self::Operations,
        assignment: Assignment<'_>,
        slots: &[i64],
        registers: &mut [Self],
    ) -> Result<Self, Trouble>;

    /// How many bytes its elements take.
    fn bytes(&self) -> u64;

    /// Puts the word into a packet.
    fn pack(&self, packet: &mut Packet);

    /// Takes the next word out of a packet; `None` where there is none.
    fn unpack(parcels: &mut Parcels<'_>) -> Option<Self>;
}

/// A word that the memory which threads share has at an address.
pub trait Stored: Word<Operations: Sync> {
    /// A word of an input.
    fn read(memory: &Memory, array: usize, address: usize) -> Self;

    /// Stores a word of an output; whether this is the first time.
    fn store(&self, memory: &Memory, array: usize, address: usize) -> Result<bool, Trouble>;
}

impl Word for f64 {
    type Operations = ();
    const IS_SHARED: bool = false;
    const UNWRITTEN: f64 = f64::NAN;
    const TURN: u32 = 4096;
    const SWEEP: usize = usize::MAX;

    fn work(_operations: &()) -> Work {
        Work::default()
    }

    #[inline(always)]
    fn compute(
        _operations: &(),
        assignment: Assignment<'_>,
        slots: &[i64],
        registers: &mut [f64],
    ) -> Result<f64, Trouble> {
        assignment.value.value(slots, registers).ok_or(Trouble::Overflow)
    }

    #[inline(always)]
    fn bytes(&self) -> u64 {
        ELEMENT
    }

    #[inline(always)]
    fn pack(&self, packet: &mut Packet) {
        packet.put(self.to_bits());
    }

    #[inline(always)]
    fn unpack(parcels: &mut Parcels<'_>) -> Option<f64> {
        parcels.take().map(f64::from_bits)
    }
}

/// In a packet: a uniform tile, whose value follows.
const UNIFORM: u64 = 0;

/// In a packet: a tile that is enclosed.
const ENCLOSED: u64 = 1;

impl Word for Tile {
    type Operations = Leaves;
    const IS_SHARED: bool = true;
    const UNWRITTEN: Tile = Tile::Uniform(f64::NAN);
    /// A leaf takes so long that others should not wait for what is there already.
    const TURN: u32 = 4;
    const SWEEP: usize = 1;

    fn work(leaves: &Leaves) -> Work {
        leaves.work()
    }

    fn compute(
        leaves: &Leaves,
        assignment: Assignment<'_>,
        slots: &[i64],
        registers: &mut [Tile],
    ) -> Result<Tile, Trouble> {
        assign(leaves, assignment, slots, registers)
    }

    fn bytes(&self) -> u64 {
        match self {
            Tile::Uniform(_) => ELEMENT,
            Tile::Values(values) => ELEMENT * values.len() as u64,
        }
    }

    fn pack(&self, packet: &mut Packet) {
        match self {
            Tile::Uniform(value) => [UNIFORM, value.to_bits()].into_iter().for_each(|entry| packet.put(entry)),
            Tile::Values(values) => {
                packet.put(ENCLOSED);
                packet.enclose(Arc::clone(values));
            }
        }
    }

    fn unpack(parcels: &mut Parcels<'_>) -> Option<Tile> {
        match parcels.take()? {
            UNIFORM => parcels.take().map(|bits| Tile::Uniform(f64::from_bits(bits))),
            _ => parcels.take_enclosed().map(Tile::Values),
        }
    }
}

impl Stored for f64 {
    #[inline(always)]
    fn read(memory: &Memory, array: usize, address: usize) -> f64 {
        memory.input(array)[address]
    }

    #[inline(always)]
    fn store(&self, memory: &Memory, array: usize, address: usize) -> Result<bool, Trouble> {
        Ok(memory.store(array, address, *self))
    }
}

impl Stored for Tile {
    fn read(memory: &Memory, array: usize, address: usize) -> Tile {
        memory.tile(array, address)
    }

    fn store(&self, memory: &Memory, array: usize, address: usize) -> Result<bool, Trouble> {
        memory.store_tile(array, address, self)
    }
}
