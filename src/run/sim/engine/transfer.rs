//! Words between PEs, over wires, for all PEs of a block that stand at one op.
//!
//! The loops over the lanes do what is common and note the rest in masks, which are looked at once for all.

use super::at_once;
use super::block::Block;
use super::cable::{RECEIVER, SENDER};
use super::lanes::{Fault, Lanes, each_lane, for_each_lane, try_each_lane};
use super::ports::Ports;
use super::region::Surroundings;
use super::step::Step;
use super::wires::{Attempt, Link, Passed, Wire, Wires};
use crate::sim::observe::{Event, Observer};
use systole_program::array::Trouble;

/// What a transfer works on, lane by lane, besides the wires.
struct Ends<'a> {
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

impl Ends<'_> {
    /// Notes what became of a lane's attempt. Who has sent keeps the word.
    #[inline(always)]
    fn note(&mut self, tried: &mut Tried, lane: usize, attempt: Attempt, far_end_waits: bool) {
        let bit = 1 << lane;
        match attempt {
            Attempt::Passed(Passed { clock, value }) => {
                self.register[lane] = value;
                tried.woken |= u64::from(far_end_waits) << lane;
                let from = std::mem::replace(&mut self.clock[lane], clock);
                if clock != from {
                    self.waited_for[lane] = self.waited_for[lane].wrapping_add(clock.wrapping_sub(from));
                    self.before[lane] = from;
                    tried.waited |= bit;
                }
            }
            Attempt::Overflows => tried.overflows |= bit,
            Attempt::Waits => tried.blocked |= bit,
            Attempt::Slow => tried.slow |= bit,
        }
    }

    /// Tries for every lane of the mask; `far` is the other end of the wires.
    #[inline(always)]
    fn attempt_all(
        &mut self,
        wires: &mut Wires,
        (mask, far): (u64, usize),
        mut attempt: impl FnMut(&mut Wire<'_>, u64, f64) -> Attempt,
    ) -> Tried {
        let mut tried = Tried::default();
        for_each_lane(mask, |lane| {
            let Some(number) = self.ports.wire(lane) else {
                tried.blocked |= 1 << lane;
                return;
            };
            let mut wire = wires.wire(number);
            let attempt = attempt(&mut wire, self.clock[lane], self.register[lane]);
            self.note(&mut tried, lane, attempt, wire.waits(far));
        });
        tried
    }
}

/// Receives, those first who can at once.
fn receive_words(wires: &mut Wires, link: Link, depth: &mut u32, mask: u64, ends: &mut Ends<'_>) -> Tried {
    let Ends { ports, clock, register, .. } = ends;
    let left = ports
        .each_stretch(mask, |stretch| at_once::receive(wires, stretch, (link, *depth), (&**clock, &mut **register)));
    match left {
        0 => Tried::default(),
        _ => ends.attempt_all(wires, (left, SENDER), |wire, clock, _| wire.receive(link, depth, clock)),
    }
}

/// Sends, those first who can at once.
fn send_words(wires: &mut Wires, link: Link, depth: &mut u32, mask: u64, ends: &mut Ends<'_>) -> Tried {
    if link.bandwidth.is_some() {
        return Tried { slow: mask, ..Tried::default() };
    }
    let Ends { ports, clock, register, .. } = ends;
    let left = match link.capacity.is_power_of_two() {
        true => {
            ports.each_stretch(mask, |stretch| at_once::send(wires, stretch, (link, *depth), (&**clock, &**register)))
        }
        // Not all slots of a ring count.
        false => mask,
    };
    match left {
        0 => Tried::default(),
        _ => ends.attempt_all(wires, (left, RECEIVER), |wire, clock, value| wire.send(link, depth, clock, value)),
    }
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
    try_each_lane(std::mem::take(&mut tried.slow), |lane| {
        let wire = ends.ports.wire(lane).ok_or(Trouble::Overflow)?;
        let attempt = wires.send_slowly(wire, link, depth, (ends.clock[lane], ends.register[lane]))?;
        ends.note(tried, lane, attempt, wires.wire(wire).waits(RECEIVER));
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
        let mut ends = Ends { ports, clock, waited_for: starved, before, register: register_of };
        let (link, depth) = (self.shared.links[channel], &mut tally.depth[channel]);
        let tried = receive_words(wires, link, depth, self.mask, &mut ends);
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
        let mut ends = Ends { ports, clock, waited_for: stalled, before, register: register_of };
        let (link, depth) = (self.shared.links[channel], &mut tally.depth[channel]);
        let mut tried = send_words(wires, link, depth, self.mask, &mut ends);
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
    fn settle(&mut self, tried: &Tried, port: usize, far: usize) -> Result<u64, Fault> {
        self.block.rest(tried.waited, &self.around.before, &mut self.around.profile);
        each_lane(tried.woken, |lane| {
            let Some(wire) = self.block.ports[port].wire(lane) else { return };
            self.around.wires.wire(wire).stop_waiting(far);
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

    /// The wire at a port, as the whole run numbers it.
    fn wire(&self, lane: usize, port: usize) -> Option<usize> {
        self.block.ports[port].wire(lane).map(|wire| self.around.plugs[wire].wire as usize)
    }

    fn see_received(&mut self, lane: usize, port: usize, register: usize) {
        let Some(wire) = self.wire(lane, port) else { return };
        let (pe, from, clock) = (self.pe(lane), self.around.before[lane], self.block.clock[lane]);
        if clock > from {
            self.observer.see(Event::Starved { pe, wire, from, to: clock });
        }
        let value = self.shared.shown::<O>(self.block.registers[register][lane]);
        self.observer.see(Event::Received { wire, clock, value });
    }

    fn see_sent(&mut self, lane: usize, port: usize, register: usize) {
        let Some(wire) = self.wire(lane, port) else { return };
        let (pe, from, clock) = (self.pe(lane), self.around.before[lane], self.block.clock[lane]);
        if clock > from {
            self.observer.see(Event::Stalled { pe, wire, from, to: clock });
        }
        let value = self.shared.shown::<O>(self.block.registers[register][lane]);
        self.observer.see(Event::Sent { wire, clock, value });
    }
}
