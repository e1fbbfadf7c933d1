//! The points of a space that take an operand from elsewhere than the point before, and who gives it to them.

use super::Handoff;
use super::tree::tree_sets;
use crate::memo::Memo;
use crate::rewrite::{Choices, Transport};
use std::borrow::Cow;
use std::collections::HashMap;
use systole_base::diagnostic::Checked;
use systole_base::integer::{Affine, Matrix, Polyhedron, dot};
use systole_base::network::Network;
use systole_equations::recurrence::spaces::{Source, SpaceSystem};
use systole_equations::recurrence::{Chain, Space};

/// A space, one of its operands and one of the operand's sources.
pub type Position = (usize, usize, usize);

/// Transports, each with the takers.
type Offered = Vec<(Transport, Vec<Polyhedron>)>;

/// The sets of takers of every operand under every transport that is offered, which no place changes; and the handoffs that were found for
/// them, since most dataflows of a placement differ in other operands.
#[derive(Debug, Default)]
pub struct TakerSets {
    sets: HashMap<Position, Offered>,
    handoffs: Memo<HandoffKey, Checked<Vec<Handoff>>>,
}

/// All that decides which handoffs the takers of an operand have.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HandoffKey {
    /// Who takes.
    pub at: Position,
    /// How.
    pub transport: Transport,
    /// The links.
    pub network: Network,
    /// In which order the space that computes the value does so.
    pub chain: Option<Chain>,
    /// The operands that have the value too, as a stream passes it on.
    pub streams: Vec<(usize, usize)>,
    /// The places of all spaces that this is about, with what is added to them.
    pub places: Vec<(Matrix, Vec<Affine>)>,
}

impl TakerSets {
    /// The sets for these choices, one a space.
    pub fn new(system: &SpaceSystem, choices: &[Choices]) -> TakerSets {
        let mut sets: HashMap<Position, Offered> = HashMap::new();
        for (reader, operands) in system.sources.iter().enumerate() {
            for (operand, sources) in operands.iter().enumerate() {
                for (position, source) in sources.iter().enumerate() {
                    let offered = choices[reader].transports[operand].iter();
                    let of = |transport: &Transport| (transport.clone(), takers(system, reader, transport, source));
                    sets.insert((reader, operand, position), offered.map(of).collect());
                }
            }
        }
        TakerSets { sets, handoffs: Memo::default() }
    }

    /// The handoffs that were found for the same question, or that are found now.
    pub fn handoffs(&self, of: HandoffKey, find: impl FnOnce() -> Checked<Vec<Handoff>>) -> Checked<Vec<Handoff>> {
        self.handoffs.of(of, |_| find())
    }

    /// The takers of one source of an operand.
    pub fn of(&self, system: &SpaceSystem, at: (usize, usize, usize), transport: &Transport) -> Cow<'_, [Polyhedron]> {
        let known = self.sets.get(&at).and_then(|sets| sets.iter().find(|(known, _)| known == transport));
        match known {
            Some((_, sets)) => Cow::Borrowed(sets),
            None => Cow::Owned(takers(system, at.0, transport, &system.sources[at.0][at.1][at.2])),
        }
    }
}

/// The points of a source that do not get the operand from the point before, with all their equations spelled out.
pub fn takers(system: &SpaceSystem, reader: usize, transport: &Transport, source: &Source) -> Vec<Polyhedron> {
    let space = &system.spaces[reader];
    let streams = transport.streams();
    let sets = match streams.last().zip(tree_sets(space, streams).last()) {
        Some((along, sets)) => sets
            .iter()
            .flat_map(|set| heads(space, set, along))
            .map(|head| head.intersect(&source.set))
            .filter(|set| !is_empty(system, set))
            .collect(),
        None => vec![source.set.clone()],
    };
    sets.iter().map(|set| set.with_equations(&Polyhedron::sizes(&system.parameters))).collect()
}

/// Whether a set has no point at sizes of 1 or more.
pub fn is_empty(system: &SpaceSystem, set: &Polyhedron) -> bool {
    set.intersect(&Polyhedron::sizes(&system.parameters)).is_empty()
}

/// The first points of the lines of `set` along `direction`, as disjoint sets.
pub fn heads(space: &Space, set: &Polyhedron, direction: &[i64]) -> Vec<Polyhedron> {
    let slope = |form: &Affine| dot(&form.row(space.indices()), direction);
    let mut rest = set.clone();
    let mut heads = vec![];
    for form in set.constraints().iter().filter(|form| slope(form) > 0) {
        let steps = Affine::constant(slope(form));
        let mut head = rest.clone();
        head.add(steps.clone() - form.clone() - Affine::constant(1));
        heads.push(head);
        rest.add(form.clone() - steps);
    }
    heads
}
