//! What a channel carries, a register holds and an array has at an address: a number, or a tile.
//!
//! Everything else of this back end is the same for both.

use super::packet::{Packet, Parcels};
use crate::leaf::{Buffer, Element, Face, Few, Leaves, Tile, Work, assign};
use crate::shared::Memory;
use std::sync::{Arc, Weak};
use systole_program::array::{Assignment, Trouble};

/// Bytes of an element of double precision, and of an entry of a packet.
pub const ELEMENT: u64 = size_of::<f64>() as u64;

/// A number or a tile.
pub trait Word: Clone + Send + Sync {
    /// What numbers are, and what tiles consist of.
    type Element: Element;
    /// What a `let` is computed with.
    type Operations;
    /// Whether threads that hold the same word share its elements.
    const IS_SHARED: bool;
    /// What a word is known by that many may hold.
    type Mark: Send + Sync + std::fmt::Debug;
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

    /// What it is known by; none for a word that is as small as its name.
    fn mark(&self) -> Option<Self::Mark>;

    /// Whether it is the word of a mark.
    fn has(&self, mark: &Self::Mark) -> bool;

    /// The part of a tile that a face has, with the lengths of all of it; none of what is no tile or has no known lengths.
    fn part(&self, face: &Face) -> Option<(Few<usize>, Self)>;

    /// The tile of these lengths of which this is the part; nobody reads what else there is of it.
    fn put_back(&self, lengths: &[usize], face: &Face) -> Self;

    /// Puts the word into a packet.
    fn pack(&self, packet: &mut Packet);

    /// Takes the next word out of a packet; `None` where there is none.
    fn unpack(parcels: &mut Parcels<'_>) -> Option<Self>;
}

/// A word that the memory which threads share has at an address.
pub trait Stored: Word<Operations: Sync> {
    /// A word of an input.
    fn read(memory: &Memory<Self::Element>, array: usize, address: usize) -> Self;

    /// Stores a word of an output; whether this is the first time.
    fn store(&self, memory: &Memory<Self::Element>, array: usize, address: usize) -> Result<bool, Trouble>;
}

impl<E: Element> Word for E {
    type Element = E;
    type Operations = ();
    type Mark = ();
    const IS_SHARED: bool = false;
    const UNWRITTEN: E = E::NAN;
    const TURN: u32 = 4096;
    const SWEEP: usize = usize::MAX;

    fn work(_operations: &()) -> Work {
        Work::default()
    }

    #[inline(always)]
    fn compute(_operations: &(), assignment: Assignment<'_>, slots: &[i64], registers: &mut [E]) -> Result<E, Trouble> {
        assignment.value.value(slots, registers).ok_or(Trouble::Overflow)
    }

    #[inline(always)]
    fn bytes(&self) -> u64 {
        size_of::<E>() as u64
    }

    #[inline(always)]
    fn mark(&self) -> Option<()> {
        None
    }

    #[inline(always)]
    fn has(&self, _mark: &()) -> bool {
        false
    }

    #[inline(always)]
    fn part(&self, _face: &Face) -> Option<(Few<usize>, E)> {
        None
    }

    #[inline(always)]
    fn put_back(&self, _lengths: &[usize], _face: &Face) -> E {
        *self
    }

    #[inline(always)]
    fn pack(&self, packet: &mut Packet) {
        packet.put(self.double().to_bits());
    }

    #[inline(always)]
    fn unpack(parcels: &mut Parcels<'_>) -> Option<E> {
        parcels.take().map(|bits| E::rounded(f64::from_bits(bits)))
    }
}

/// In a packet: a uniform tile, whose value follows.
const UNIFORM: u64 = 0;

/// In a packet: a tile that is enclosed.
const ENCLOSED: u64 = 1;

impl<E: Element> Word for Tile<E> {
    type Element = E;
    type Operations = Leaves;
    type Mark = Weak<Buffer<E>>;
    const IS_SHARED: bool = true;
    const UNWRITTEN: Tile<E> = Tile::Uniform(E::NAN);
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
        registers: &mut [Tile<E>],
    ) -> Result<Tile<E>, Trouble> {
        assign(leaves, assignment, slots, registers)
    }

    fn bytes(&self) -> u64 {
        match self {
            Tile::Uniform(_) => size_of::<E>() as u64,
            Tile::Values(values) => size_of_val(&values[..]) as u64,
        }
    }

    fn mark(&self) -> Option<Weak<Buffer<E>>> {
        if let Tile::Values(values) = self { Some(Arc::downgrade(values)) } else { None }
    }

    /// Memory that a mark refers to is nobody else's, even when the word is not there any more.
    fn has(&self, mark: &Weak<Buffer<E>>) -> bool {
        matches!(self, Tile::Values(values) if std::ptr::eq(Arc::as_ptr(values), mark.as_ptr()))
    }

    fn part(&self, face: &Face) -> Option<(Few<usize>, Tile<E>)> {
        face.cut(self)
    }

    fn put_back(&self, lengths: &[usize], face: &Face) -> Tile<E> {
        face.put_back(lengths, self)
    }

    fn pack(&self, packet: &mut Packet) {
        match self {
            Tile::Uniform(value) => [UNIFORM, value.double().to_bits()].into_iter().for_each(|entry| packet.put(entry)),
            Tile::Values(values) => {
                packet.put(ENCLOSED);
                packet.enclose(E::enclose(Arc::clone(values)));
            }
        }
    }

    fn unpack(parcels: &mut Parcels<'_>) -> Option<Tile<E>> {
        match parcels.take()? {
            UNIFORM => parcels.take().map(|bits| Tile::Uniform(E::rounded(f64::from_bits(bits)))),
            _ => E::disclose(parcels.take_enclosed()?).map(Tile::Values),
        }
    }
}

impl<E: Element> Stored for E {
    #[inline(always)]
    fn read(memory: &Memory<E>, array: usize, address: usize) -> E {
        memory.input(array)[address]
    }

    #[inline(always)]
    fn store(&self, memory: &Memory<E>, array: usize, address: usize) -> Result<bool, Trouble> {
        Ok(memory.store(array, address, *self))
    }
}

impl<E: Element> Stored for Tile<E> {
    fn read(memory: &Memory<E>, array: usize, address: usize) -> Tile<E> {
        memory.tile(array, address)
    }

    fn store(&self, memory: &Memory<E>, array: usize, address: usize) -> Result<bool, Trouble> {
        memory.store_tile(array, address, self)
    }
}
