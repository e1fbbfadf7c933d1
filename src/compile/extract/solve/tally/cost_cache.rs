//! What spaces and handoffs cost, counted once: the same map comes in many designs.

use crate::cost::Cost;
use crate::mapping::{Calendar, SpaceTimeMap};
use crate::rewrite::Dataflow;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
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
type Ways = Vec<(Cost, Dataflow)>;

/// What was counted before, shared by all threads of a search.
#[derive(Debug, Default)]
pub struct CostCache {
    spaces: Mutex<FxHashMap<Priced, Option<Arc<Ways>>>>,
    takers: Mutex<FxHashMap<ReadSet, (u64, u64)>>,
    elements: Mutex<FxHashMap<usize, Option<u64>>>,
    moves: Mutex<FxHashMap<Moves, Arc<Counts>>>,
}

impl CostCache {
    /// What a space costs; `None` where it is not legal. `first` hears of each that was not known: once, whatever the number of threads.
    pub(super) fn of_space(
        &self,
        of: Priced,
        count: impl FnOnce(&Priced) -> Option<Ways>,
        first: impl FnOnce(),
    ) -> Option<Arc<Ways>> {
        let (ways, is_first) = kept_first(&self.spaces, of, |of| count(of).map(Arc::new));
        if is_first {
            first();
        }
        ways
    }

    /// How many points take, on how many PEs.
    pub(super) fn of_takers(&self, of: ReadSet, count: impl FnOnce(&ReadSet) -> (u64, u64)) -> (u64, u64) {
        kept(&self.takers, of, count)
    }

    /// How many points are moved to, place by place.
    pub fn of_moves(&self, of: Moves, count: impl FnOnce(&Moves) -> Counts) -> Arc<Counts> {
        kept(&self.moves, of, |of| Arc::new(count(of)))
    }

    /// How many elements a space computes; `None` where a subscript does not fit.
    pub(super) fn of_elements(&self, space: usize, count: impl FnOnce() -> Option<u64>) -> Option<u64> {
        kept(&self.elements, space, |_| count())
    }
}

/// What is known, or else is counted now, while others go on.
fn kept<K: Eq + Hash, V: Clone>(known: &Mutex<FxHashMap<K, V>>, key: K, count: impl FnOnce(&K) -> V) -> V {
    kept_first(known, key, count).0
}

/// The same, and whether it is the first with its key: of several threads that count it at one time one has the first.
fn kept_first<K: Eq + Hash, V: Clone>(
    known: &Mutex<FxHashMap<K, V>>,
    key: K,
    count: impl FnOnce(&K) -> V,
) -> (V, bool) {
    if let Some(value) = known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return (value.clone(), false);
    }
    let value = count(&key);
    let before = known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, value.clone());
    (value, before.is_none())
}
