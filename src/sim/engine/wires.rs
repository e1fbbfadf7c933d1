//! The channels between PEs, with the time stamps of the contract.
//!
//! Message m, sent at clock t, takes its slot at `e(m) = t` if `m < C`, else at `max(t, d(m - C) + R)`, and later where the
//! link's bandwidth says so. It is visible from `e(m) + L` on; received at clock t, `d(m) = max(t, e(m) + L)`. The slot is
//! free again at `f(m) = d(m) + R`.
//!
//! All wires keep their messages in one arena. A wire's ring has a power of two of slots; slot `m mod size` holds the time
//! at which message m becomes visible, and once it is received, the time at which it is free. A ring smaller than the
//! capacity grows when it is full, or when the message whose place is to be taken still counts.
//!
//! Depth: message u finds more than D slots held, its own among them, exactly where `f(u - D) > e(u)`. Both e and f only
//! rise, so it is enough to ask this of each pair once, when the later of its two is known, for the D of that moment. So
//! the largest depth of a channel is exact in whatever order the host runs the PEs.

use super::pace::Pace;
use crate::array::Trouble;
use crate::cost::Bandwidth;

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

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Message {
    pub(super) time: u64,
    pub(super) value: f64,
}

/// A wire's ring. Counts of messages wrap around; only their differences and their places in the ring are used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wire {
    pub(super) first: u32,
    pub(super) sent: u32,
    pub(super) received: u32,
    /// The size of the ring less 1, and above it who waits.
    pub(super) form: u32,
}

/// The sender waits for a slot.
pub(super) const SENDER: u32 = 1 << 30;

/// The receiver waits for a word.
pub(super) const RECEIVER: u32 = 1 << 31;

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

impl Wire {
    #[inline(always)]
    fn mask(&self) -> u32 {
        self.form & !(SENDER | RECEIVER)
    }

    #[inline(always)]
    pub(super) fn size(&self) -> u32 {
        self.mask() + 1
    }

    #[inline(always)]
    pub(super) fn place(&self, message: u32) -> usize {
        self.first.wrapping_add(message & self.mask()) as usize
    }

    #[inline(always)]
    pub(super) fn held(&self) -> u32 {
        self.sent.wrapping_sub(self.received)
    }

    /// When the slot for the next message is free, where at most `limit` messages count.
    #[inline(always)]
    fn freed(&self, messages: &[Message], limit: u32) -> u64 {
        messages[self.place(self.sent.wrapping_sub(limit))].time
    }

    /// Sends at `clock`, on a link of unlimited bandwidth. `depth` rises to the depth that the message finds.
    #[inline(always)]
    pub fn send(&mut self, messages: &mut [Message], link: Link, depth: &mut u32, clock: u64, value: f64) -> Attempt {
        let limit = link.most().min(self.size());
        if self.held() >= limit {
            return self.refuse(limit, link);
        }
        let place = self.place(self.sent);
        // Where the whole ring counts, the slot to be taken is the one that must be free.
        let freed = if limit == self.size() { messages[place].time } else { self.freed(messages, limit) };
        match freed > clock && limit < link.most() {
            true => Attempt::Slow,
            false => self.enter(messages, link, depth, (clock.max(freed), value)),
        }
    }

    /// No slot of the ring is free, of which `limit` count.
    #[cold]
    fn refuse(&mut self, limit: u32, link: Link) -> Attempt {
        if limit < link.most() {
            return Attempt::Slow;
        }
        self.form |= SENDER;
        Attempt::Waits
    }

    /// Puts a message into its slot at a clock at which it is free.
    #[inline(always)]
    fn enter(
        &mut self,
        messages: &mut [Message],
        link: Link,
        depth: &mut u32,
        (entered, value): (u64, f64),
    ) -> Attempt {
        if *depth < link.most().min(self.size()) && self.held() < *depth && self.freed(messages, *depth) > entered {
            *depth += 1;
        }
        let Some(time) = entered.checked_add(link.latency) else { return Attempt::Overflows };
        messages[self.place(self.sent)] = Message { time, value };
        self.sent = self.sent.wrapping_add(1);
        Attempt::Passed(Passed { clock: entered, value })
    }

    /// Receives at `clock`.
    #[inline(always)]
    pub fn receive(&mut self, messages: &mut [Message], link: Link, depth: &mut u32, clock: u64) -> Attempt {
        if self.sent == self.received {
            self.form |= RECEIVER;
            return Attempt::Waits;
        }
        let Message { time, value } = messages[self.place(self.received)];
        let clock = clock.max(time);
        let Some(freed) = clock.checked_add(link.response) else { return Attempt::Overflows };
        self.free(messages, link, depth, freed);
        Attempt::Passed(Passed { clock, value })
    }

    /// Takes the oldest message out; its slot is free from `freed` on.
    #[inline(always)]
    pub(super) fn free(&mut self, messages: &mut [Message], link: Link, depth: &mut u32, freed: u64) {
        while *depth < self.held()
            && messages[self.place(self.received.wrapping_add(*depth))].time.wrapping_sub(link.latency) < freed
        {
            *depth += 1;
        }
        messages[self.place(self.received)].time = freed;
        self.received = self.received.wrapping_add(1);
    }
}

/// All wires of a region.
#[derive(Clone, Debug, Default)]
pub(super) struct Wires {
    pub wires: Vec<Wire>,
    pub messages: Vec<Message>,
    /// For each wire, where some link has a bandwidth.
    paces: Vec<Pace>,
}

impl Wires {
    /// Adds a wire without messages.
    pub fn add(&mut self, link: Link) {
        let size = link.capacity.min(FIRST_SIZE).next_power_of_two() as usize;
        let first = self.messages.len() as u32;
        self.wires.push(Wire { first, sent: 0, received: 0, form: size as u32 - 1 });
        self.messages.resize(self.messages.len() + size, Message::default());
        if link.bandwidth.is_some() {
            self.paces.resize(self.wires.len(), Pace::default());
        }
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
            let wire = &mut self.wires[number];
            let limit = link.most().min(wire.size());
            let is_full = wire.held() >= limit;
            let freed = wire.freed(&self.messages, limit);
            if (is_full || freed > clock) && limit < link.most() {
                self.grow(number)?;
                continue;
            }
            if is_full {
                wire.form |= SENDER;
                return Ok(Attempt::Waits);
            }
            let entered = match link.bandwidth {
                Some(bandwidth) => self.paces[number].admit(bandwidth, clock.max(freed)).ok_or(Trouble::Overflow)?,
                None => clock.max(freed),
            };
            return Ok(wire.enter(&mut self.messages, link, depth, (entered, value)));
        }
    }

    /// Doubles a ring, at the end of the arena.
    pub(super) fn grow(&mut self, number: usize) -> Result<(), Trouble> {
        let old = self.wires[number];
        let first = u32::try_from(self.messages.len()).map_err(|_| Trouble::Overflow)?;
        let new = Wire { first, form: old.form + old.size(), ..old };
        first.checked_add(new.size()).ok_or(Trouble::Overflow)?;
        self.messages.resize(self.messages.len() + new.size() as usize, Message::default());
        for back in 1..=old.size() {
            let message = old.sent.wrapping_sub(back);
            self.messages[new.place(message)] = self.messages[old.place(message)];
        }
        self.wires[number] = new;
        Ok(())
    }

    /// Words that were sent and not received.
    pub fn held(&self, number: usize) -> u32 {
        self.wires[number].held()
    }
}

impl Wire {
    /// Notes that one of the ends no longer waits; whether it did.
    pub fn stop_waiting(&mut self, who: u32) -> bool {
        let waited = self.form & who != 0;
        self.form &= !who;
        waited
    }

    /// Whether one of the ends waits.
    #[inline(always)]
    pub fn waits(&self, who: u32) -> bool {
        self.form & who != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: Link = Link { capacity: 4, latency: 1, response: 1, bandwidth: None };

    fn one_wire(link: Link) -> Wires {
        let mut wires = Wires::default();
        wires.add(link);
        wires
    }

    impl Wires {
        fn send(&mut self, link: Link, depth: &mut u32, clock: u64) -> Attempt {
            self.wires[0].send(&mut self.messages, link, depth, clock, 1.0)
        }

        fn receive(&mut self, link: Link, depth: &mut u32, clock: u64) -> Attempt {
            self.wires[0].receive(&mut self.messages, link, depth, clock)
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
        assert!(wires.wires[0].stop_waiting(SENDER));
        assert_eq!(wires.send(link, &mut depth, 1), at(5));
        assert_eq!(depth, 1);
    }
}
