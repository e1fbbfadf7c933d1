//! The points of a program, and what each waits for: what brute force over maps has to keep to.
//!
//! Who gives what to whom is found by element, point by point.

use std::collections::BTreeMap;
use systole::integer::{Affine, Bindings, Name, Vector};
use systole::recurrence::spaces::SpaceSystem;
use systole::rewrite::{Choices, Dataflow, Transport};

/// A space and one of its points, both by number.
pub type Node = (usize, usize);

/// A value that one point has and another waits for.
#[derive(Clone, Copy)]
pub struct Wait {
    pub giver: Node,
    pub taker: Node,
    /// Words of one way move by the same number of PEs.
    pub way: usize,
}

/// The points of a program at some sizes, and what each waits for.
pub struct Graph {
    pub points: Vec<Vec<Vector>>,
    pub waits: Vec<Wait>,
    /// What is loaded, whenever it is used or once for each line that passes it on.
    pub words: usize,
}

impl Graph {
    pub fn new(system: &SpaceSystem, program: &[Dataflow], sizes: &Bindings) -> Graph {
        let listed =
            system.spaces.iter().map(|space| space.domain.set.points(space.indices(), sizes).expect("bounded"));
        let points: Vec<Vec<Vector>> = listed.collect();
        let mut graph = Graph { points, waits: vec![], words: 0 };
        let mut givers: BTreeMap<(Name, Vector), Node> = BTreeMap::new();
        for (space, flow) in program.iter().enumerate() {
            for (number, point) in graph.points[space].iter().enumerate() {
                if flow.chain.directions.iter().all(|along| graph.number(space, &plus(point, along, 1)).is_none()) {
                    let element = evaluated(system, space, sizes, point, &system.spaces[space].output_access);
                    givers.insert((system.spaces[space].output.clone(), element), (space, number));
                }
            }
        }
        for (space, flow) in program.iter().enumerate() {
            flow.chain.directions.iter().for_each(|along| graph.add_line(space, along));
            for (operand, transport) in flow.transports.iter().enumerate() {
                if system.sources[space][operand].is_empty() {
                    graph.load(space, transport);
                } else {
                    graph.add_operand((system, sizes), (space, operand), transport, &givers);
                }
            }
        }
        graph
    }

    /// Each point of a space waits for the one before it.
    fn add_line(&mut self, space: usize, along: &Vector) {
        for number in 0..self.points[space].len() {
            if let Some(next) = self.number(space, &plus(&self.points[space][number], along, 1)) {
                let way = self.waits.len() + 1_000_000;
                self.waits.push(Wait { giver: (space, number), taker: (space, next), way });
            }
        }
    }

    /// A given operand is loaded at each point, or at the first of each line, which passes it on.
    fn load(&mut self, space: usize, transport: &Transport) {
        let before = self.waits.len();
        transport.streams().iter().for_each(|along| self.add_line(space, along));
        self.words += self.points[space].len() - (self.waits.len() - before);
    }

    /// A computed operand is handed to each point, or to the first of each line, which passes it on.
    fn add_operand(
        &mut self,
        (system, sizes): (&SpaceSystem, &Bindings),
        (space, operand): Node,
        transport: &Transport,
        givers: &BTreeMap<(Name, Vector), Node>,
    ) {
        let read = &system.spaces[space].operands[operand];
        let along = match transport {
            Transport::Stream(along) => Some(along),
            _ => None,
        };
        along.into_iter().for_each(|along| self.add_line(space, along));
        for (number, point) in self.points[space].clone().iter().enumerate() {
            if along.is_some_and(|along| self.number(space, &plus(point, along, -1)).is_some()) {
                continue;
            }
            let element = evaluated(system, space, sizes, point, &read.access);
            let giver = givers.get(&(read.tensor.clone(), element)).filter(|giver| **giver != (space, number));
            let way = |giver: &Node| (space * 100 + operand) * 100 + giver.0;
            self.waits.extend(giver.map(|giver| Wait { giver: *giver, taker: (space, number), way: way(giver) }));
        }
    }

    fn number(&self, space: usize, point: &Vector) -> Option<usize> {
        self.points[space].iter().position(|known| known == point)
    }

    /// For each point the longest chain of operations up to it, or on from it, without its own.
    pub fn longest(&self, is_before: bool) -> BTreeMap<Node, i64> {
        let all = self.points.iter().enumerate();
        let nodes = all.flat_map(|(space, points)| (0..points.len()).map(move |number| (space, number)));
        let mut longest: BTreeMap<Node, i64> = nodes.map(|node| (node, 0)).collect();
        for _ in 0..longest.len() {
            let mut is_longer = false;
            for Wait { giver, taker, .. } in &self.waits {
                let (from, to) = if is_before { (giver, taker) } else { (taker, giver) };
                let more = longest[from] + 1;
                if more > longest[to] {
                    longest.insert(*to, more);
                    is_longer = true;
                }
            }
            if !is_longer {
                break;
            }
        }
        longest
    }
}

fn plus(point: &[i64], by: &[i64], sign: i64) -> Vector {
    point.iter().zip(by).map(|(a, b)| a + sign * b).collect()
}

fn evaluated(system: &SpaceSystem, space: usize, sizes: &Bindings, point: &Vector, access: &[Affine]) -> Vector {
    let bindings = system.spaces[space].bind(sizes, point);
    access.iter().map(|form| form.evaluate(&bindings).expect("fits")).collect()
}

/// Every program of a form: a chain for each reduction, a way for each value that is computed. Those that are given are fed at every point,
/// which takes no time, so no other way of theirs takes fewer cycles; where words count they are streamed as well.
pub fn programs(system: &SpaceSystem, choices: &[Choices], are_streamed: bool) -> Vec<Vec<Dataflow>> {
    let of_space = |(space, offered): (usize, &Choices)| {
        let mut offered = offered.clone();
        for (operand, transports) in offered.transports.iter_mut().enumerate() {
            match system.sources[space][operand].is_empty() {
                true => transports.retain(|choice| match choice {
                    Transport::Stream(_) => are_streamed,
                    choice => *choice == Transport::Feed,
                }),
                false => transports.retain(|choice| matches!(choice, Transport::Handoff | Transport::Stream(_))),
            }
        }
        offered.dataflows().collect::<Vec<Dataflow>>()
    };
    choices.iter().enumerate().map(of_space).fold(vec![vec![]], |prefixes: Vec<Vec<Dataflow>>, flows| {
        let longer = |prefix: &Vec<Dataflow>| {
            flows.iter().map(|flow| [prefix.clone(), vec![flow.clone()]].concat()).collect::<Vec<_>>()
        };
        prefixes.iter().flat_map(longer).collect()
    })
}
