//! Messages between ranks while their PEs run.
//!
//! Receives are posted ahead, so many at a time (a leg); messages are taken in the order in which the receives were posted,
//! which keeps the order of each sender. A send goes on beside the PEs (a volley, `sends.rs`), or where there is no room until MPI has
//! the message; whoever waits for that takes in what comes, so two ranks that send to each other never wait for each other. Tiles follow their packet, each as a message of its own on
//! a communicator of their own, from where they are to where they will be; their sends are begun together with the packet's, so
//! who has a packet may wait for them. A rank that leaves says so to all others and then hears from all others, so nothing is
//! left under way when MPI ends.

use super::super::workers::outbox::{POSTED, Post};
use super::super::workers::packet::Packet;
use super::sends::{Outgoing, Sends};
use super::tour::Token;
use super::under_way::{Tiles, receive};
use super::world::{World, number};
use crate::leaf::Enclosed;
use mpi::request;
use mpi::request::{LocalScope, Request, RequestCollection};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, MatchedReceiveVec, Source};
use std::collections::VecDeque;
use systole_base::scalar::Precision;

/// What a message is. Its first entry holds that and its length: the statuses that `test_some` of the crate gives are not
/// those of the messages that it gives where several are completed at once.
const PACKET: u64 = 0;

const TOKEN: u64 = 1;

const OVER: u64 = 2;

/// A message of a rank to itself, which completes a receive that nobody else will.
const FILLER: u64 = 3;

/// A packet with tiles: the sender, their number and their sizes stand before its entries.
const LADEN: u64 = 4;

/// How many kinds a head can tell apart.
const KINDS: u64 = 8;

/// A message of a kind.
fn message(kind: u64, body: &[u64]) -> Vec<u64> {
    let head = (body.len() as u64 + 1) * KINDS + kind;
    std::iter::once(head).chain(body.iter().copied()).collect()
}

/// What comes from another rank.
#[derive(Debug)]
pub enum Message {
    Packet(Packet),
    Token(Token),
    /// The sender has left.
    Over,
}

/// All that goes from and to one rank.
pub struct Traffic<'w> {
    world: &'w World,
    /// Of the elements of tiles.
    precision: Precision,
    inbox: VecDeque<Message>,
    /// Packets sent.
    pub sent: u64,
    /// Packets taken in.
    pub received: u64,
    has_left: bool,
    /// How many others have not left.
    others: usize,
}

impl<'w> Traffic<'w> {
    /// Before the first message.
    pub fn new(world: &'w World, precision: Precision) -> Traffic<'w> {
        let others = world.size().saturating_sub(1);
        Traffic { world, precision, inbox: VecDeque::new(), sent: 0, received: 0, has_left: false, others }
    }

    /// Whether this rank has left.
    pub fn has_left(&self) -> bool {
        self.has_left
    }

    /// Whether all have left, so that nothing more will come.
    pub fn is_over(&self) -> bool {
        self.has_left && self.others == 0
    }

    fn unpack(&mut self, entries: &[u64]) {
        let Some((head, body)) = entries.split_first() else { return };
        match (head % KINDS, body) {
            (PACKET, _) => self.inbox.push_back(Message::Packet(Packet::from_parts(body.to_vec(), vec![]))),
            (TOKEN, [sent, received]) => {
                self.inbox.push_back(Message::Token(Token { sent: *sent, received: *received }));
            }
            (LADEN, _) => self.inbox.extend(self.unload(body).map(Message::Packet)),
            (OVER, _) => self.inbox.push_back(Message::Over),
            _ => {}
        }
    }
}

impl Traffic<'_> {
    /// A packet with its tiles, which are on their way.
    fn unload(&self, body: &[u64]) -> Option<Packet> {
        let ([sender, count], body) = body.split_first_chunk()?;
        let (sizes, entries) = body.split_at_checked(*count as usize)?;
        let tile = |size: &u64| receive(self.world, *sender as usize, self.precision, *size as usize);
        Some(Packet::from_parts(entries.to_vec(), sizes.iter().map(tile).collect()))
    }

    /// The message of a packet, without its tiles.
    fn load(&self, packet: &Packet) -> Vec<u64> {
        if packet.enclosed().is_empty() {
            return message(PACKET, packet.entries());
        }
        let mut body = vec![self.world.rank() as u64, packet.enclosed().len() as u64];
        body.extend(packet.enclosed().iter().map(|values| values.len() as u64));
        body.extend(packet.entries());
        message(LADEN, &body)
    }
}

/// A leg while some sends are under way.
pub struct Volley<'v, 'l, 'w, 'a, 's, 'b> {
    pub leg: &'v mut Leg<'l, 'w, 'a>,
    pub sends: Sends<'s, 'b>,
}

impl Volley<'_, '_, '_, '_, '_, '_> {
    /// Whether it is time for fresh slots: when they cost no wait, or none is left.
    pub fn is_over(&mut self) -> bool {
        self.sends.is_full() || (self.sends.is_spent() && self.sends.test())
    }

    /// Takes in what comes until MPI has every message.
    pub fn close(&mut self) {
        while !self.sends.test() {
            self.leg.collect_any();
        }
    }
}

impl Post for Volley<'_, '_, '_, '_, '_, '_> {
    fn send(&mut self, to: usize, packet: Packet) {
        let traffic = &mut self.leg.traffic;
        traffic.sent += 1;
        let outgoing = Outgoing { entries: traffic.load(&packet), tiles: packet.enclosed().to_vec() };
        if let Err(Outgoing { entries, tiles }) = self.sends.begin(traffic.world, to, outgoing) {
            self.leg.post(to, &entries, &tiles);
        }
    }
}

/// The traffic while some receives are posted.
pub struct Leg<'l, 'w, 'a> {
    pub traffic: &'l mut Traffic<'w>,
    posted: &'l mut RequestCollection<'a, [u64]>,
    /// What completed receives before their turn.
    early: Vec<Option<Vec<u64>>>,
    /// The receive whose turn it is.
    next: usize,
}

impl<'l, 'w, 'a> Leg<'l, 'w, 'a> {
    /// A leg whose [`POSTED`] receives have been posted.
    pub fn new(traffic: &'l mut Traffic<'w>, posted: &'l mut RequestCollection<'a, [u64]>) -> Leg<'l, 'w, 'a> {
        Leg { traffic, posted, early: vec![None; POSTED], next: 0 }
    }

    /// Whether there is more to come for its receives.
    pub fn is_open(&self) -> bool {
        !self.is_used_up() && !self.traffic.is_over()
    }

    /// Whether every receive is completed.
    pub fn is_used_up(&self) -> bool {
        self.next == POSTED
    }

    fn packets(&self) -> &'w SimpleCommunicator {
        self.traffic.world.packets()
    }

    /// The next message that has come.
    pub fn next(&mut self) -> Option<Message> {
        // MPI takes messages in when it is asked, and tells of them when it is asked again.
        for _ in 0..2 {
            if self.traffic.inbox.is_empty() && !self.is_used_up() {
                self.collect();
            }
        }
        let message = self.traffic.inbox.pop_front()?;
        match message {
            Message::Packet(_) => self.traffic.received += 1,
            Message::Over => self.traffic.others -= 1,
            Message::Token(_) => {}
        }
        Some(message)
    }

    /// Takes in what has come, in its order.
    fn collect(&mut self) {
        if self.posted.incomplete() > 0 {
            let mut completed = vec![];
            self.posted.test_some(&mut completed);
            for (place, _, entries) in completed {
                let length = entries.first().map_or(0, |head| (head / KINDS) as usize);
                self.early[place] = Some(entries[..length.min(entries.len())].to_vec());
            }
        }
        while let Some(entries) = self.early.get_mut(self.next).and_then(Option::take) {
            self.next += 1;
            self.traffic.unpack(&entries);
        }
    }

    /// Takes in one message without a posted receive: only when all receives of the leg are completed.
    fn collect_late(&mut self) {
        if let Some(late) = self.packets().any_process().immediate_matched_probe() {
            let (entries, _) = late.matched_receive_vec::<u64>();
            self.traffic.unpack(&entries);
        }
    }

    /// Sends a message, and tiles after it.
    fn post(&mut self, to: usize, entries: &[u64], tiles: &[Enclosed]) {
        let (packets, world) = (self.packets(), self.traffic.world);
        request::scope(|scope| {
            let first = packets.process_at_rank(number(to)).immediate_send(scope, entries);
            let mut rest = Tiles::default();
            rest.begin(scope, world, to, tiles);
            self.finish(first);
            while !rest.test() {
                self.collect_any();
            }
        });
    }

    /// Takes in what comes until MPI has a message.
    fn finish<'r, D: ?Sized>(&mut self, mut request: Request<'r, D, &LocalScope<'r>>) {
        loop {
            match request.test() {
                Ok(_) => return,
                Err(unfinished) => request = unfinished,
            }
            self.collect_any();
        }
    }

    /// Takes in what has come, with or without a posted receive.
    fn collect_any(&mut self) {
        if self.is_used_up() { self.collect_late() } else { self.collect() }
    }

    /// Sends the token to the next rank.
    pub fn pass(&mut self, token: Token) {
        let next = (self.traffic.world.rank() + 1) % self.traffic.world.size();
        self.post(next, &message(TOKEN, &[token.sent, token.received]), &[]);
    }

    /// Tells all others that this rank leaves, once.
    pub fn leave(&mut self) {
        if !self.traffic.has_left {
            self.traffic.has_left = true;
            let own = self.traffic.world.rank();
            (0..self.traffic.world.size())
                .filter(|rank| *rank != own)
                .for_each(|rank| self.post(rank, &message(OVER, &[]), &[]));
        }
    }

    /// Completes the receives that nobody else will, when all have left.
    pub fn close(&mut self) {
        if !self.traffic.is_over() {
            return;
        }
        let (own, completed) = (self.traffic.world.rank(), self.early.iter().flatten().count());
        for _ in self.next + completed..POSTED {
            self.post(own, &message(FILLER, &[]), &[]);
        }
        while !self.is_used_up() {
            self.collect();
        }
    }
}
