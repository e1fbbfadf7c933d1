//! Words that hold nothing but how many elements there would be.

use super::account::Account;
use crate::array::{Assignment, Trouble};
use crate::exec::workers::packet::{Packet, Parcels};
use crate::exec::workers::word::{ELEMENT, Word};
use crate::leaf::Work;
use std::marker::PhantomData;

/// What stands for a word of a real run.
pub struct Ghost<W> {
    /// Those of a tile; none of a number, or of a tile that is the same number everywhere.
    elements: Option<u64>,
    word: PhantomData<fn() -> W>,
}

impl<W> Ghost<W> {
    /// Stands for a number, or for a uniform tile.
    pub const fn number() -> Ghost<W> {
        Ghost { elements: None, word: PhantomData }
    }

    /// Stands for a tile.
    pub fn tile(elements: u64) -> Ghost<W> {
        Ghost { elements: Some(elements), word: PhantomData }
    }

    /// The elements of a tile that is not uniform.
    pub fn elements(&self) -> Option<u64> {
        self.elements
    }
}

impl<W> Clone for Ghost<W> {
    fn clone(&self) -> Ghost<W> {
        Ghost { ..*self }
    }
}

/// Packets have as many entries as with real words.
impl<W: Word> Word for Ghost<W> {
    /// Rates are those of double precision.
    type Element = f64;
    type Operations = Account;
    const IS_SHARED: bool = W::IS_SHARED;
    const UNWRITTEN: Ghost<W> = Ghost::number();
    const TURN: u32 = W::TURN;
    const SWEEP: usize = W::SWEEP;

    fn note_op(account: &Account) {
        account.note_op();
    }

    fn work(account: &Account) -> Work {
        account.work()
    }

    fn compute(
        account: &Account,
        assignment: Assignment<'_>,
        slots: &[i64],
        registers: &mut [Ghost<W>],
    ) -> Result<Ghost<W>, Trouble> {
        account.compute(assignment, slots, registers)
    }

    fn bytes(&self) -> u64 {
        ELEMENT * self.elements.unwrap_or(1)
    }

    fn pack(&self, packet: &mut Packet) {
        match self.elements {
            None => {
                packet.put(0);
                if W::IS_SHARED {
                    packet.put(0);
                }
            }
            Some(elements) => {
                packet.put(2 * elements + 1);
                packet.announce(usize::try_from(elements + 1).unwrap_or(usize::MAX));
            }
        }
    }

    fn unpack(parcels: &mut Parcels<'_>) -> Option<Ghost<W>> {
        let entry = parcels.take()?;
        if entry % 2 == 1 {
            return Some(Ghost::tile(entry / 2));
        }
        if W::IS_SHARED {
            parcels.take()?;
        }
        Some(Ghost::number())
    }
}
