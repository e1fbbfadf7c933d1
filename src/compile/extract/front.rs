//! A Pareto front with its ties, in an order that depends on the designs alone.

use crate::cost::{Cost, Objective, unbeaten};
use crate::mapping::{Design, Fold, SpaceDesign, candidates};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use systole_base::integer::lexicographic_sign;
use systole_equations::recurrence::spaces::SpaceSystem;

/// A legal design with its cost.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Found {
    /// What it costs at the sizes of the search.
    pub cost: Cost,
    /// The parts, one a space.
    pub parts: Vec<SpaceDesign>,
    /// Which PEs of the parts' array are one.
    pub fold: Fold,
}

impl Found {
    /// The design over its spaces.
    pub fn design<'a>(&self, system: &'a SpaceSystem) -> Design<'a> {
        Design { fold: self.fold.clone(), ..Design::new(system, self.parts.clone()) }
    }

    /// What orders designs whose steps are solved for: the best under the objective, then what is plainer.
    pub(super) fn order(&self, objective: Objective) -> impl Ord + use<> {
        (objective.key(&self.cost), plainness(&self.parts), self.fold.clone())
    }
}

/// The designs that no other design beats in one entry without losing in another; designs of equal cost all stay. There may be
/// thousands of these: at sizes of 1 most designs cost the same.
#[derive(Clone, Debug, Default)]
pub struct Front {
    found: Vec<Found>,
    /// The same, to see whether one is there.
    known: FxHashSet<Found>,
    costs: BTreeSet<Cost>,
}

impl Front {
    /// The designs, in no order.
    pub fn designs(&self) -> &[Found] {
        &self.found
    }

    /// Whether a design of this cost, or of any worse cost, would be beaten.
    pub fn beats(&self, cost: &Cost) -> bool {
        // Of the costs that are there none beats another.
        !self.costs.contains(cost) && self.costs.iter().any(|known| known.is_within(cost))
    }

    /// Adds a design unless it is beaten or there, and drops those it beats.
    pub fn add(&mut self, design: Found) {
        if self.beats(&design.cost) || !self.known.insert(design.clone()) {
            return;
        }
        let is_beaten = |cost: &Cost| *cost != design.cost && design.cost.is_within(cost);
        if self.costs.insert(design.cost) && self.costs.iter().any(is_beaten) {
            self.costs.retain(|cost| !is_beaten(cost));
            self.found.retain(|known| !is_beaten(&known.cost));
            self.known.retain(|known| !is_beaten(&known.cost));
        }
        self.found.push(design);
    }

    /// Adds many designs, as one after the other.
    pub fn add_all(&mut self, designs: Vec<Found>) {
        let costs: FxHashSet<Cost> = designs.iter().map(|design| design.cost).collect();
        let new = unbeaten(costs.into_iter().filter(|cost| !self.beats(cost)));
        let is_beaten = |cost: &&Cost| new.iter().any(|other| other != *cost && other.is_within(cost));
        let beaten: FxHashSet<Cost> = self.costs.iter().filter(is_beaten).copied().collect();
        if !beaten.is_empty() {
            self.costs.retain(|cost| !beaten.contains(cost));
            self.found.retain(|known| !beaten.contains(&known.cost));
            self.known.retain(|known| !beaten.contains(&known.cost));
        }
        for design in designs.into_iter().filter(|design| new.binary_search(&design.cost).is_ok()) {
            if self.known.insert(design.clone()) {
                self.found.push(design);
            }
        }
        self.costs.extend(new);
    }

    /// The front of both.
    pub fn merge(mut self, other: Front) -> Front {
        if self.found.is_empty() {
            return other;
        }
        self.add_all(other.found);
        self
    }
}

/// The order among designs of one space of equal cost: results that stay first, then plain places, small forward steps, and the
/// form.
pub(super) fn order_of(design: &Found) -> impl Ord + use<> {
    let moving = |part: &SpaceDesign| {
        let moves = |direction: &&Vec<i64>| part.map.displacement(direction).iter().any(|entry| *entry != 0);
        part.dataflow.chain.directions.iter().filter(moves).count()
    };
    let moving_results: usize = design.parts.iter().map(moving).sum();
    let backwards =
        design.parts.iter().flat_map(|part| part.map.step.rows()).flatten().filter(|entry| **entry < 0).count();
    let places: Vec<_> = design.parts.iter().map(|part| candidates::order_of_place(&part.map.place)).collect();
    let forms: Vec<_> = design.parts.iter().map(|part| (part.map.step.clone(), part.dataflow.clone())).collect();
    (moving_results, backwards, places, forms)
}

/// What orders designs of equal cost: those first that reduce as it is written, then in the order of plain places and small steps.
pub(super) fn plainness(parts: &[SpaceDesign]) -> impl Ord + use<> {
    let places: Vec<_> = parts.iter().map(|part| candidates::order_of_place(&part.map.place)).collect();
    let shifts = parts.iter().flat_map(|part| &part.origin).filter(|form| **form != Default::default()).count();
    let backwards = parts.iter().flat_map(|part| part.map.step.rows()).flatten().filter(|e| **e < 0).count();
    let chains = parts.iter().flat_map(|part| &part.dataflow.chain.directions);
    let turned = chains.filter(|along| lexicographic_sign(along) < 0).count();
    (turned, shifts, backwards, places, parts.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::SpaceTimeMap;
    use crate::rewrite::Dataflow;
    use systole_base::integer::Matrix;
    use systole_equations::recurrence::Chain;

    /// A design of this cost; those with different numbers differ.
    fn found(cost: Cost, number: usize) -> Found {
        let map = SpaceTimeMap { place: Matrix::new(vec![], 0), step: Matrix::new(vec![vec![]], 0) };
        let dataflow = Dataflow { transports: vec![], chain: Chain::along(vec![]) };
        let part = SpaceDesign { position: number, ..SpaceDesign::unshifted(map, dataflow) };
        Found { cost, parts: vec![part], fold: Fold::default() }
    }

    /// Forty designs of two counts each, some of which come twice.
    fn some(seed: u64) -> Vec<Found> {
        let of = |number: u64| {
            let drawn = (number + 1) * (seed * 2 + 1) * 2_654_435_761 % 1_000_003;
            found(Cost { cycles: drawn % 7, pes: drawn / 7 % 5, ..Cost::default() }, (drawn % 3) as usize)
        };
        (0..40).map(of).collect()
    }

    #[test]
    fn many_at_once_are_as_many_one_after_the_other() {
        for seed in 0..50 {
            let all = some(seed);
            let beats = |one: &Cost, other: &Cost| one != other && one.is_within(other);
            let is_left = |design: &&Found| all.iter().all(|other| !beats(&other.cost, &design.cost));
            let wanted: FxHashSet<Found> = all.iter().filter(is_left).cloned().collect();
            let mut each = Front::default();
            all.iter().for_each(|design| each.add(design.clone()));
            let (first, second) = all.split_at(13);
            let mut both = Front::default();
            both.add_all(first.to_vec());
            both.add_all(second.to_vec());
            for front in [each, both] {
                assert_eq!(front.designs().len(), wanted.len(), "none twice, seed {seed}");
                assert_eq!(front.designs().iter().cloned().collect::<FxHashSet<Found>>(), wanted, "seed {seed}");
            }
        }
    }
}
