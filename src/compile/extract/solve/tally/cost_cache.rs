//! What spaces and handoffs cost, counted once: the same map comes in many designs.

use crate::cost::Cost;
use crate::mapping::{Calendar, SpaceTimeMap};
use crate::memo::Memo;
use crate::rewrite::Dataflow;
use std::sync::Arc;
use systole_base::integer::{Affine, Matrix, Polyhedron, Vector};

/// What decides what a space costs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Priced {
    /// Which space.
    pub space: usize,
    /// Its map.
    pub map: SpaceTimeMap,
    /// How what it reads of other spaces travels.
    pub dataflow: Dataflow,
    /// The diagonal of the array's links.
    pub diagonal: i64,
    /// Where times are vectors, what is added to them, and when each round is.
    pub rounds: Option<(Vec<Affine>, Arc<Calendar>)>,
}

/// A reading space, its place, and which of its points take from elsewhere.
pub type ReadSet = (usize, Matrix, Polyhedron);

/// A space, its place, a set of its points, and where only those of them that have one before them there count, in which direction.
pub type Moves = (usize, Matrix, Polyhedron, Option<Vector>);

/// For each place how many points.
type Counts = Vec<(Vector, u64)>;

/// Every best way to move the inputs of a space, with its cost.
pub type Ways = Vec<(Cost, Dataflow)>;

/// What was counted before, shared by all threads of a search.
#[derive(Debug, Default)]
pub struct CostCache {
    spaces: Memo<Priced, Option<Arc<Ways>>>,
    takers: Memo<ReadSet, (u64, u64)>,
    elements: Memo<usize, Option<u64>>,
    moves: Memo<Moves, Arc<Counts>>,
}

impl CostCache {
    /// What a space costs; `None` where it is not legal. `first` hears of each that was not known: once, whatever the number of threads.
    pub(super) fn of_space(
        &self,
        of: Priced,
        count: impl FnOnce(&Priced) -> Option<Ways>,
        first: impl FnOnce(),
    ) -> Option<Arc<Ways>> {
        let (ways, is_first) = self.spaces.first_of(of, |of| count(of).map(Arc::new));
        if is_first {
            first();
        }
        ways
    }

    /// How many points take, on how many PEs.
    pub(super) fn of_takers(&self, of: ReadSet, count: impl FnOnce(&ReadSet) -> (u64, u64)) -> (u64, u64) {
        self.takers.of(of, count)
    }

    /// How many points are moved to, place by place.
    pub fn of_moves(&self, of: Moves, count: impl FnOnce(&Moves) -> Counts) -> Arc<Counts> {
        self.moves.of(of, |of| Arc::new(count(of)))
    }

    /// How many elements a space computes; `None` where a subscript does not fit.
    pub(super) fn of_elements(&self, space: usize, count: impl FnOnce() -> Option<u64>) -> Option<u64> {
        self.elements.of(space, |_| count())
    }
}
