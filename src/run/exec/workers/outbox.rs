//! What a worker has for the others and has not sent yet.
//!
//! In: words, free slots and drives for other workers. Out: packets, one after the other for each worker. A packet leaves
//! when it is full, or when the worker has nothing else to do; then nothing stays behind, so a worker that is idle holds
//! back nobody.

use super::packet::{Packet, Parcel};
use super::wires::Wires;
use super::word::Word;
use crate::exec::trace::{Activity, Tape};

/// Packets of this size are sent at once: 3.5 KiB, which transports copy without asking the receiver.
pub const FULL: usize = 448;

/// How many receives ranks post at a time.
pub const POSTED: usize = 32;

/// How many messages of a rank MPI may read from at a time.
pub const SLOTS: usize = 64;

/// The way to the other workers. Sending never waits for the receiver to run PEs.
pub trait Post {
    /// Sends a packet to a worker; packets to one worker arrive in the order in which they were sent.
    fn send(&mut self, to: usize, packet: Packet);
}

/// Packets under way to each worker.
#[derive(Default)]
pub struct Outbox {
    /// Of those to whom something went, in rising order: few of all workers.
    open: Vec<(usize, Packet)>,
    full: Vec<(usize, Packet)>,
    /// Whether someone waits for an answer in it, or for a word to be handed on.
    owes: bool,
    /// How many words went to other workers, drives and those of arrays included.
    pub words: u64,
    /// How many of them were named, since they came from where they go.
    pub returned: u64,
    /// How many elements went with the others.
    pub elements: u64,
    /// How many packets they went in.
    pub packets: u64,
}

impl Outbox {
    /// Something for a worker.
    pub fn put<W: Word>(&mut self, to: usize, parcel: &Parcel<W>) {
        let is_returned = matches!(parcel, Parcel::Return { .. });
        self.words += u64::from(is_returned || parcel.word().is_some());
        self.returned += u64::from(is_returned);
        self.elements += parcel.word().map_or(0, |word| word.bytes() / size_of::<W::Element>() as u64);
        self.owes |= matches!(parcel, Parcel::Supply { .. } | Parcel::Drive { .. });
        let packet = self.packet(to);
        packet.push(parcel);
        if packet.size() >= FULL {
            let packet = std::mem::take(packet);
            self.full.push((to, packet));
        }
    }

    /// The packet that is open for a worker.
    fn packet(&mut self, to: usize) -> &mut Packet {
        let place = self.open.partition_point(|(worker, _)| *worker < to);
        if self.open.get(place).is_none_or(|(worker, _)| *worker != to) {
            self.open.insert(place, (to, Packet::default()));
        }
        &mut self.open[place].1
    }

    /// Whether someone waits for what is not sent yet, whatever the PEs here do.
    pub fn owes(&self) -> bool {
        self.owes
    }

    /// Sends the packets that are full.
    pub fn send_full(&mut self, post: &mut impl Post, tape: &mut Tape) {
        for (to, packet) in self.full.drain(..) {
            self.packets += 1;
            send(to, packet, post, tape);
        }
    }

    /// Sends everything, the slots that wires owe included.
    pub fn flush<W: Word>(&mut self, wires: &mut Wires<W>, post: &mut impl Post, tape: &mut Tape) {
        self.owes = false;
        wires.pay(self);
        self.send_full(post, tape);
        for (to, packet) in self.open.iter_mut().filter(|(_, packet)| !packet.is_empty()) {
            self.packets += 1;
            send(*to, std::mem::take(packet), post, tape);
        }
    }
}

fn send(to: usize, packet: Packet, post: &mut impl Post, tape: &mut Tape) {
    let (from, size) = (tape.now(), packet.size());
    post.send(to, packet);
    tape.note(Activity::Send { to, size }, from);
}
