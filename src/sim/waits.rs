//! The graph of waits: who waits for whom.
//!
//! In: the PEs of a run that are not done and cannot go on. Out: what each waits for, and a cycle of waits where there is
//! one. The graph has a node for each of these PEs, in row-major order, and after them one for each line of a bus: a PE
//! that waits for a tag waits for the line, and the line for every PE that has an instruction to drive it.

use super::deadlock::{Blocked, Cause, Peer, PeerState};
use super::engine::Engine;
use crate::array::{Index, Op, Program};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A blocked PE and what it waits for.
pub(super) struct Wait {
    pub blocked: Blocked,
    awaited: Option<Awaited>,
}

/// The far end of a channel, or a line of a bus.
#[derive(Clone, Copy)]
enum Awaited {
    Pe(usize),
    Line(usize),
}

impl Wait {
    /// What a PE that is not done waits for.
    pub fn of(program: &Program, engine: &Engine<'_>, pe: usize) -> Wait {
        let class = &engine.code.classes[engine.code.pes[pe].class];
        let blocked = Blocked {
            pe: engine.code.grid.point(engine.code.pes[pe].position),
            class: class.name.clone(),
            link: class.name.clone(),
            cause: Cause::Empty,
            tag: vec![],
            clock: engine.runners[pe].meter.clock,
            peer: None,
        };
        let mut wait = Wait { blocked, awaited: None };
        match class.ops.get(engine.runners[pe].counter) {
            Some(Op::Receive { port, .. }) => wait.on_channel(program, engine, pe, *port, Cause::Empty),
            Some(Op::Send { port, .. }) => wait.on_channel(program, engine, pe, *port, Cause::Full),
            Some(Op::Listen { tap, tag, .. }) => wait.on_bus(program, engine, pe, *tap, tag),
            _ => {}
        }
        wait
    }

    fn on_channel(&mut self, program: &Program, engine: &Engine<'_>, pe: usize, port: usize, cause: Cause) {
        let class = &engine.code.classes[engine.code.pes[pe].class];
        let channel = &program.channels[class.ports[port].channel];
        self.blocked.link = channel.name.clone();
        self.blocked.cause = cause;
        let Some(wire) = engine.world.wiring.wires.get(engine.world.wiring.ports(pe)[port]) else {
            let sender = self.blocked.pe.iter().zip(&channel.offset).map(|(at, by)| at.saturating_sub(*by));
            self.blocked.peer = Some(Peer { pe: sender.collect(), state: PeerState::Mute });
            return;
        };
        let peer = if cause == Cause::Empty { wire.sender } else { wire.receiver };
        let state = if engine.runners[peer].finished { PeerState::Finished } else { PeerState::Waits };
        self.blocked.peer = Some(Peer { pe: engine.code.grid.point(engine.code.pes[peer].position), state });
        self.awaited = Some(Awaited::Pe(peer));
    }

    fn on_bus(&mut self, program: &Program, engine: &Engine<'_>, pe: usize, tap: usize, tag: &[Index]) {
        let line = engine.world.wiring.taps(pe)[tap];
        let slots = engine.slots_of(pe);
        self.blocked.link = program.buses[engine.world.wiring.lines[line]].name.clone();
        self.blocked.cause = Cause::Undriven;
        self.blocked.tag = tag.iter().filter_map(|entry| entry.value(slots)).collect();
        self.awaited = Some(Awaited::Line(line));
    }
}

type Graph = DiGraph<(), ()>;

/// A shortest cycle through the first PE, in row-major order, that lies on one; as positions in `waiting`.
pub(super) fn find_cycle(engine: &Engine<'_>, waiting: &[usize], waits: &[Wait]) -> Vec<usize> {
    let graph = build_graph(engine, waiting, waits);
    let closed = |component: &Vec<NodeIndex>| component.len() > 1 || graph.contains_edge(component[0], component[0]);
    let loops = kosaraju_scc(&graph).into_iter().filter(closed);
    let first = loops.min_by_key(|component| component.iter().min().copied());
    let mut cycle = first.map_or(vec![], |component| trace(&graph, &component));
    cycle.retain(|node| *node < waiting.len());
    cycle
}

fn build_graph(engine: &Engine<'_>, waiting: &[usize], waits: &[Wait]) -> Graph {
    let position: BTreeMap<usize, usize> = waiting.iter().enumerate().map(|(position, pe)| (*pe, position)).collect();
    let mut graph = Graph::with_capacity(waiting.len(), waiting.len());
    for _ in 0..waiting.len() + engine.world.lines.len() {
        graph.add_node(());
    }
    for (from, (pe, wait)) in waiting.iter().zip(waits).enumerate() {
        let to = match wait.awaited {
            Some(Awaited::Pe(peer)) => position.get(&peer).copied(),
            Some(Awaited::Line(line)) => Some(waiting.len() + line),
            None => None,
        };
        to.map(|to| graph.add_edge(NodeIndex::new(from), NodeIndex::new(to), ()));
        for line in driven_lines(engine, *pe) {
            graph.add_edge(NodeIndex::new(waiting.len() + line), NodeIndex::new(from), ());
        }
    }
    graph
}

/// The lines that a PE has an instruction to drive.
fn driven_lines(engine: &Engine<'_>, pe: usize) -> BTreeSet<usize> {
    let taps = engine.world.wiring.taps(pe);
    let ops = if taps.is_empty() { &[] } else { engine.code.classes[engine.code.pes[pe].class].ops.as_slice() };
    let driven = ops.iter().filter_map(|op| match op {
        Op::Drive { tap, .. } => Some(taps[*tap]),
        _ => None,
    });
    driven.collect()
}

/// The shortest way from the component's first node back to it, inside the component.
fn trace(graph: &Graph, component: &[NodeIndex]) -> Vec<usize> {
    let inside: BTreeSet<NodeIndex> = component.iter().copied().collect();
    let Some(start) = inside.first().copied() else { return vec![] };
    let mut before: BTreeMap<NodeIndex, NodeIndex> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for next in graph.neighbors(node).filter(|next| inside.contains(next)) {
            if next == start {
                return way_to(&before, node);
            }
            before.entry(next).or_insert_with(|| {
                queue.push_back(next);
                node
            });
        }
    }
    vec![]
}

fn way_to(before: &BTreeMap<NodeIndex, NodeIndex>, last: NodeIndex) -> Vec<usize> {
    let back = std::iter::successors(Some(last), |node| before.get(node).copied());
    let mut way: Vec<usize> = back.map(NodeIndex::index).collect();
    way.reverse();
    way
}
