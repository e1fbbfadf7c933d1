//! Plays a design at fixed sizes, point by point and hop by hop, and notes which laws break.
//!
//! It shares no formula with the generator: it lists the points, sends every word along its links, and counts.
//! Scalar time on a mesh only.

use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::{Bindings, Polyhedron, Vector, lexicographic_sign};
use systole_base::network::Links;
use systole_compile::mapping::{Flow, FlowRole, MappedSpace};
use systole_compile::rewrite::Transport;
use systole_program::obligation::Kind;

/// A law and the tensor (or kernel) for which it breaks.
pub type Broken = BTreeSet<(Kind, String)>;

struct Run<'a> {
    design: &'a MappedSpace<'a>,
    links: &'a Links,
    sizes: Bindings,
    points: BTreeSet<Vector>,
    broken: Broken,
}

/// What breaks when all sizes are as given.
pub fn broken_laws(design: &MappedSpace, links: &Links, sizes: &[i64]) -> Broken {
    let sizes: Bindings = design.space.parameters.iter().cloned().zip(sizes.iter().copied()).collect();
    let mut run = Run { design, links, sizes, points: BTreeSet::new(), broken: Broken::new() };
    run.points = run.list(&design.space.domain.set);
    let flows = design.flows().unwrap();
    run.run_points();
    flows.iter().for_each(|flow| run.run_flow(flow));
    for (position, transport) in design.dataflow.transports.iter().enumerate() {
        if let Transport::Broadcast(direction) = transport {
            run.run_broadcast(&design.space.operands[position].tensor, direction);
        }
    }
    if design.boundary_io {
        run.cross_boundary(&flows);
    }
    run.broken
}

fn plus(a: &[i64], b: &[i64]) -> Vector {
    a.iter().zip(b).map(|(x, y)| x + y).collect()
}

fn minus(a: &[i64], b: &[i64]) -> Vector {
    a.iter().zip(b).map(|(x, y)| x - y).collect()
}

impl Run<'_> {
    fn list(&self, set: &Polyhedron) -> BTreeSet<Vector> {
        set.points(self.design.space.indices(), &self.sizes).unwrap().into_iter().collect()
    }

    fn time(&self, point: &[i64]) -> i64 {
        self.design.map.step.apply(point)[0]
    }

    fn place(&self, point: &[i64]) -> Vector {
        self.design.map.place.apply(point)
    }

    fn note(&mut self, kind: Kind, of: &str, breaks: bool) {
        if breaks {
            self.broken.insert((kind, of.to_owned()));
        }
    }

    fn run_points(&mut self) {
        let slots: BTreeSet<(Vector, i64)> =
            self.points.iter().map(|point| (self.place(point), self.time(point))).collect();
        let kernel = self.design.space.kernel.clone();
        self.note(Kind::PeConflict, &kernel, slots.len() < self.points.len());
    }

    fn run_flow(&mut self, flow: &Flow) {
        let set = self.list(&flow.set);
        let words: Vec<Vector> =
            set.iter().filter(|point| set.contains(&plus(point, &flow.direction))).cloned().collect();
        let mut links = BTreeMap::new();
        let mut channels: BTreeMap<Vector, BTreeSet<(i64, i64)>> = BTreeMap::new();
        for word in &words {
            let received = self.time(&plus(word, &flow.direction));
            let arrival = self.send(flow, word, &mut links);
            self.note(Kind::Causality, &flow.of, received < arrival.max(self.time(word) + 1));
            let response = if flow.is_stationary() { 0 } else { self.links.response };
            channels.entry(self.place(word)).or_default().insert((self.time(word), received + response));
        }
        self.note(Kind::LinkConflict, &flow.of, links.values().any(|words| *words > 1));
        let depth = if flow.is_stationary() { 1 } else { flow.depth(self.links.response).unwrap() };
        let deepest = channels.values().map(most_at_once).max().unwrap_or(0);
        self.note(Kind::FifoDepth, &flow.of, deepest > depth);
        if let FlowRole::Operand(_) = flow.role {
            self.run_line(&flow.of, &flow.direction, flow.delay[0]);
        }
    }

    /// Moves a word hop by hop, first axis first; returns when it arrives.
    fn send(&self, flow: &Flow, word: &[i64], links: &mut BTreeMap<(Vector, usize, i64), u32>) -> i64 {
        let (mut at, mut time) = (self.place(word), self.time(word));
        for (axis, distance) in flow.displacement.iter().enumerate() {
            for _ in 0..distance.abs() {
                *links.entry((at.clone(), axis, time)).or_insert(0) += 1;
                at[axis] += distance.signum();
                time += self.links.latency;
            }
        }
        time
    }

    /// Walks every line from its head and compares the time of each point with the value's.
    fn run_line(&mut self, of: &str, direction: &[i64], delay: i64) {
        for head in self.heads(direction) {
            let (mut point, mut arrival) = (head.clone(), self.time(&head));
            while self.points.contains(&point) {
                let late = self.time(&point) != arrival;
                self.note(Kind::Alignment, of, late);
                point = plus(&point, direction);
                arrival += delay;
            }
        }
    }

    fn heads(&self, direction: &[i64]) -> Vec<Vector> {
        self.points.iter().filter(|point| !self.points.contains(&minus(point, direction))).cloned().collect()
    }

    fn run_broadcast(&mut self, of: &str, direction: &[i64]) {
        self.run_line(of, direction, 0);
        let heads = self.heads(direction);
        let along = self.design.map.displacement(direction);
        for (number, one) in heads.iter().enumerate() {
            for other in &heads[number + 1..] {
                let apart = minus(&self.place(other), &self.place(one));
                let shared = self.time(one) == self.time(other) && is_parallel(&apart, &along);
                self.note(Kind::LinkConflict, of, shared);
            }
        }
    }

    fn cross_boundary(&mut self, flows: &[Flow]) {
        let design = self.design;
        for (operand, transport) in design.space.operands.iter().zip(&design.dataflow.transports) {
            let (gates, outward) = match transport {
                Transport::Stream(direction) | Transport::Broadcast(direction) => {
                    let back: Vector = direction.iter().map(|entry| -entry).collect();
                    (self.heads(direction), design.map.displacement(&back))
                }
                _ => (self.points.iter().cloned().collect(), vec![0; design.map.rank()]),
            };
            self.cross(&operand.tensor, &gates, &outward);
        }
        let last = flows.last().unwrap();
        let set = self.list(&last.set);
        let ends: Vec<Vector> =
            set.iter().filter(|point| !set.contains(&plus(point, &last.direction))).cloned().collect();
        self.cross(&last.of, &ends, &last.displacement);
    }

    fn cross(&mut self, of: &str, gates: &[Vector], outward: &[i64]) {
        let places: BTreeSet<Vector> = self.points.iter().map(|point| self.place(point)).collect();
        let rank = outward.len();
        let axes = (0..rank).flat_map(|axis| [1, -1].map(|sign| (axis, sign)));
        let around = axes.map(|(axis, sign)| (0..rank).map(|a| if a == axis { sign } else { 0 }).collect());
        let sides: Vec<Vector> =
            if lexicographic_sign(outward) == 0 { around.collect() } else { vec![outward.to_vec()] };
        let enclosed = gates.iter().any(|gate| {
            let place = self.place(gate);
            !sides.is_empty() && sides.iter().all(|side| places.contains(&plus(&place, side)))
        });
        self.note(Kind::EdgeInjection, of, enclosed);
    }
}

/// The most words with different send times that hold a slot at one time.
fn most_at_once(words: &BTreeSet<(i64, i64)>) -> u64 {
    let held = |now: i64| {
        let holding = words.iter().filter(|(sent, free)| *sent <= now && now < *free);
        holding.map(|(sent, _)| sent).collect::<BTreeSet<_>>().len() as u64
    };
    words.iter().map(|(sent, _)| held(*sent)).max().unwrap_or(0)
}

/// Whether `apart` reaches another PE of the bus that leaves along `along`: all cross products vanish.
fn is_parallel(apart: &[i64], along: &[i64]) -> bool {
    if lexicographic_sign(along) == 0 {
        return lexicographic_sign(apart) == 0;
    }
    let pairs = (0..apart.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
    pairs.into_iter().all(|(a, b)| apart[a] * along[b] == apart[b] * along[a])
}
