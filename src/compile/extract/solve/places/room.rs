//! Whether the array of a placement fits the machine, at the sizes asked for.
//!
//! In: where the parts of a design lie. Out: whether the box around the PEs of all spaces is one that the machine has. The
//! box is the one of the program: the shadow of each space, exact over the rationals.

use crate::mapping::SpaceDesign;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use systole_base::integer::{Affine, Bindings, Polyhedron, Vector, name};
use systole_base::machine::Machine;
use systole_equations::recurrence::Space;
use systole_equations::recurrence::spaces::SpaceSystem;

/// The least and the greatest value of a row over the points of a space.
type Range = Option<(i64, i64)>;

/// The room that a machine has for a system at given sizes.
pub struct Room<'a> {
    system: &'a SpaceSystem,
    machine: &'a Machine,
    sizes: Bindings,
    /// What was found before, by space and row: many placements share them.
    known: Mutex<HashMap<(usize, Vector), Range>>,
}

impl<'a> Room<'a> {
    /// The room at the sizes asked for, which may be larger than those at which designs are costed.
    pub fn new(system: &'a SpaceSystem, machine: &'a Machine, sizes: &Bindings) -> Room<'a> {
        Room { system, machine, sizes: sizes.clone(), known: Mutex::default() }
    }

    /// The room for other spaces on the same machine at the same sizes.
    pub fn of<'b>(&self, system: &'b SpaceSystem) -> Room<'b>
    where
        'a: 'b,
    {
        Room::new(system, self.machine, &self.sizes)
    }

    /// How many PEs each axis of the array of these parts has.
    pub fn sides(&self, parts: &[SpaceDesign]) -> Vec<u64> {
        let rank = parts.first().map_or(0, |part| part.origin.len());
        (0..rank).map(|axis| self.side(parts, axis)).collect()
    }

    /// Whether the machine is as large as the array of these parts.
    pub fn holds(&self, parts: &[SpaceDesign]) -> bool {
        self.machine.extent.is_none() || self.machine.has_room(self.sides(parts))
    }

    /// How many PEs an axis has; no space that is empty at these sizes takes part.
    fn side(&self, parts: &[SpaceDesign], axis: usize) -> u64 {
        let ends = parts.iter().enumerate().filter_map(|(space, part)| {
            let (low, high) = self.range(space, &part.map.place.rows()[axis])?;
            let origin = part.origin[axis].evaluate(&self.sizes)?;
            Some((low + origin, high + origin))
        });
        let whole = ends.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
        whole.map_or(0, |(low, high)| u64::try_from(high - low + 1).unwrap_or(0))
    }

    fn range(&self, space: usize, row: &[i64]) -> Range {
        let key = (space, row.to_vec());
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        *known.entry(key).or_insert_with(|| range(&self.system.spaces[space], row, &self.sizes))
    }
}

/// The least and the greatest value of a row over the points of a space at these sizes.
pub fn range(space: &Space, row: &[i64], sizes: &Bindings) -> Range {
    let marker = name("the value");
    let mut set = space.domain.set.clone();
    let value = Affine::from_row(space.indices(), row) - Affine::variable(&marker);
    set.add(value.clone());
    set.add(-value);
    let fixed = sizes.iter().map(|(size, value)| (size.clone(), Affine::constant(*value))).collect();
    let shadow: Polyhedron = set.substitute(&fixed).eliminate_all(space.indices());
    let (lower, upper) = shadow.bounds(&marker);
    let low = lower.iter().filter_map(|bound| bound.lower_value(sizes)).max()?;
    let high = upper.iter().filter_map(|bound| bound.upper_value(sizes)).min()?;
    (low <= high).then_some((low, high))
}
