//! The channels between PEs, with the time stamps of the contract.
//!
//! Message m, sent at clock t, takes its slot at `e(m) = t` if `m < C`, else at `max(t, d(m - C) + R)`, and later where the
//! link's bandwidth says so. It is visible from `e(m) + L` on; received at clock t, `d(m) = max(t, e(m) + L)`. The slot is
//! free again at `f(m) = d(m) + R`.
//!
//! A slot of a wire's ring holds the time at which its message becomes visible, and once it is received, the time at which the
//! slot is free. Rings smaller than the capacity grow, all of a cable at once, when one is full, or when the message whose
//! place is to be taken still counts.
//!
//! Depth: message u finds more than D slots held, its own among them, exactly where `f(u - D) > e(u)`. Both e and f only
//! rise, so it is enough to ask this of each pair once, when the later of its two is known, for the D of that moment. So
//! the largest depth of a channel is exact in whatever order the host runs the PEs.

use super::cable::{Cable, RECEIVER, SENDER};
use super::lanes::{LANES, Lanes};
use super::pace::Pace;
use super::ports::Stretch;
use systole_base::machine::Bandwidth;
use systole_program::array::Trouble;

/// What all wires of a channel share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// C.
    pub capacity: u64,
    /// L.
    pub latency: u64,
    /// R.
    pub response: u64,
    /// Words a cycle; `None` for as many as are sent.
    pub bandwidth: Option<Bandwidth>,
}

/// How many slots a ring begins with at most.
const FIRST_SIZE: u64 = 4;

/// More slots than a ring can have.
const MOST_SLOTS: u64 = 1 << 29;

impl Link {
    /// The capacity, where a ring can have it.
    #[inline(always)]
    fn most(self) -> u32 {
        self.capacity.min(MOST_SLOTS) as u32
    }
}

/// Where a word went: the new clock of who sent or received it, and the word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Passed {
    pub clock: u64,
    pub value: f64,
}

/// What became of an attempt to send or to receive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Attempt {
    Passed(Passed),
    /// The far end must act first.
    Waits,
    /// The ring must grow first, or the bandwidth is limited: [`Wires::send_slowly`] does it.
    Slow,
    /// A clock does not fit 64 bits.
    Overflows,
}

/// A wire in its cable.
pub(super) struct Wire<'w> {
    cable: &'w mut Cable,
    /// What the slots of all cables hold.
    times: &'w mut [u64],
    values: &'w mut [f64],
    lane: usize,
}

impl Wire<'_> {
    #[inline(always)]
    fn place(&self, message: u32) -> usize {
        self.cable.first as usize + self.cable.slot(self.cable.row(self.lane, message), self.lane)
    }

    #[inline(always)]
    fn time(&self, message: u32) -> u64 {
        self.times[self.place(message)]
    }

    #[inline(always)]
    fn set_time(&mut self, message: u32, time: u64) {
        let place = self.place(message);
        self.times[place] = time;
    }

    /// Messages that were sent.
    #[inline(always)]
    fn sent(&self) -> u32 {
        self.cable.sent[self.lane]
    }

    /// Messages that were received.
    #[inline(always)]
    fn received(&self) -> u32 {
        self.cable.received[self.lane]
    }

    /// What the slot of a message holds.
    #[inline(always)]
    fn message(&self, message: u32) -> (u64, f64) {
        let place = self.place(message);
        (self.times[place], self.values[place])
    }

    /// Puts a message into the next slot.
    #[inline(always)]
    fn put(&mut self, time: u64, value: f64) {
        let place = self.place(self.sent());
        (self.times[place], self.values[place]) = (time, value);
        self.cable.sent[self.lane] = self.cable.sent[self.lane].wrapping_add(1);
    }

    /// Words that were sent and not received.
    #[inline(always)]
    pub fn held(&self) -> u32 {
        self.sent().wrapping_sub(self.received())
    }

    /// Notes that one of the ends waits.
    #[cold]
    fn wait(&mut self, end: usize) -> Attempt {
        self.cable.waiting[end] |= 1 << self.lane;
        Attempt::Waits
    }

    /// Whether one of the ends waits.
    #[inline(always)]
    pub fn waits(&self, end: usize) -> bool {
        self.cable.waiting[end] >> self.lane & 1 == 1
    }

    /// Notes that one of the ends no longer waits; whether it did.
    pub fn stop_waiting(&mut self, end: usize) -> bool {
        let waited = self.waits(end);
        self.cable.waiting[end] &= !(1 << self.lane);
        waited
    }

    /// How many of the ring's slots count.
    #[inline(always)]
    fn limit(&self, link: Link) -> u32 {
        link.most().min(self.cable.size())
    }

    /// When the slot for the next message is free, where at most `limit` messages count.
    #[inline(always)]
    fn freed(&self, limit: u32) -> u64 {
        self.time(self.sent().wrapping_sub(limit))
    }

    /// Sends at `clock`, on a link of unlimited bandwidth. `depth` rises to the depth that the message finds.
    #[inline(always)]
    pub fn send(&mut self, link: Link, depth: &mut u32, clock: u64, value: f64) -> Attempt {
        let limit = self.limit(link);
        if self.held() >= limit {
            return if limit < link.most() { Attempt::Slow } else { self.wait(SENDER) };
        }
        let freed = self.freed(limit);
        match freed > clock && limit < link.most() {
            true => Attempt::Slow,
            false => self.enter(link, depth, (clock.max(freed), value)),
        }
    }

    /// Puts a message into its slot at a clock at which it is free.
    #[inline(always)]
    fn enter(&mut self, link: Link, depth: &mut u32, (entered, value): (u64, f64)) -> Attempt {
        if *depth < self.limit(link) && self.held() < *depth && self.freed(*depth) > entered {
            *depth += 1;
        }
        let Some(time) = entered.checked_add(link.latency) else { return Attempt::Overflows };
        self.put(time, value);
        Attempt::Passed(Passed { clock: entered, value })
    }

    /// Receives at `clock`.
    #[inline(always)]
    pub fn receive(&mut self, link: Link, depth: &mut u32, clock: u64) -> Attempt {
        if self.held() == 0 {
            return self.wait(RECEIVER);
        }
        let (time, value) = self.message(self.received());
        let clock = clock.max(time);
        let Some(freed) = clock.checked_add(link.response) else { return Attempt::Overflows };
        self.free(link, depth, freed);
        Attempt::Passed(Passed { clock, value })
    }

    /// Takes the oldest message out; its slot is free from `freed` on.
    #[inline(always)]
    pub fn free(&mut self, link: Link, depth: &mut u32, freed: u64) {
        let received = self.received();
        while *depth < self.held() && self.time(received.wrapping_add(*depth)).wrapping_sub(link.latency) < freed {
            *depth += 1;
        }
        self.set_time(received, freed);
        self.cable.received[self.lane] = received.wrapping_add(1);
    }
}

/// All wires of a region. Wire `n` is number `n mod 64` in its cable.
#[derive(Clone, Debug, Default)]
pub(super) struct Wires {
    cables: Vec<Cable>,
    times: Vec<u64>,
    values: Vec<f64>,
    /// For each wire, where some link has a bandwidth.
    paces: Vec<Pace>,
}

impl Wires {
    /// Adds a cable of so many wires without messages; gives the number of its first wire.
    pub fn add(&mut self, link: Link, width: usize, is_outward: bool) -> u32 {
        let mask = link.capacity.min(FIRST_SIZE).next_power_of_two() as u32 - 1;
        let first = self.times.len() as u32;
        let cable = Cable { is_outward, ..Cable::new(first, width as u32, mask) };
        self.add_slots(cable.slots());
        self.cables.push(cable);
        let wires = self.cables.len() * LANES;
        if link.bandwidth.is_some() {
            self.paces.resize(wires, Pace::default());
        }
        (wires - LANES) as u32
    }

    fn add_slots(&mut self, count: usize) {
        self.times.resize(self.times.len() + count, 0);
        self.values.resize(self.times.len(), 0.0);
    }

    /// A cable with what its slots hold.
    #[inline(always)]
    pub fn cable(&mut self, number: usize) -> (&mut Cable, &mut [u64], &mut [f64]) {
        let cable = &mut self.cables[number];
        let first = cable.first as usize;
        let slots = first..first + cable.slots();
        (cable, &mut self.times[slots.clone()], &mut self.values[slots])
    }

    /// How many messages of each wire of a cable have passed an end.
    pub fn passed(&self, cable: usize, end: usize) -> &Lanes<u32> {
        self.cables[cable].passed(end)
    }

    /// Notes that nobody at one of the ends of a stretch waits any longer; the places of those who did.
    pub fn stop_waiting(&mut self, part: Stretch, end: usize) -> u64 {
        let waiting = &mut self.cables[part.cable].waiting[end];
        let woken = *waiting & part.lanes();
        *waiting &= !woken;
        woken
    }

    /// A wire in its cable.
    #[inline(always)]
    pub fn wire(&mut self, number: usize) -> Wire<'_> {
        let Wires { cables, times, values, .. } = self;
        Wire { cable: &mut cables[number / LANES], times, values, lane: number % LANES }
    }

    /// Words that were sent and not received.
    pub fn held(&self, number: usize) -> u32 {
        let (cable, lane) = (&self.cables[number / LANES], number % LANES);
        cable.sent[lane].wrapping_sub(cable.received[lane])
    }

    /// [`Wire::send`] for any wire.
    #[cold]
    #[inline(never)]
    pub fn send_slowly(
        &mut self,
        number: usize,
        link: Link,
        depth: &mut u32,
        (clock, value): (u64, f64),
    ) -> Result<Attempt, Trouble> {
        loop {
            let mut wire = self.wire(number);
            let limit = wire.limit(link);
            let (is_full, freed) = (wire.held() >= limit, wire.freed(limit));
            if (is_full || freed > clock) && limit < link.most() {
                self.grow(number)?;
                continue;
            }
            if is_full {
                return Ok(wire.wait(SENDER));
            }
            let entered = match link.bandwidth {
                Some(bandwidth) => self.paces[number].admit(bandwidth, clock.max(freed)).ok_or(Trouble::Overflow)?,
                None => clock.max(freed),
            };
            return Ok(self.wire(number).enter(link, depth, (entered, value)));
        }
    }

    /// Doubles the rings of a wire's cable, behind all others.
    pub fn grow(&mut self, number: usize) -> Result<(), Trouble> {
        let old = self.cables[number / LANES].clone();
        let first = u32::try_from(self.times.len()).map_err(|_| Trouble::Overflow)?;
        let new = Cable { first, mask: 2 * old.size() - 1, ..old.clone() };
        u32::try_from(self.times.len() + new.slots()).map_err(|_| Trouble::Overflow)?;
        self.add_slots(new.slots());
        for lane in 0..old.width as usize {
            for message in (1..=old.size()).map(|back| old.sent[lane].wrapping_sub(back)) {
                let [from, to] =
                    [&old, &new].map(|cable| cable.first as usize + cable.slot(cable.row(lane, message), lane));
                (self.times[to], self.values[to]) = (self.times[from], self.values[from]);
            }
        }
        self.cables[number / LANES] = new;
        Ok(())
    }

    /// The words in all slots.
    pub fn values(&self) -> impl Iterator<Item = f64> {
        self.values.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: Link = Link { capacity: 4, latency: 1, response: 1, bandwidth: None };

    fn one_wire(link: Link) -> Wires {
        let mut wires = Wires::default();
        wires.add(link, 1, false);
        wires
    }

    impl Wires {
        fn send(&mut self, link: Link, depth: &mut u32, clock: u64) -> Attempt {
            self.wire(0).send(link, depth, clock, 1.0)
        }

        fn receive(&mut self, link: Link, depth: &mut u32, clock: u64) -> Attempt {
            self.wire(0).receive(link, depth, clock)
        }
    }

    /// Words one a cycle, taken as soon as they are visible: two hold a slot, whoever the host runs first.
    #[test]
    fn depth_does_not_depend_on_the_order_of_the_host() {
        let (mut alternating, mut depth) = (one_wire(LINK), 0);
        for clock in 0..4 {
            alternating.send(LINK, &mut depth, clock);
            alternating.receive(LINK, &mut depth, clock);
        }
        assert_eq!(depth, 2);
        let (mut sender_first, mut depth) = (one_wire(LINK), 0);
        for clock in 0..4 {
            sender_first.send(LINK, &mut depth, clock);
        }
        for clock in 0..4 {
            sender_first.receive(LINK, &mut depth, clock);
        }
        assert_eq!(depth, 2);
    }

    #[test]
    fn a_full_wire_makes_the_sender_wait_for_the_slot() {
        let link = Link { capacity: 1, latency: 2, response: 3, bandwidth: None };
        let (mut wires, mut depth) = (one_wire(link), 0);
        let at = |clock| Attempt::Passed(Passed { clock, value: 1.0 });
        assert_eq!(wires.send(link, &mut depth, 0), at(0));
        assert_eq!(wires.send(link, &mut depth, 1), Attempt::Waits);
        assert_eq!(wires.receive(link, &mut depth, 0), at(2));
        assert!(wires.wire(0).stop_waiting(SENDER));
        assert_eq!(wires.send(link, &mut depth, 1), at(5));
        assert_eq!(depth, 1);
    }
}
