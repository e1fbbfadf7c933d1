//! The graph of waits: who waits for whom.
//!
//! In: a run that has come to rest. Out: what each PE that is not done waits for, and the cycles of waits. An edge goes
//! from a PE that waits to the PE that is not done and would still do what it waits for: send, receive, or drive the tag
//! ([`Scout`]). So a cycle is one that really holds itself, and a wait without an edge can never end.

use super::ahead::{Needed, Scout};
use super::deadlock::{Blocked, Cause, Peer, PeerState};
use std::collections::BTreeMap;
use systole_program::array::{Code, Index, NOWHERE, Op, Port, Program, Wiring};

/// One PE at the end of a run.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    /// The op it stands at.
    pub counter: usize,
    pub finished: bool,
    /// None on a back end without clocks.
    pub clock: Option<u64>,
    /// Its integer variables.
    pub slots: Vec<i64>,
}

/// A run that has come to rest.
pub(super) struct Scene<'a> {
    pub program: &'a Program,
    pub code: &'a Code,
    pub wiring: Wiring,
    /// For each PE.
    pub standings: Vec<Standing>,
    /// For each line of a bus the PEs with an instruction to drive it, each with its tap.
    drivers: Vec<Vec<(usize, usize)>>,
}

/// A blocked PE and the PE that would end its wait.
pub(super) struct Wait {
    pub blocked: Blocked,
    awaited: Option<usize>,
}

impl Wait {
    /// What a PE that is not done waits for.
    pub fn of(scene: &Scene<'_>, scout: &mut Scout<'_>, pe: usize) -> Wait {
        let class = &scene.code.classes[scene.code.pes[pe].class];
        let blocked = Blocked {
            pe: scene.point(pe),
            class: class.name.clone(),
            link: class.name.clone(),
            cause: Cause::Empty,
            tag: vec![],
            clock: scene.standings[pe].clock,
            peer: None,
        };
        let mut wait = Wait { blocked, awaited: None };
        match class.ops.get(scene.standings[pe].counter) {
            Some(Op::Receive { port, .. }) => wait.on_channel(scene, scout, (pe, *port), Cause::Empty),
            Some(Op::Send { port, .. }) => wait.on_channel(scene, scout, (pe, *port), Cause::Full),
            Some(Op::Listen { tap, tag, .. }) => wait.on_bus(scene, scout, (pe, *tap), tag),
            _ => {}
        }
        wait
    }

    fn on_channel(&mut self, scene: &Scene<'_>, scout: &mut Scout<'_>, (pe, port): (usize, usize), cause: Cause) {
        let class = &scene.code.classes[scene.code.pes[pe].class];
        let number = class.ports[port].channel;
        let channel = &scene.program.channels[number];
        self.blocked.link = channel.name.clone();
        self.blocked.cause = cause;
        let Some(wire) = scene.wiring.wires.get(scene.wiring.ports(pe)[port]) else {
            let sender = self.blocked.pe.iter().zip(&channel.offset).map(|(at, by)| at.saturating_sub(*by));
            self.blocked.peer = Some(scene.silent_peer(sender.collect()));
            return;
        };
        let peer = if cause == Cause::Empty { wire.sender } else { wire.receiver };
        let far = scene.port(peer, Port { channel: number, sends: cause == Cause::Empty });
        let part = if cause == Cause::Empty { Needed::Send { port: far } } else { Needed::Receive { port: far } };
        self.wait_for(scene, peer, !scene.standings[peer].finished && scout.finds(peer, part));
    }

    /// A tag is awaited of whoever would drive it; where nobody would, the first PE with a drive for this line is named.
    fn on_bus(&mut self, scene: &Scene<'_>, scout: &mut Scout<'_>, (pe, tap): (usize, usize), tag: &[Index]) {
        let line = scene.wiring.taps(pe)[tap];
        let slots = &scene.standings[pe].slots;
        self.blocked.link = scene.program.buses[scene.wiring.lines[line]].name.clone();
        self.blocked.cause = Cause::Undriven;
        self.blocked.tag = tag.iter().filter_map(|entry| entry.value(slots)).collect();
        let drivers = &scene.drivers[line];
        let tag = self.blocked.tag.clone();
        let would_drive = drivers.iter().find(|(driver, tap)| {
            !scene.standings[*driver].finished && scout.finds(*driver, Needed::Drive { tap: *tap, tag: &tag })
        });
        if let Some((driver, _)) = would_drive.or(drivers.first()) {
            self.wait_for(scene, *driver, would_drive.is_some());
        }
    }

    fn wait_for(&mut self, scene: &Scene<'_>, peer: usize, would_act: bool) {
        let state = match (would_act, scene.standings[peer].finished) {
            (true, _) => PeerState::Waits,
            (false, true) => PeerState::Finished,
            (false, false) => PeerState::Spent,
        };
        self.blocked.peer = Some(Peer { pe: scene.point(peer), state });
        self.awaited = would_act.then_some(peer);
    }
}

impl<'a> Scene<'a> {
    /// The scene at the end of a run.
    pub fn new(program: &'a Program, code: &'a Code, standings: Vec<Standing>) -> Scene<'a> {
        let wiring = Wiring::of(program, code);
        let drivers = drivers(code, &wiring);
        Scene { program, code, wiring, standings, drivers }
    }

    fn point(&self, pe: usize) -> Vec<i64> {
        self.code.grid.point(self.code.pes[pe].position)
    }

    /// The port of a PE that is known to have it.
    fn port(&self, pe: usize, wanted: Port) -> usize {
        let ports = &self.code.classes[self.code.pes[pe].class].ports;
        ports.iter().position(|port| *port == wanted).unwrap_or(NOWHERE)
    }

    /// A PE that does not send on a channel, or the place where there is none.
    fn silent_peer(&self, pe: Vec<i64>) -> Peer {
        let position = self.code.grid.position(&pe);
        let is_there = position.is_some_and(|at| self.code.pes.binary_search_by_key(&at, |pe| pe.position).is_ok());
        Peer { pe, state: if is_there { PeerState::Mute } else { PeerState::Absent } }
    }
}

/// For each line of a bus the PEs with an instruction to drive it, in row-major order.
fn drivers(code: &Code, wiring: &Wiring) -> Vec<Vec<(usize, usize)>> {
    let mut drivers = vec![vec![]; wiring.lines.len()];
    for (pe, placed) in code.pes.iter().enumerate() {
        for (tap, line) in wiring.taps(pe).iter().enumerate() {
            let ops = &code.classes[placed.class].ops;
            if ops.iter().any(|op| matches!(op, Op::Drive { tap: driven, .. } if *driven == tap)) {
                drivers[*line].push((pe, tap));
            }
        }
    }
    drivers
}

/// The cycles of waits, as positions in `waiting`: each begins with its first PE in row-major order, and they come in the
/// order of these. A PE waits for one other at most, so a walk that meets itself has found a cycle.
pub(super) fn find_cycles(waiting: &[usize], waits: &[Wait]) -> Vec<Vec<usize>> {
    let position: BTreeMap<usize, usize> = waiting.iter().enumerate().map(|(position, pe)| (*pe, position)).collect();
    let next = |from: &usize| waits[*from].awaited.and_then(|pe| position.get(&pe).copied());
    let mut walk_of: Vec<Option<usize>> = vec![None; waits.len()];
    let mut cycles = vec![];
    for start in 0..waits.len() {
        let mut at = Some(start);
        while let Some(here) = at.filter(|here| walk_of[*here].is_none()) {
            walk_of[here] = Some(start);
            at = next(&here);
        }
        if let Some(met) = at.filter(|met| walk_of[*met] == Some(start)) {
            cycles.push(cycle_through(met, next));
        }
    }
    cycles.sort();
    cycles
}

fn cycle_through(met: usize, next: impl Fn(&usize) -> Option<usize>) -> Vec<usize> {
    let rest = std::iter::successors(next(&met), &next).take_while(|at| *at != met);
    let mut cycle: Vec<usize> = std::iter::once(met).chain(rest).collect();
    let first = cycle.iter().enumerate().min_by_key(|(_, at)| **at).map_or(0, |(first, _)| first);
    cycle.rotate_left(first);
    cycle
}
