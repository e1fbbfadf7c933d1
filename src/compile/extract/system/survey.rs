//! What a search over several spaces saw, and its Pareto front.
//!
//! In: legal designs with their costs, in any order. Out: those that no other beats, ties kept, and what explains an empty
//! front.

use super::limits::LeftOut;
use crate::cost::{Cost, Objective};
use crate::mapping::{Fold, Part, candidates};
use systole_base::diagnostic::Diagnostic;
use systole_base::integer::lexicographic_sign;

/// More dataflows without steps than this are not kept for messages.
const MOST_STUCK: usize = 32;

/// A legal design with its cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemFound {
    /// What it costs at the sizes of the search.
    pub cost: Cost,
    /// The parts, one a space.
    pub parts: Vec<Part>,
    /// Which PEs of the parts' array are one.
    pub fold: Fold,
}

/// What the search saw.
#[derive(Clone, Debug, Default)]
pub struct SystemSurvey {
    /// Placements looked at.
    pub maps: u64,
    /// Placements with at least one legal design.
    pub legal: u64,
    /// Placements that need a larger array than the machine has.
    pub oversized: u64,
    /// Legal designs costed. Times hold for all sizes: dependences by their generators, and no two spaces meet by proof. That
    /// one bus is free is counted at the sizes of the search; `prove` has obligations for all of it.
    pub designs: u64,
    /// What was not looked at.
    pub left_out: LeftOut,
    /// The Pareto front, in no order.
    pub front: Vec<SystemFound>,
    /// Every legal design, where they are kept.
    pub all: Vec<SystemFound>,
    pub(super) keep: bool,
    /// The first dataflows that no steps satisfy.
    pub stuck: Vec<Vec<Part>>,
    /// The first dataflow with steps that is not legal all the same, with the fold that the schedule asks for.
    pub refused: Option<(Vec<Part>, Fold)>,
    /// The first placement in which a value has no way.
    pub unreachable: Option<Vec<Diagnostic>>,
    /// Placements without a dataflow: an operand of theirs is neither handed to its readers nor streamed.
    pub formless: u64,
    /// Dataflows whose conditions on steps were not stated: a stream has no link, a PE has more than one dimension of a space, or a
    /// number does not fit.
    pub unstated: u64,
}

impl SystemSurvey {
    /// Adds a design to those that are kept, and to the front.
    pub(super) fn add(&mut self, found: SystemFound) {
        if self.keep && !self.all.contains(&found) {
            self.all.push(found.clone());
        }
        self.improve(found);
    }

    /// Adds a design to the front unless it is beaten, and drops those it beats; ties stay.
    pub(super) fn improve(&mut self, found: SystemFound) {
        if self.beats(&found.cost) || self.front.contains(&found) {
            return;
        }
        self.front.retain(|known| known.cost == found.cost || !found.cost.is_within(&known.cost));
        self.front.push(found);
    }

    /// Whether a design is on the front that loses nowhere against this cost and wins somewhere.
    pub(super) fn beats(&self, cost: &Cost) -> bool {
        self.front.iter().any(|known| known.cost != *cost && known.cost.is_within(cost))
    }

    /// Keeps a dataflow that has no steps, while there is room for it.
    pub(super) fn add_stuck(&mut self, parts: Vec<Part>) {
        if self.stuck.len() < MOST_STUCK {
            self.stuck.push(parts);
        }
    }

    /// What two parts of a search saw together.
    pub(super) fn merge(mut self, other: SystemSurvey) -> SystemSurvey {
        other.front.into_iter().for_each(|found| self.improve(found));
        self.all.extend(other.all);
        self.maps += other.maps;
        self.legal += other.legal;
        self.oversized += other.oversized;
        self.designs += other.designs;
        self.formless += other.formless;
        self.unstated += other.unstated;
        self.left_out = self.left_out.join(other.left_out);
        other.stuck.into_iter().for_each(|parts| self.add_stuck(parts));
        self.refused = self.refused.or(other.refused);
        self.unreachable = self.unreachable.or(other.unreachable);
        self
    }

    /// The front, best first under the objective; of ties those first that reduce as it is written, then in the order of plain places and small
    /// steps.
    pub fn sorted(&self, objective: Objective) -> Vec<SystemFound> {
        let mut front = self.front.clone();
        front.sort_by_cached_key(|found| found.order(objective));
        front
    }
}

impl SystemFound {
    /// What orders designs: the best under the objective, then what is plainer.
    pub(super) fn order(&self, objective: Objective) -> impl Ord + use<> {
        (objective.key(&self.cost), plainness(&self.parts), self.fold.clone())
    }
}

/// What orders designs of equal cost: those first that reduce as it is written, then in the order of plain places and small steps.
pub(super) fn plainness(parts: &[Part]) -> impl Ord + use<> {
    let places: Vec<_> = parts.iter().map(|part| candidates::order_of_place(&part.map.place)).collect();
    let shifts = parts.iter().flat_map(|part| &part.origin).filter(|form| **form != Default::default()).count();
    let backwards = parts.iter().flat_map(|part| part.map.step.rows()).flatten().filter(|e| **e < 0).count();
    let chains = parts.iter().flat_map(|part| &part.dataflow.chain.directions);
    let turned = chains.filter(|along| lexicographic_sign(along) < 0).count();
    (turned, shifts, backwards, places, parts.to_vec())
}
