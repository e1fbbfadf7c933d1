//! One channel between two PEs, with the time stamps of the contract.
//!
//! Message m, sent at clock t, takes its slot at `e(m) = t` if `m < C`, else at `max(t, d(m - C) + R)`. It is visible from
//! `e(m) + L` on; received at clock t, `d(m) = max(t, e(m) + L)`. The slot is free again at `f(m) = d(m) + R`.
//!
//! The depth at a send is the number of messages up to it whose slot is not free by then. It is found exactly, in
//! whatever order the host runs the two PEs: both `e` and `f` only rise, so the depth of message m is known as soon as
//! one `f` later than `e(m)` is, at the latest when m itself is received.

use crate::array::Trouble;
use std::collections::VecDeque;

/// What all wires of a channel share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Timing {
    /// C.
    pub capacity: u64,
    /// L.
    pub latency: u64,
    /// R.
    pub response: u64,
}

#[derive(Clone, Copy, Debug)]
struct Message {
    /// When it becomes visible; once it is received, when its slot is free.
    time: u64,
    value: f64,
}

/// The state of a channel between two PEs.
#[derive(Clone, Debug, Default)]
pub(super) struct Wire {
    /// The messages from `settled` to `sent`.
    messages: VecDeque<Message>,
    sent: u64,
    received: u64,
    /// Messages before this one were free when the last one was sent, so they delay nobody.
    settled: u64,
    /// The first message whose depth is not known.
    unresolved: u64,
    depth: u64,
    /// Whether the sender waits for a slot.
    pub sender_waits: bool,
    /// Whether the receiver waits for a word.
    pub receiver_waits: bool,
}

impl Wire {
    /// Sends at `clock`; gives the sender's new clock, or `None` where the receiver must act first.
    pub fn send(&mut self, timing: Timing, clock: u64, value: f64) -> Result<Option<u64>, Trouble> {
        let Some(entered) = self.entry_time(timing.capacity, clock) else { return Ok(None) };
        self.settle(entered);
        if self.settled < self.received {
            self.depth = self.depth.max(self.sent - self.settled + 1);
            self.unresolved = self.sent + 1;
        }
        let time = entered.checked_add(timing.latency).ok_or(Trouble::Overflow)?;
        self.messages.push_back(Message { time, value });
        self.sent += 1;
        Ok(Some(entered))
    }

    fn entry_time(&self, capacity: u64, clock: u64) -> Option<u64> {
        match self.sent.checked_sub(capacity) {
            Some(freed) if freed >= self.received => None,
            Some(freed) if freed >= self.settled => Some(clock.max(self.messages[self.offset(freed)].time)),
            _ => Some(clock),
        }
    }

    fn settle(&mut self, entered: u64) {
        while self.settled < self.received && self.messages[0].time <= entered {
            self.messages.pop_front();
            self.settled += 1;
        }
    }

    fn offset(&self, message: u64) -> usize {
        (message - self.settled) as usize
    }

    /// Receives at `clock`; gives the receiver's new clock and the word, or `None` where nothing was sent.
    pub fn receive(&mut self, timing: Timing, clock: u64) -> Result<Option<(u64, f64)>, Trouble> {
        if self.received == self.sent {
            return Ok(None);
        }
        let first = self.offset(self.received);
        let Message { time, value } = self.messages[first];
        let taken = clock.max(time);
        let freed = taken.checked_add(timing.response).ok_or(Trouble::Overflow)?;
        self.resolve(timing.latency, freed);
        self.messages[first].time = freed;
        self.received += 1;
        Ok(Some((taken, value)))
    }

    /// Fixes the depth of every message that was sent before the one now received is free.
    fn resolve(&mut self, latency: u64, freed: u64) {
        while self.unresolved < self.sent && self.messages[self.offset(self.unresolved)].time - latency < freed {
            self.depth = self.depth.max(self.unresolved - self.received + 1);
            self.unresolved += 1;
        }
    }

    /// How many words were sent.
    pub fn words(&self) -> u64 {
        self.sent
    }

    /// How many words were sent and not received.
    pub fn undelivered(&self) -> u64 {
        self.sent - self.received
    }

    /// The most words that held a slot at one time, at the end of a run: what is left was never freed.
    pub fn depth(&self) -> u64 {
        match self.unresolved < self.sent {
            true => self.depth.max(self.undelivered()),
            false => self.depth,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMING: Timing = Timing { capacity: 8, latency: 1, response: 1 };

    /// Ten words, one a cycle, taken as soon as they are visible: two hold a slot, whoever the host runs first.
    #[test]
    fn depth_does_not_depend_on_the_order_of_the_host() {
        let mut alternating = Wire::default();
        for clock in 0..8 {
            alternating.send(TIMING, clock, 0.0).unwrap();
            alternating.receive(TIMING, clock).unwrap();
        }
        let mut sender_first = Wire::default();
        for clock in 0..8 {
            sender_first.send(TIMING, clock, 0.0).unwrap();
        }
        for clock in 0..8 {
            sender_first.receive(TIMING, clock).unwrap();
        }
        assert_eq!((alternating.depth(), sender_first.depth()), (2, 2));
    }

    #[test]
    fn a_full_wire_makes_the_sender_wait_for_the_slot() {
        let timing = Timing { capacity: 1, latency: 2, response: 3 };
        let mut wire = Wire::default();
        assert_eq!(wire.send(timing, 0, 1.0), Ok(Some(0)));
        assert_eq!(wire.send(timing, 1, 2.0), Ok(None));
        assert_eq!(wire.receive(timing, 0), Ok(Some((2, 1.0))));
        assert_eq!(wire.send(timing, 1, 2.0), Ok(Some(5)));
        assert_eq!(wire.depth(), 1);
    }
}
