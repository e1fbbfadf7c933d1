//! Words between PEs, over wires, for all PEs of a block that stand at one op.
//!
//! The loops over the lanes do what is common and note the rest in masks, which are looked at once for all.

use super::block::{Block, Ports};
use super::lanes::{Fault, Lanes, each_lane, for_each_lane, try_each_lane};
use super::region::Surroundings;
use super::step::Step;
use super::wires::{Attempt, Link, Message, Passed, RECEIVER, SENDER, Wire, Wires};
use crate::array::Trouble;
use crate::sim::observe::{Event, Observer};

/// What a transfer works on, lane by lane, besides the wires.
struct Ends<'a> {
    mask: u64,
    ports: &'a Ports,
    clock: &'a mut Lanes<u64>,
    /// Cycles that each PE has waited so far.
    waited_for: &'a mut Lanes<u64>,
    /// The clocks of those that wait now, before they do.
    before: &'a mut Lanes<u64>,
    register: &'a mut Lanes<f64>,
}

/// Which lanes did not pass at once, or not alone.
#[derive(Default)]
struct Tried {
    /// Those whose clocks rose.
    waited: u64,
    /// Those for whom the far end waited.
    woken: u64,
    blocked: u64,
    slow: u64,
    overflows: u64,
}

/// Receives, with the loop that fits the ports.
fn receive_words(wires: &mut Wires, link: Link, depth: &mut u32, ends: Ends<'_>) -> Tried {
    let Wires { wires, messages, .. } = wires;
    match ends.ports {
        Ports::Run(run) => receive_from(|lane| lane, (&mut wires[run.clone()], messages), link, depth, ends),
        Ports::Each(each) => receive_from(|lane| each[lane] as usize, (wires, messages), link, depth, ends),
    }
}

#[inline(always)]
fn receive_from(
    wire_of: impl Fn(usize) -> usize,
    (wires, messages): (&mut [Wire], &mut [Message]),
    link: Link,
    depth: &mut u32,
    ends: Ends<'_>,
) -> Tried {
    let Ends { mask, clock, waited_for, before, register, .. } = ends;
    let (mut waited, mut woken, mut blocked, mut overflows, mut deepest) = (0, 0, 0, 0, *depth);
    for_each_lane(mask, |lane| {
        let bit = 1 << lane;
        let Some(wire) = wires.get_mut(wire_of(lane)) else { return blocked |= bit };
        let from = clock[lane];
        match wire.receive(messages, link, &mut deepest, from) {
            Attempt::Passed(passed) => {
                register[lane] = passed.value;
                if passed.clock != from {
                    clock[lane] = passed.clock;
                    waited_for[lane] += passed.clock - from;
                    before[lane] = from;
                    waited |= bit;
                }
                if wire.waits(SENDER) {
                    woken |= bit;
                }
            }
            Attempt::Overflows => overflows |= bit,
            Attempt::Waits | Attempt::Slow => blocked |= bit,
        }
    });
    *depth = deepest;
    Tried { waited, woken, blocked, slow: 0, overflows }
}

/// Sends, with the loop that fits the ports.
fn send_words(wires: &mut Wires, link: Link, depth: &mut u32, ends: &mut Ends<'_>) -> Tried {
    if link.bandwidth.is_some() {
        return Tried { slow: ends.mask, ..Tried::default() };
    }
    let Wires { wires, messages, .. } = wires;
    match ends.ports {
        Ports::Run(run) => send_to(|lane| lane, (&mut wires[run.clone()], messages), link, depth, ends),
        Ports::Each(each) => send_to(|lane| each[lane] as usize, (wires, messages), link, depth, ends),
    }
}

#[inline(always)]
fn send_to(
    wire_of: impl Fn(usize) -> usize,
    (wires, messages): (&mut [Wire], &mut [Message]),
    link: Link,
    depth: &mut u32,
    ends: &mut Ends<'_>,
) -> Tried {
    let Ends { mask, clock, waited_for, before, register, .. } = ends;
    let (mut waited, mut woken, mut blocked, mut slow, mut overflows, mut deepest) = (0, 0, 0, 0, 0, *depth);
    for_each_lane(*mask, |lane| {
        let bit = 1 << lane;
        let Some(wire) = wires.get_mut(wire_of(lane)) else { return blocked |= bit };
        let from = clock[lane];
        match wire.send(messages, link, &mut deepest, from, register[lane]) {
            Attempt::Passed(passed) => {
                if passed.clock != from {
                    clock[lane] = passed.clock;
                    waited_for[lane] += passed.clock - from;
                    before[lane] = from;
                    waited |= bit;
                }
                if wire.waits(RECEIVER) {
                    woken |= bit;
                }
            }
            Attempt::Overflows => overflows |= bit,
            Attempt::Waits => blocked |= bit,
            Attempt::Slow => slow |= bit,
        }
    });
    *depth = deepest;
    Tried { waited, woken, blocked, slow, overflows }
}

/// Sends again what could not be sent at once.
#[cold]
fn send_slowly(
    tried: &mut Tried,
    wires: &mut Wires,
    link: Link,
    depth: &mut u32,
    ends: &mut Ends<'_>,
) -> Result<(), Fault> {
    try_each_lane(tried.slow, |lane| {
        let (wire, bit) = (ends.ports.wire(lane).ok_or(Trouble::Overflow)?, 1 << lane);
        match wires.send_slowly(wire, link, depth, (ends.clock[lane], ends.register[lane]))? {
            Attempt::Passed(Passed { clock, .. }) => {
                tried.waited |= if clock == ends.clock[lane] { 0 } else { bit };
                tried.woken |= if wires.wires[wire].waits(RECEIVER) { bit } else { 0 };
                ends.before[lane] = ends.clock[lane];
                ends.waited_for[lane] += clock - ends.clock[lane];
                ends.clock[lane] = clock;
            }
            Attempt::Overflows => tried.overflows |= bit,
            Attempt::Waits | Attempt::Slow => tried.blocked |= bit,
        }
        Ok(())
    })
}

impl<O: Observer> Step<'_, O> {
    /// Who has received. Where nobody sends, a PE waits for ever, and the report of waits says for whom.
    pub(super) fn receive(&mut self, register: usize, port: usize) -> Result<u64, Fault> {
        self.note_clocks();
        let channel = self.shared.code.classes[self.block.class].ports[port].channel;
        let Block { ports, clock, starved, registers, .. } = &mut *self.block;
        let Surroundings { wires, tally, before, .. } = &mut *self.around;
        let (ports, register_of) = (&ports[port], &mut registers[register]);
        let ends = Ends { mask: self.mask, ports, clock, waited_for: starved, before, register: register_of };
        let tried = receive_words(wires, self.shared.links[channel], &mut tally.depth[channel], ends);
        let passed = self.settle(&tried, port, SENDER)?;
        self.around.tally.received[channel] += u64::from(passed.count_ones());
        if O::WATCHES {
            each_lane(passed, |lane| self.see_received(lane, port, register));
        }
        Ok(passed)
    }

    /// Who has sent.
    pub(super) fn send(&mut self, port: usize, register: usize) -> Result<u64, Fault> {
        self.note_clocks();
        let channel = self.shared.code.classes[self.block.class].ports[port].channel;
        let Block { ports, clock, stalled, registers, .. } = &mut *self.block;
        let Surroundings { wires, tally, before, .. } = &mut *self.around;
        let (ports, register_of) = (&ports[port], &mut registers[register]);
        let mut ends = Ends { mask: self.mask, ports, clock, waited_for: stalled, before, register: register_of };
        let (link, depth) = (self.shared.links[channel], &mut tally.depth[channel]);
        let mut tried = send_words(wires, link, depth, &mut ends);
        if tried.slow != 0 {
            send_slowly(&mut tried, wires, link, depth, &mut ends)?;
        }
        let passed = self.settle(&tried, port, RECEIVER)?;
        self.find_peers(tried.blocked, port)?;
        self.around.tally.sent[channel] += u64::from(passed.count_ones());
        if O::WATCHES {
            each_lane(passed, |lane| self.see_sent(lane, port, register));
        }
        Ok(passed)
    }

    /// An observer wants to know since when, even of those that do not wait.
    fn note_clocks(&mut self) {
        if O::WATCHES {
            self.around.before = self.block.clock;
        }
    }

    /// Refuses to send where nobody receives.
    fn find_peers(&self, mask: u64, port: usize) -> Result<(), Fault> {
        let ports = &self.block.ports[port];
        try_each_lane(mask, |lane| ports.wire(lane).map(|_| ()).ok_or(Trouble::NoPeer { port }))
    }

    /// Notes who has waited, wakes the far ends that did, and refuses clocks that do not fit; gives who has passed.
    fn settle(&mut self, tried: &Tried, port: usize, far: u32) -> Result<u64, Fault> {
        self.block.rest(tried.waited, &self.around.before, &mut self.around.profile);
        each_lane(tried.woken, |lane| {
            let Some(wire) = self.block.ports[port].wire(lane) else { return };
            self.around.wires.wires[wire].stop_waiting(far);
            match far {
                SENDER => self.around.wake_sender(wire),
                _ => self.around.wake_receiver(wire),
            }
        });
        match tried.overflows {
            0 => Ok(self.mask & !tried.blocked),
            lanes => Err((lanes.trailing_zeros() as usize, Trouble::Overflow)),
        }
    }

    fn see_received(&mut self, lane: usize, port: usize, register: usize) {
        let Some(wire) = self.block.ports[port].wire(lane) else { return };
        let (pe, from, clock) = (self.pe(lane), self.around.before[lane], self.block.clock[lane]);
        if clock > from {
            self.observer.see(Event::Starved { pe, wire, from, to: clock });
        }
        self.observer.see(Event::Received { wire, clock, value: self.block.registers[register][lane] });
    }

    fn see_sent(&mut self, lane: usize, port: usize, register: usize) {
        let Some(wire) = self.block.ports[port].wire(lane) else { return };
        let (pe, from, clock) = (self.pe(lane), self.around.before[lane], self.block.clock[lane]);
        if clock > from {
            self.observer.see(Event::Stalled { pe, wire, from, to: clock });
        }
        self.observer.see(Event::Sent { wire, clock, value: self.block.registers[register][lane] });
    }
}
