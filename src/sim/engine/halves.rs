//! Wires between two regions, which have a half in each.
//!
//! The receiver's half is given the words that the sender's half has sent, the sender's half the times at which the
//! receiver's half has freed slots. Each half sees a ring of its own, so neither touches the other's region.

use super::wires::{Link, RECEIVER, SENDER, Wires};
use crate::array::Trouble;

impl Wires {
    /// Passes on what the far half of `theirs` has received since the last time; whether this wakes the sender.
    pub fn take_credits(&mut self, number: usize, link: Link, depth: &mut u32, theirs: (&Wires, usize)) -> bool {
        let (wire, far) = (&mut self.wires[number], theirs.0.wires[theirs.1]);
        if wire.received == far.received {
            return false;
        }
        while wire.received != far.received {
            let freed = theirs.0.messages[far.place(wire.received)].time;
            wire.free(&mut self.messages, link, depth, freed);
        }
        wire.stop_waiting(SENDER)
    }

    /// Takes over what the far half of `theirs` has sent since the last time; whether this wakes the receiver.
    pub fn take_words(&mut self, number: usize, theirs: (&Wires, usize)) -> Result<bool, Trouble> {
        let far = theirs.0.wires[theirs.1];
        if self.wires[number].sent == far.sent {
            return Ok(false);
        }
        while self.wires[number].sent != far.sent {
            if self.wires[number].held() >= self.wires[number].size() {
                self.grow(number)?;
            }
            let wire = &mut self.wires[number];
            self.messages[wire.place(wire.sent)] = theirs.0.messages[far.place(wire.sent)];
            wire.sent = wire.sent.wrapping_add(1);
        }
        Ok(self.wires[number].stop_waiting(RECEIVER))
    }
}
