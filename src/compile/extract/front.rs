//! A Pareto front with its ties, in an order that depends on the designs alone.

use crate::cost::{Cost, Objective};
use crate::mapping::{SpaceTimeMap, candidates};
use crate::rewrite::Dataflow;

/// A legal design with its cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What it costs.
    pub cost: Cost,
    /// Where and when its points run.
    pub map: SpaceTimeMap,
    /// How its values move.
    pub dataflow: Dataflow,
}

/// The designs that no other design beats in one entry without losing in another; designs of equal cost all stay.
#[derive(Clone, Debug, Default)]
pub struct Front {
    found: Vec<Found>,
}

impl Front {
    /// Whether a design of this cost, or of any worse cost, would be beaten.
    pub fn beats(&self, cost: &Cost) -> bool {
        self.found.iter().any(|known| known.cost != *cost && known.cost.is_within(cost))
    }

    /// Adds a design unless it is beaten, and drops those it beats.
    pub fn add(&mut self, design: Found) {
        if self.beats(&design.cost) {
            return;
        }
        self.found.retain(|known| known.cost == design.cost || !design.cost.is_within(&known.cost));
        self.found.push(design);
    }

    /// The front of both.
    pub fn merge(mut self, other: Front) -> Front {
        other.found.into_iter().for_each(|design| self.add(design));
        self
    }

    /// The designs, best first under the objective, ties in the order of their maps and forms.
    pub fn sorted(self, objective: Objective) -> Vec<Found> {
        let mut found = self.found;
        found.sort_by_cached_key(|design| (objective.key(&design.cost), order_of(design)));
        found
    }
}

/// The order among equals: results that stay first, then plain places, small forward steps, and the form.
pub fn order_of(design: &Found) -> impl Ord + use<> {
    let moves = |direction: &Vec<i64>| design.map.displacement(direction).iter().any(|entry| *entry != 0);
    let moving_results = design.dataflow.chain.directions.iter().filter(|direction| moves(direction)).count();
    let backwards = design.map.step.rows().iter().flatten().filter(|entry| **entry < 0).count();
    let place = candidates::order_of_place(&design.map.place);
    (moving_results, backwards, place, design.map.step.clone(), design.dataflow.clone())
}
