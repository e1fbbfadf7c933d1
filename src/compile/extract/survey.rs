//! What a search saw, and its Pareto front.
//!
//! In: legal designs with their costs, in any order. Out: those that no other beats, ties kept, and what explains an empty
//! front. Both strategies tell what they saw in the same words; what one of them does not count stays 0.

use super::Strategy;
use super::front::{Found, Front, order_of};
use super::limits::LeftOut;
use crate::cost::{Cost, Objective};
use crate::mapping::{Fold, SpaceDesign};
use std::collections::BTreeMap;
use systole_base::diagnostic::{Diagnostic, counted};
use systole_base::integer::Name;

/// More dataflows without steps than this are not kept for messages.
const MOST_STUCK: usize = 32;

/// Why maps were turned down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rejections {
    /// Two points of a PE would share a time.
    pub conflicts: u64,
    /// Vector time whose rows have no closed length.
    pub unclocked: u64,
    /// The array is larger than the machine.
    pub oversized: u64,
    /// A tensor has no link for where it would have to go, by tensor; counted by place.
    pub unreachable: BTreeMap<Name, u64>,
    /// A tensor has no time to travel, by tensor.
    pub late: BTreeMap<Name, u64>,
    /// A tensor has time to travel only where a row of a vector time is longer than one step, by tensor.
    pub short: BTreeMap<Name, u64>,
}

impl Rejections {
    /// Counts a place at which `tensor` cannot be moved.
    pub fn add_unreachable(&mut self, tensor: &Name) {
        *self.unreachable.entry(tensor.clone()).or_default() += 1;
    }

    /// Counts a map under which `tensor` has no time to travel.
    pub fn add_late(&mut self, tensor: &Name) {
        *self.late.entry(tensor.clone()).or_default() += 1;
    }

    /// Counts a map under which `tensor` has no time to travel where rows are short.
    pub fn add_short(&mut self, tensor: &Name) {
        *self.short.entry(tensor.clone()).or_default() += 1;
    }

    /// Whether a map was turned down for its clock, of which no obligation speaks: proofs compare vectors.
    pub fn are_of_the_clock(&self) -> bool {
        self.unclocked > 0 || !self.short.is_empty()
    }

    pub(super) fn merge(mut self, other: Rejections) -> Rejections {
        self.conflicts += other.conflicts;
        self.unclocked += other.unclocked;
        self.oversized += other.oversized;
        other.unreachable.into_iter().for_each(|(name, count)| *self.unreachable.entry(name).or_default() += count);
        other.late.into_iter().for_each(|(name, count)| *self.late.entry(name).or_default() += count);
        other.short.into_iter().for_each(|(name, count)| *self.short.entry(name).or_default() += count);
        self
    }
}

/// What the search saw.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// How it searched.
    pub strategy: Strategy,
    /// Maps looked at: of the space, or placements of all spaces.
    pub maps: u64,
    /// Those with at least one legal design.
    pub legal: u64,
    /// Whether it was stopped before it was done.
    pub is_stopped: bool,
    /// Legal designs. Times hold for all sizes: dependences by their generators, and no two spaces meet by proof. That one
    /// bus is free is counted at the sizes of the search; `prove` has obligations for all of it.
    pub designs: u64,
    /// Why maps were turned down, where all are enumerated.
    pub rejections: Rejections,
    /// What was not looked at.
    pub left_out: LeftOut,
    /// The Pareto front.
    pub front: Front,
    /// Every legal design, where they are kept.
    pub all: Vec<Found>,
    /// Whether all legal designs are kept; then nothing within the bounds is passed over.
    pub keep: bool,
    /// The first dataflows that no steps satisfy.
    pub stuck: Vec<Vec<SpaceDesign>>,
    /// The first dataflow with steps that is not legal all the same, with the fold that the schedule asks for.
    pub refused: Option<(Vec<SpaceDesign>, Fold)>,
    /// The first placement in which a value has no way.
    pub unreachable: Option<Vec<Diagnostic>>,
    /// Placements without a dataflow: an operand of theirs is neither handed to its readers nor streamed.
    pub formless: u64,
    /// Dataflows whose conditions on steps were not stated: a stream has no link, a PE has more than one dimension of a space, or a
    /// number does not fit.
    pub unstated: u64,
}

impl Survey {
    /// Adds a design to those that are kept, and to the front.
    pub(super) fn add(&mut self, found: Found) {
        if self.keep && !self.all.contains(&found) {
            self.all.push(found.clone());
        }
        self.front.add(found);
    }

    /// Adds many designs.
    pub(super) fn add_all(&mut self, found: Vec<Found>) {
        match self.keep {
            true => found.into_iter().for_each(|found| self.add(found)),
            false => self.front.add_all(found),
        }
    }

    /// Whether a design is on the front that loses nowhere against this cost and wins somewhere.
    pub(super) fn beats(&self, cost: &Cost) -> bool {
        self.front.beats(cost)
    }

    /// Keeps a dataflow that has no steps, while there is room for it.
    pub(super) fn add_stuck(&mut self, parts: Vec<SpaceDesign>) {
        if self.stuck.len() < MOST_STUCK {
            self.stuck.push(parts);
        }
    }

    /// What two parts of a search saw together.
    pub(super) fn merge(mut self, other: Survey) -> Survey {
        self.front = self.front.merge(other.front);
        self.all.extend(other.all);
        self.maps += other.maps;
        self.is_stopped |= other.is_stopped;
        self.legal += other.legal;
        self.designs = self.designs.saturating_add(other.designs);
        self.formless += other.formless;
        self.unstated += other.unstated;
        self.rejections = self.rejections.merge(other.rejections);
        self.left_out = self.left_out.join(other.left_out);
        other.stuck.into_iter().for_each(|parts| self.add_stuck(parts));
        self.refused = self.refused.or(other.refused);
        self.unreachable = self.unreachable.or(other.unreachable);
        self
    }

    /// What was seen when a search with a larger budget came after this one. What this one left out is not open any more.
    pub(super) fn deepened(mut self, mut further: Survey) -> Survey {
        let front = std::mem::take(&mut self.front).merge(std::mem::take(&mut further.front));
        let designs = self.designs.max(further.designs).max(front.designs().len() as u64);
        let legal = if further.legal > 0 { further.legal } else { self.legal };
        let is_stopped = self.is_stopped || further.is_stopped;
        let last = if further.is_stopped && self.maps > 0 { self } else { further };
        Survey { front, designs, legal, is_stopped, ..last }
    }

    /// The same with those of other designs that take fewer cycles than all of these.
    pub(super) fn with_faster(mut self, others: &Front) -> Survey {
        let cycles = |found: &Found| found.cost.cycles;
        let least = self.front.designs().iter().map(cycles).min().unwrap_or(u64::MAX);
        let faster: Vec<Found> = others.designs().iter().filter(|found| cycles(found) < least).cloned().collect();
        faster.into_iter().for_each(|found| self.add(found));
        self.designs = self.designs.max(self.front.designs().len() as u64);
        self
    }

    /// How much was looked at, in words.
    pub fn looked_at(&self) -> String {
        let noun = match self.strategy {
            Strategy::Enumerate => "map",
            Strategy::Solve => "placement",
        };
        match self.maps {
            0 => format!("no {noun} within the limits suits all spaces"),
            maps => format!("{} looked at", counted(maps, noun)),
        }
    }

    /// The front, best first under the objective, ties in the order of what is plainer.
    pub fn sorted(&self, objective: Objective) -> Vec<Found> {
        let mut found = self.front.designs().to_vec();
        match self.strategy {
            Strategy::Enumerate => found.sort_by_cached_key(|one| (objective.key(&one.cost), order_of(one))),
            Strategy::Solve => found.sort_by_cached_key(|one| one.order(objective)),
        }
        found
    }
}
