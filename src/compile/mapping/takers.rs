//! The points of a space that take an operand from elsewhere than the point before, and who gives it to them.

use super::Handoff;
use super::tree::tree_sets;
use crate::memo::Memo;
use crate::rewrite::Transport;
use std::sync::Arc;
use systole_base::diagnostic::Checked;
use systole_base::integer::{Affine, Matrix, Polyhedron, dot};
use systole_base::network::Network;
use systole_equations::recurrence::spaces::{Source, SpaceSystem};
use systole_equations::recurrence::{Chain, Space};

/// A space, one of its operands and one of the operand's sources.
pub type Position = (usize, usize, usize);

/// The sets of takers of every operand under every transport that was asked for, which no place changes; and the handoffs that were found for
/// them, since most dataflows of a placement differ in other operands. One system has one of these, whatever is offered of it.
#[derive(Debug, Default)]
pub struct TakerSets {
    sets: Memo<(Position, Transport), Arc<Vec<Polyhedron>>>,
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
    /// The handoffs that were found for the same question, or that are found now.
    pub fn handoffs(&self, of: HandoffKey, find: impl FnOnce() -> Checked<Vec<Handoff>>) -> Checked<Vec<Handoff>> {
        self.handoffs.of(of, |_| find())
    }

    /// The takers of one source of an operand.
    pub fn of(&self, system: &SpaceSystem, at: Position, transport: &Transport) -> Arc<Vec<Polyhedron>> {
        let find = || takers(system, at.0, transport, &system.sources[at.0][at.1][at.2]);
        self.sets.of((at, transport.clone()), |_| Arc::new(find()))
    }
}

/// The points of a source that do not get the operand from the point before, with all their equations spelled out.
fn takers(system: &SpaceSystem, reader: usize, transport: &Transport, source: &Source) -> Vec<Polyhedron> {
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
