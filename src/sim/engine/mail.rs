//! Wires between two regions, which have a half in each, and the letters that pass between the halves.
//!
//! The receiver's half is given the words that the sender's half has sent, the sender's half the times at which the
//! receiver's half has freed slots. Each half sees a ring of its own. A region writes its letters at the end of a sweep
//! and reads those of the others before the next, all regions at the same time; between sweeps letters change hands, which
//! moves no word. A slot keeps its message until the far end has freed it, so what is to be written is still there.

use super::cable::{RECEIVER, SENDER};
use super::region::{Shared, Surroundings};
use crate::array::Trouble;

/// One end of a wire whose other end is in another region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Half {
    /// The wire in this region.
    pub wire: u32,
    pub channel: u32,
    /// The region of the other half.
    pub region: u32,
    /// The position of the other half among those of its region with its direction.
    pub far: u32,
    /// How many messages the other half knows to be sent, or received.
    pub told: u32,
}

/// Something for each of some halves. Mostly it is one thing for each of many in a row, whose numbers are not written down: what is
/// written here by one core is read by another, so that every line of memory costs.
#[derive(Clone, Debug)]
struct Batch<T> {
    /// The first half, and how many there are.
    rows: Vec<(u32, u32)>,
    things: Vec<T>,
}

impl<T> Default for Batch<T> {
    fn default() -> Batch<T> {
        Batch { rows: vec![], things: vec![] }
    }
}

impl<T> Batch<T> {
    fn push(&mut self, half: u32, thing: T) {
        self.things.push(thing);
        match self.rows.last_mut() {
            Some((first, count)) if *first + *count == half => *count += 1,
            _ => self.rows.push((half, 1)),
        }
    }

    /// All there is, each with its half.
    fn drain(&mut self) -> impl Iterator<Item = (usize, T)> {
        let halves = self.rows.drain(..).flat_map(|(first, count)| first..first + count);
        halves.map(|half| half as usize).zip(self.things.drain(..))
    }
}

/// What one region tells another.
#[derive(Clone, Debug, Default)]
pub(super) struct Letter {
    /// Words and when they are visible, for the receiving halves.
    words: Batch<(u64, f64)>,
    /// From when on slots of the sending halves are free.
    freed: Batch<u64>,
}

impl Letter {
    fn is_empty(&self) -> bool {
        self.words.rows.is_empty() && self.freed.rows.is_empty()
    }
}

/// The halves of a region and its letters, one to and one from each region.
#[derive(Clone, Debug, Default)]
pub(super) struct Mail {
    pub sending: Vec<Half>,
    pub receiving: Vec<Half>,
    pub outgoing: Vec<Letter>,
    pub incoming: Vec<Letter>,
}

impl Mail {
    /// No halves and no letters yet.
    pub fn new(regions: usize) -> Mail {
        let letters = vec![Letter::default(); regions];
        Mail { outgoing: letters.clone(), incoming: letters, ..Mail::default() }
    }

    /// The words in all letters.
    pub fn values(&self) -> impl Iterator<Item = f64> {
        let letters = self.outgoing.iter().chain(&self.incoming);
        letters.flat_map(|letter| &letter.words.things).map(|(_, value)| *value)
    }

    /// Whether a letter has come.
    pub fn has_come(&self) -> bool {
        self.incoming.iter().any(|letter| !letter.is_empty())
    }
}

impl Surroundings {
    /// Writes down what was sent and freed since the last time.
    pub fn write_letters(&mut self) {
        let Surroundings { mail: Mail { sending, receiving, outgoing, .. }, wires, .. } = self;
        for half in sending {
            let wire = wires.wire(half.wire as usize);
            while half.told != wire.sent() {
                outgoing[half.region as usize].words.push(half.far, wire.message(half.told));
                half.told = half.told.wrapping_add(1);
            }
        }
        for half in receiving {
            let wire = wires.wire(half.wire as usize);
            while half.told != wire.received() {
                outgoing[half.region as usize].freed.push(half.far, wire.message(half.told).0);
                half.told = half.told.wrapping_add(1);
            }
        }
    }

    /// Takes over what the others have written, and notes whom it wakes.
    pub fn read_letters(&mut self, shared: &Shared<'_>) -> Result<(), Trouble> {
        let mut letters = std::mem::take(&mut self.mail.incoming);
        for letter in &mut letters {
            letter.freed.drain().for_each(|(half, freed)| self.free(half, freed, shared));
            letter.words.drain().try_for_each(|(half, message)| self.take_word(half, message))?;
        }
        self.mail.incoming = letters;
        Ok(())
    }

    fn free(&mut self, half: usize, freed: u64, shared: &Shared<'_>) {
        let Half { wire, channel, .. } = self.mail.sending[half];
        let (number, channel) = (wire as usize, channel as usize);
        let (link, depth) = (shared.links[channel], &mut self.tally.depth[channel]);
        let mut wire = self.wires.wire(number);
        wire.free(link, depth, freed);
        if wire.stop_waiting(SENDER) {
            self.wake_sender(number);
        }
    }

    fn take_word(&mut self, half: usize, (time, value): (u64, f64)) -> Result<(), Trouble> {
        let number = self.mail.receiving[half].wire as usize;
        if self.wires.wire(number).is_full() {
            self.wires.grow(number)?;
        }
        let mut wire = self.wires.wire(number);
        wire.put(time, value);
        if wire.stop_waiting(RECEIVER) {
            self.wake_receiver(number);
        }
        Ok(())
    }
}
