//! Designs: one part a space, and how the parts stand to each other.

use super::{Fold, MappedSpace, Rooms, SpaceTimeMap};
use crate::rewrite::{Dataflow, Transport};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Matrix, Name, Vector};
use systole_equations::recurrence::spaces::SpaceSystem;

/// A space within a design: its map, which may be shifted against those of other spaces, and its dataflow.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpaceDesign {
    /// Place and step, linear in the indices.
    pub map: SpaceTimeMap,
    /// What is added to the place, over the parameters: one form for each dimension of the array.
    pub origin: Vec<Affine>,
    /// What is added to the step, over the parameters: one form for each row.
    pub starts: Vec<Affine>,
    /// Where several spaces share a step of a PE, those with the smallest positions run first, equals as the kernel has them.
    pub position: usize,
    /// How the values of the space move.
    pub dataflow: Dataflow,
}

impl SpaceDesign {
    /// A space that is not shifted.
    pub fn unshifted(map: SpaceTimeMap, dataflow: Dataflow) -> SpaceDesign {
        let starts = vec![Affine::default(); map.step.rows().len()];
        SpaceDesign { origin: vec![Affine::default(); map.rank()], starts, map, position: 0, dataflow }
    }

    /// What is added to the finest row of the step.
    pub fn start(&self) -> Affine {
        self.starts.last().cloned().unwrap_or_default()
    }

    /// Changes what is added to the finest row of the step.
    pub fn shift(&mut self, shifted: impl FnOnce(Affine) -> Affine) {
        if let Some(start) = self.starts.last_mut() {
            *start = shifted(std::mem::take(start));
        }
    }

    /// The rows of the step above the finest, which number the rounds.
    pub fn rounds(&self) -> &[Vector] {
        self.map.step.rows().split_last().map_or(&[], |(_, rounds)| rounds)
    }
}

/// A whole kernel with a map and a dataflow for each space.
#[derive(Clone, Debug)]
pub struct Design<'a> {
    /// The spaces.
    pub system: &'a SpaceSystem,
    /// One part a space.
    pub parts: Vec<SpaceDesign>,
    /// Which PEs of the maps' array are one.
    pub fold: Fold,
    /// Whether values may enter only at the array's boundary.
    pub boundary_io: bool,
    /// How many words PEs have for what they keep.
    pub rooms: Rooms,
}

impl<'a> Design<'a> {
    /// A design in which nothing is folded, values enter anywhere, and what is kept has a word of its own.
    pub fn new(system: &'a SpaceSystem, parts: Vec<SpaceDesign>) -> Design<'a> {
        Design { system, parts, fold: Fold::default(), boundary_io: false, rooms: Rooms::default() }
    }
}

impl Design<'_> {
    /// One space alone, without its shifts: what concerns no other space is the same.
    pub fn alone(&self, space: usize) -> MappedSpace<'_> {
        let part = &self.parts[space];
        MappedSpace {
            space: &self.system.spaces[space],
            dataflow: part.dataflow.clone(),
            map: part.map.clone(),
            boundary_io: self.boundary_io,
        }
    }

    /// The rank of the array.
    pub fn rank(&self) -> usize {
        self.parts.first().map_or(0, |part| part.map.rank())
    }

    /// The PE of a point of a space, the point's coordinates given as forms.
    pub fn place(&self, space: usize, point: &[Affine]) -> Vec<Affine> {
        let part = &self.parts[space];
        let rows = part.map.place.rows().iter().zip(&part.origin);
        rows.map(|(row, origin)| combine(row, point) + origin.clone()).collect()
    }

    /// The time of a point of a space; one component a step row.
    pub fn time(&self, space: usize, point: &[Affine]) -> Vec<Affine> {
        let part = &self.parts[space];
        let rows = part.map.step.rows().iter().zip(&part.starts);
        rows.map(|(row, start)| combine(row, point) + start.clone()).collect()
    }

    /// What orders the spaces whose points a PE runs in one step.
    pub fn turn_of(&self, space: usize) -> (usize, usize) {
        (self.parts[space].position, space)
    }

    /// Whether a PE runs points of the first space before those of the other, where they share a step.
    pub fn comes_first(&self, one: usize, other: usize) -> bool {
        self.turn_of(one) < self.turn_of(other)
    }

    /// Whether some point reads what is computed of a tensor so.
    pub fn reads_by(&self, transport: &Transport, tensor: &Name) -> bool {
        let mut reads = self
            .system
            .spaces
            .iter()
            .zip(&self.parts)
            .flat_map(|(space, part)| space.operands.iter().zip(&part.dataflow.transports));
        reads.any(|(operand, choice)| choice == transport && operand.tensor == *tensor)
    }

    /// The point whose coordinates are the indices of a space.
    pub fn point(&self, space: usize) -> Vec<Affine> {
        self.system.spaces[space].indices().iter().map(Affine::variable).collect()
    }
}

/// The inner product of a row with forms.
fn combine(row: &[i64], point: &[Affine]) -> Affine {
    row.iter().zip(point).fold(Affine::default(), |sum, (entry, form)| sum + form.clone() * *entry)
}

/// A map over the coordinates of a family as one over the indices of a member: the linear part and what is added to it.
pub fn restrict(rows: &Matrix, coordinates: &[Name], embedding: &[Affine], indices: &[Name]) -> (Matrix, Vec<Affine>) {
    let image: BTreeMap<Name, Affine> = coordinates.iter().cloned().zip(embedding.iter().cloned()).collect();
    let forms: Vec<Affine> =
        rows.rows().iter().map(|row| Affine::from_row(coordinates, row).substitute(&image)).collect();
    let linear = forms.iter().map(|form| form.row(indices)).collect();
    let constant = |form: &Affine| form.clone() - Affine::from_row(indices, &form.row(indices));
    (Matrix::new(linear, indices.len()), forms.iter().map(constant).collect())
}
