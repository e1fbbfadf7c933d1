//! The waits of a design at fixed sizes, act by act, as a graph: the twin of `no-deadlock`.
//!
//! It shares no formula with the generator. The points of each PE are listed in the order of time; at each, operands come in one
//! after the other, then running results, then everything goes out. Words of a channel are matched by counting.

use petgraph::algo::is_cyclic_directed;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::{Bindings, Polyhedron, Vector};
use systole_compile::mapping::{Flow, FlowRole, MappedSpace};
use systole_compile::rewrite::Transport;
use systole_compile::timing::PeOrder;

/// A flow between two PEs, by its number and the PE that gives.
type Wire = (usize, Vector);

/// A word on a bus, by its operand and the head of its line.
type Driven = (usize, Vector);

#[derive(Default)]
struct Waits {
    /// An edge goes from what waits to what it waits for.
    graph: DiGraph<(), ()>,
    gives: BTreeMap<Wire, Vec<NodeIndex>>,
    takes: BTreeMap<Wire, Vec<NodeIndex>>,
    drives: BTreeMap<Driven, NodeIndex>,
    listens: Vec<(NodeIndex, Driven)>,
}

struct Play<'a> {
    design: &'a MappedSpace<'a>,
    flows: Vec<Flow>,
    sets: Vec<BTreeSet<Vector>>,
    domain: BTreeSet<Vector>,
    waits: Waits,
}

/// The points of each PE with their times, PEs in the order of their coordinates.
type Agenda = BTreeMap<Vector, Vec<(Vector, Vector)>>;

fn moved(point: &[i64], direction: &[i64], sign: i64) -> Vector {
    point.iter().zip(direction).map(|(entry, step)| entry + sign * step).collect()
}

fn points(design: &MappedSpace, set: &Polyhedron, sizes: &[i64]) -> BTreeSet<Vector> {
    let sizes: Bindings = design.space.parameters.iter().cloned().zip(sizes.iter().copied()).collect();
    set.points(design.space.indices(), &sizes).unwrap().into_iter().collect()
}

fn agenda(design: &MappedSpace, domain: &BTreeSet<Vector>) -> Agenda {
    let mut agenda = Agenda::new();
    for point in domain {
        let (place, time) = (design.map.place.apply(point), design.map.step.apply(point));
        agenda.entry(place).or_default().push((time, point.clone()));
    }
    agenda.values_mut().for_each(|points| points.sort());
    agenda
}

/// Whether each PE does one thing at a time, without which its program has no order.
pub fn is_in_order(design: &MappedSpace, sizes: &[i64]) -> bool {
    let agenda = agenda(design, &points(design, &design.space.domain.set, sizes));
    agenda.values().all(|points| points.windows(2).all(|pair| pair[0].0 < pair[1].0))
}

/// Whether some of the waits go round in a circle, where channels have room for so many words.
pub fn stands_still(design: &MappedSpace, sizes: &[i64], depth: usize, turns: PeOrder) -> bool {
    let flows = design.flows().unwrap();
    let sets = flows.iter().map(|flow| points(design, &flow.set, sizes)).collect();
    let domain = points(design, &design.space.domain.set, sizes);
    let agenda = agenda(design, &domain);
    let mut play = Play { design, flows, sets, domain, waits: Waits::default() };
    let mut before = None;
    for points in agenda.values() {
        if turns == PeOrder::AsTheyCan {
            before = None;
        }
        points.iter().for_each(|(_, point)| play.point(point, &mut before));
    }
    play.waits.join(depth);
    is_cyclic_directed(&play.waits.graph)
}

impl Play<'_> {
    /// The next act of a PE, after the one before.
    fn act(&mut self, before: &mut Option<NodeIndex>) -> NodeIndex {
        let act = self.waits.graph.add_node(());
        before.iter().for_each(|before| _ = self.waits.graph.add_edge(act, *before, ()));
        *before = Some(act);
        act
    }

    fn point(&mut self, point: &Vector, before: &mut Option<NodeIndex>) {
        for (operand, transport) in self.design.dataflow.transports.iter().enumerate() {
            if let Transport::Broadcast(along) = transport {
                self.hear(operand, point, along, before);
            }
            self.take(FlowRole::Operand(operand), point, before);
        }
        for level in 0..self.design.dataflow.chain.directions.len() {
            self.take(FlowRole::Reduction(level), point, before);
        }
        for number in (0..self.flows.len()).rev() {
            if !self.flows[number].is_stationary()
                && self.sets[number].contains(point)
                && self.sets[number].contains(&moved(point, &self.flows[number].direction, 1))
            {
                let wire = (number, self.design.map.place.apply(point));
                let give = self.act(before);
                self.waits.gives.entry(wire).or_default().push(give);
            }
        }
    }

    fn take(&mut self, role: FlowRole, point: &Vector, before: &mut Option<NodeIndex>) {
        let wanted = |flow: &Flow| flow.role == role && !flow.is_stationary();
        let Some(number) = self.flows.iter().position(wanted) else { return };
        let source = moved(point, &self.flows[number].direction, -1);
        if self.sets[number].contains(point) && self.sets[number].contains(&source) {
            let wire = (number, self.design.map.place.apply(&source));
            let take = self.act(before);
            self.waits.takes.entry(wire).or_default().push(take);
        }
    }

    fn hear(&mut self, operand: usize, point: &Vector, along: &[i64], before: &mut Option<NodeIndex>) {
        let mut head = point.clone();
        while self.domain.contains(&moved(&head, along, -1)) {
            head = moved(&head, along, -1);
        }
        let act = self.act(before);
        if head == *point {
            self.waits.drives.insert((operand, head), act);
        } else {
            self.waits.listens.push((act, (operand, head)));
        }
    }
}

impl Waits {
    /// Takes wait for their gives, gives for room, listeners for drives.
    fn join(&mut self, depth: usize) {
        for (wire, takes) in &self.takes {
            let gives = &self.gives[wire];
            assert_eq!(gives.len(), takes.len(), "what is given is taken");
            for (give, take) in gives.iter().zip(takes) {
                self.graph.add_edge(*take, *give, ());
            }
            for (give, take) in gives.iter().skip(depth).zip(takes) {
                self.graph.add_edge(*give, *take, ());
            }
        }
        for (listen, word) in &self.listens {
            self.graph.add_edge(*listen, self.drives[word], ());
        }
    }
}
