//! Up to 64 wires of a channel, whose rings have the same power of two of slots each.
//!
//! Slots lie in rows, one of each wire, so that PEs side by side work on numbers side by side ([`super::at_once`]). Counts of
//! messages wrap around; only their differences and their places in the ring are used.

use super::lanes::{LANES, Lanes};
use super::ports::Stretch;
use std::ops::Range;

/// An end of a wire.
pub(super) const SENDER: usize = 0;

/// The other end.
pub(super) const RECEIVER: usize = 1;

/// Where the rings of up to 64 wires stand.
#[derive(Clone, Debug)]
pub(super) struct Cable {
    /// Where the first row begins.
    pub first: u32,
    /// How many wires there are, and so how many slots in a row.
    pub width: u32,
    /// Slots of a ring less 1.
    pub mask: u32,
    /// The receivers are in another region.
    pub is_outward: bool,
    pub sent: Lanes<u32>,
    pub received: Lanes<u32>,
    /// The place of message 0 in each ring.
    pub base: Lanes<u32>,
    /// Who waits at which wires: [`SENDER`]s for a slot, [`RECEIVER`]s for a word.
    pub waiting: [u64; 2],
}

impl Cable {
    /// Rings without messages.
    pub fn new(first: u32, width: u32, mask: u32) -> Cable {
        let none = [0; LANES];
        Cable { first, width, mask, is_outward: false, sent: none, received: none, base: none, waiting: [0; 2] }
    }

    /// How many slots each ring has.
    #[inline(always)]
    pub fn size(&self) -> u32 {
        self.mask + 1
    }

    /// How many messages of each wire have passed an end.
    #[inline(always)]
    pub fn passed(&self, end: usize) -> &Lanes<u32> {
        if end == SENDER { &self.sent } else { &self.received }
    }

    /// The row in which a message of a wire has its slot.
    #[inline(always)]
    pub fn row(&self, lane: usize, message: u32) -> usize {
        (message.wrapping_add(self.base[lane]) & self.mask) as usize
    }

    /// Where the slot of a wire in a row is, counted from the first.
    #[inline(always)]
    pub fn slot(&self, row: usize, lane: usize) -> usize {
        row * self.width as usize + lane
    }

    /// The slots in a row of a stretch of wires.
    #[inline(always)]
    pub fn slots_of(&self, row: usize, part: Stretch) -> Range<usize> {
        let first = self.slot(row, part.place);
        first..first + part.length
    }

    /// How many slots all rings have.
    pub fn slots(&self) -> usize {
        self.slot(self.size() as usize, 0)
    }
}
