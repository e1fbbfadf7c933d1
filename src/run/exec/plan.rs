//! What all workers of a run know: the code, what joins the PEs, and who runs which.
//!
//! In: a program at given sizes, and owners. Out: a [`Plan`] that is the same at every worker, so that workers may name
//! wires and lines to each other by their numbers.

use super::Settings;
use super::sharing::broadcast::Broadcast;
use super::sharing::faces::faces;
use super::sharing::homes::Homes;
use super::sharing::owners::Owners;
use super::workers::outbox::SLOTS;
use crate::leaf::Face;
use std::collections::HashSet;
use systole_equations::recurrence::LeafOrder;
use systole_program::array::{Code, Program, Wire, Wiring};

/// A run, before it begins.
pub struct Plan<'a> {
    /// The program at these sizes.
    pub code: &'a Code,
    /// What joins the PEs.
    pub wiring: Wiring,
    /// For each channel the words that one of its wires holds, at least 1.
    pub capacities: Vec<u64>,
    /// For each bus line the workers with a PE on it, in rising order.
    pub reach: Vec<Vec<usize>>,
    /// How a word that is driven gets to all of them.
    pub broadcast: Broadcast,
    /// For each `let` of the program whether it calls a leaf.
    pub calls: Vec<bool>,
    /// In which order a worker computes the tiles of its PEs.
    pub order: LeafOrder,
    /// Where the words of arrays have their homes; none where all have it with who loads or stores them.
    pub homes: Option<Homes>,
    /// How many workers there are, at least 1.
    pub workers: usize,
    /// For each channel the part of its tiles that has to go to another worker; none where that is all of it.
    pub faces: Vec<Option<Face>>,
    /// The worker of each PE.
    owners: Vec<usize>,
    /// PEs that send to another worker, with that; empty where words that come back are sent like others.
    returning: HashSet<(usize, usize)>,
}

impl<'a> Plan<'a> {
    /// The plan of a run by so many workers, with capacities and layouts where the settings or the program say some.
    pub fn new(program: &Program, code: &'a Code, owners: &Owners, workers: usize, settings: &Settings) -> Plan<'a> {
        let wiring = Wiring::of(program, code);
        let homes = Homes::new(code, owners, workers, &settings.layouts(program));
        let owners: Vec<usize> = code.pes.iter().map(|placed| owners.of(placed.position)).collect();
        let capacities = program.channels.iter().map(|channel| settings.capacity.unwrap_or(channel.depth)).collect();
        let reach = reach(&wiring, &owners);
        let calls = code.calls().iter().map(|leaves| !leaves.is_empty()).collect();
        let (broadcast, order) = (settings.broadcast, settings.order(program));
        let (faces, returning) = (vec![None; program.channels.len()], HashSet::new());
        Plan { code, wiring, capacities, reach, broadcast, calls, order, homes, workers, faces, owners, returning }
    }

    /// The same for workers that do not share tiles: of a tile goes what somebody reads, and one that comes back to a worker is not
    /// sent again.
    pub fn apart(mut self, program: &Program) -> Plan<'a> {
        self.faces = faces(program, self.code);
        let joints = self.wiring.wires.iter().map(|wire| (wire.sender, self.owners[wire.receiver]));
        self.returning = joints.filter(|(sender, to)| self.owners[*sender] != *to).collect();
        self
    }

    /// Whether a word on this wire goes to another worker and may come back from there.
    pub fn comes_back(&self, wire: &Wire) -> bool {
        let from = self.owners[wire.sender];
        from != self.owners[wire.receiver] && self.returning.contains(&(wire.receiver, from))
    }

    /// The worker of a PE.
    pub fn owner(&self, pe: usize) -> usize {
        self.owners[pe]
    }

    /// The worker that has a word, for one of whose PEs that loads or stores it.
    pub fn home(&self, array: usize, address: usize, worker: usize) -> usize {
        self.homes.as_ref().and_then(|homes| homes.of(array, address)).unwrap_or(worker)
    }

    /// The PEs of a worker, in the order of the code.
    pub fn pes_of(&self, worker: usize) -> impl Iterator<Item = usize> {
        (0..self.owners.len()).filter(move |pe| self.owners[*pe] == worker)
    }

    /// Something for each PE of a worker, in that order. The list has room for all from the beginning: one that grows leaves what it has
    /// outgrown with the allocator, on pages of other lengths; a product of 64 x 64 PEs on two threads grew by 12 to 31 MB in place of 8.
    pub fn of_pes<T>(&self, worker: usize, of: impl FnMut(usize) -> T) -> Vec<T> {
        let mut list = Vec::with_capacity(self.pes_of(worker).count());
        list.extend(self.pes_of(worker).map(of));
        list
    }
}

impl Plan<'_> {
    /// From how many words on wires and buses of this worker MPI may read at a time: twice as many as all wires hold on which it
    /// sends to others, since room is given back only when every message has been taken, and for bus lines as many as it has messages.
    pub fn under_way(&self, worker: usize) -> u64 {
        let leaves = |wire: &&Wire| self.owner(wire.sender) == worker && self.owner(wire.receiver) != worker;
        let wires = self.wiring.wires.iter().filter(leaves).map(|wire| self.capacities[wire.channel].saturating_mul(2));
        let crosses = self.reach.iter().any(|workers| workers.len() > 1 && workers.contains(&worker));
        wires.fold(if crosses { SLOTS as u64 } else { 0 }, u64::saturating_add)
    }

    /// How many words this worker keeps at most since they may come back.
    pub fn kept(&self, worker: usize) -> u64 {
        let wires = self.wiring.wires.iter().filter(|wire| self.owner(wire.sender) == worker && self.comes_back(wire));
        wires.map(|wire| self.capacities[wire.channel].saturating_add(1)).fold(0, u64::saturating_add)
    }
}

fn reach(wiring: &Wiring, owners: &[usize]) -> Vec<Vec<usize>> {
    let mut reach = vec![vec![]; wiring.lines.len()];
    for (pe, owner) in owners.iter().enumerate() {
        wiring.taps(pe).iter().for_each(|line| reach[*line].push(*owner));
    }
    for workers in &mut reach {
        workers.sort_unstable();
        workers.dedup();
    }
    reach
}
