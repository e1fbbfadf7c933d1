//! Transfers that pass at once: the word is visible or the slot free, nobody waits at the far end, and no depth rises.
//!
//! In: wires, and who sends or receives. Out: those who did not pass so, of whom nothing has changed; for them all rules
//! are asked ([`super::transfer`]). Nearly all transfers of an array in step are of this kind, so what they ask is the
//! least that can tell them from others.

use super::block::Ports;
use super::lanes::{Lanes, for_each_lane};
use super::wires::{Link, Message, RECEIVER, SENDER, Wire, Wires};

/// Forms from here on say that somebody waits.
const SOMEBODY_WAITS: u32 = if SENDER < RECEIVER { SENDER } else { RECEIVER };

impl Wire {
    /// Receives at `clock` the word that is there, where at most `depth` words hold a slot.
    #[inline(always)]
    fn receive_at_once(&mut self, messages: &mut [Message], response: u64, depth: u32, clock: u64) -> Option<f64> {
        // No word at all becomes the largest number.
        if self.held().wrapping_sub(1) >= depth || self.form >= SOMEBODY_WAITS {
            return None;
        }
        let message = messages.get_mut(self.first.wrapping_add(self.received & self.form) as usize)?;
        if message.time > clock {
            return None;
        }
        message.time = clock.checked_add(response)?;
        self.received = self.received.wrapping_add(1);
        Some(message.value)
    }

    /// Sends at `clock` on a link of unlimited bandwidth, where all slots of the ring count.
    #[inline(always)]
    fn send_at_once(&mut self, messages: &mut [Message], latency: u64, depth: u32, at: (u64, f64)) -> Option<()> {
        let ((clock, value), held) = (at, self.held());
        if held > self.form || self.form >= SOMEBODY_WAITS {
            return None;
        }
        if depth <= self.form && held < depth {
            let last_that_counts = self.sent.wrapping_sub(depth) & self.form;
            if messages.get(self.first.wrapping_add(last_that_counts) as usize)?.time > clock {
                return None;
            }
        }
        let message = messages.get_mut(self.first.wrapping_add(self.sent & self.form) as usize)?;
        if message.time > clock {
            return None;
        }
        *message = Message { time: clock.checked_add(latency)?, value };
        self.sent = self.sent.wrapping_add(1);
        Some(())
    }
}

/// Who of the mask has not received at once; the others' words are in the register.
pub(super) fn receive(
    (wires, ports): (&mut Wires, &Ports),
    (link, depth): (Link, u32),
    mask: u64,
    (clock, register): (&Lanes<u64>, &mut Lanes<f64>),
) -> u64 {
    let Wires { wires, messages, .. } = wires;
    each_wire((wires, ports), mask, |lane, wire| {
        let word = wire.receive_at_once(messages, link.response, depth, clock[lane]);
        word.map(|word| register[lane] = word).is_some()
    })
}

/// Who of the mask has not sent at once.
pub(super) fn send(
    (wires, ports): (&mut Wires, &Ports),
    (link, depth): (Link, u32),
    mask: u64,
    (clock, register): (&Lanes<u64>, &Lanes<f64>),
) -> u64 {
    if link.bandwidth.is_some() || !link.capacity.is_power_of_two() {
        return mask;
    }
    let Wires { wires, messages, .. } = wires;
    each_wire((wires, ports), mask, |lane, wire| {
        wire.send_at_once(messages, link.latency, depth, (clock[lane], register[lane])).is_some()
    })
}

/// Tries something on the wire of every lane of the mask, with the loop that fits the ports; gives those without a wire or
/// without success.
#[inline(always)]
pub(super) fn each_wire(
    (wires, ports): (&mut [Wire], &Ports),
    mask: u64,
    mut attempt: impl FnMut(usize, &mut Wire) -> bool,
) -> u64 {
    let mut left = 0;
    match ports {
        Ports::Run(run) => {
            let wires = wires.get_mut(run.clone()).unwrap_or_default();
            for_each_lane(mask, |lane| {
                if !wires.get_mut(lane).is_some_and(|wire| attempt(lane, wire)) {
                    left |= 1 << lane;
                }
            });
        }
        Ports::Each(each) => for_each_lane(mask, |lane| {
            if !wires.get_mut(each[lane] as usize).is_some_and(|wire| attempt(lane, wire)) {
                left |= 1 << lane;
            }
        }),
    }
    left
}
