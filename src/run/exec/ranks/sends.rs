//! Packets that have been handed to MPI and that it may still read, so that nobody waits for their receivers.
//!
//! In: packets, with a bounded number of slots for them. Out: requests, until each is completed. A slot is used once; when many
//! are, or no other is free, all are given back together once MPI has every message (`Volley` in `traffic.rs`). The tiles in
//! slots are twice as many as the channels to other ranks hold.

use super::super::workers::outbox::SLOTS;
use super::under_way::Tiles;
use super::world::{World, number};
use crate::leaf::Enclosed;
use mpi::request::{LocalScope, Request};
use mpi::traits::{Communicator, Destination};
use std::cell::OnceCell;

/// A message, and the tiles that follow it.
#[derive(Debug)]
pub struct Outgoing {
    pub entries: Vec<u64>,
    pub tiles: Vec<Enclosed>,
}

/// Room for messages until MPI has them.
pub fn slots() -> Vec<OnceCell<Outgoing>> {
    (0..SLOTS).map(|_| OnceCell::new()).collect()
}

/// Sends that have begun; `'b` is how long their messages last.
pub struct Sends<'s, 'b> {
    scope: &'s LocalScope<'b>,
    slots: &'b [OnceCell<Outgoing>],
    used: usize,
    /// How many tiles slots may hold, and how many more.
    all_room: usize,
    room: usize,
    /// Whether something did not fit.
    is_full: bool,
    messages: Vec<Request<'b, [u64], &'s LocalScope<'b>>>,
    tiles: Tiles<'b, 's>,
}

impl<'s, 'b> Sends<'s, 'b> {
    /// None yet, into empty slots that may hold so many tiles.
    pub fn new(scope: &'s LocalScope<'b>, slots: &'b [OnceCell<Outgoing>], room: usize) -> Sends<'s, 'b> {
        Sends { scope, slots, used: 0, all_room: room, room, is_full: false, messages: vec![], tiles: Tiles::default() }
    }

    /// Begins to send a message with its tiles; gives it back where there is no room.
    pub fn begin(&mut self, world: &World, to: usize, outgoing: Outgoing) -> Result<(), Outgoing> {
        let slot = self.slots.get(self.used).filter(|_| outgoing.tiles.len() <= self.room);
        let Some(slot) = slot else {
            self.is_full = true;
            return Err(outgoing);
        };
        self.used += 1;
        self.room -= outgoing.tiles.len();
        let kept = slot.get_or_init(|| outgoing);
        let near = world.packets().process_at_rank(number(to));
        self.messages.push(near.immediate_send(self.scope, &kept.entries[..]));
        self.tiles.begin(self.scope, world, to, &kept.tiles);
        Ok(())
    }

    /// Forgets the sends that are completed; whether all are.
    pub fn test(&mut self) -> bool {
        self.messages = self.messages.drain(..).filter_map(|request| request.test().err()).collect();
        let are_sent = self.tiles.test();
        self.messages.is_empty() && are_sent
    }

    /// Whether so much of the room is used that fresh slots are due.
    pub fn is_spent(&self) -> bool {
        self.used * 2 > self.slots.len() || self.room * 2 < self.all_room
    }

    /// Whether a message did not fit any more.
    pub fn is_full(&self) -> bool {
        self.is_full
    }
}
