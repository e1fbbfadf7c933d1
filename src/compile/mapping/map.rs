//! The map itself: an integer matrix for places and one for steps.

use crate::rewrite::Dataflow;
use systole_base::integer::{Matrix, Vector};
use systole_equations::recurrence::Space;

/// `place * x` is the PE of point `x`, `step * x` its time; several step rows are compared lexicographically.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpaceTimeMap {
    /// One row for each dimension of the array; no rows for a single PE.
    pub place: Matrix,
    /// One row for plain time, more for vector time.
    pub step: Matrix,
}

impl SpaceTimeMap {
    /// The rank of the array: 0 for one PE, 1 for a row, 2 for a grid.
    pub fn rank(&self) -> usize {
        self.place.rows().len()
    }

    /// How far a value moves along `direction`, in PEs.
    pub fn displacement(&self, direction: &[i64]) -> Vector {
        self.place.apply(direction)
    }

    /// How long it has for that, in steps (lexicographic where there are several rows).
    pub fn delay(&self, direction: &[i64]) -> Vector {
        self.step.apply(direction)
    }
}

/// A space with one lowered form and one map: everything that concerns this space alone.
#[derive(Clone, Debug)]
pub struct MappedSpace<'a> {
    /// The space.
    pub space: &'a Space,
    /// How its values move.
    pub dataflow: Dataflow,
    /// Where and when its points run.
    pub map: SpaceTimeMap,
    /// Whether values may enter only at the array's boundary.
    pub boundary_io: bool,
}
