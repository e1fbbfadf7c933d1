//! The faces that trees of streams run over, and how fast words follow each other on the PEs of a face.
//!
//! In: a space, the choices and the sizes; a map. Out: for each tree its faces with their points at these sizes; for each face
//! the least time between two of its points on one PE, found once for all faces that are parallel.

use crate::cost::Region;
use crate::mapping;
use crate::mapping::{SpaceTimeMap, tree_sets};
use crate::rewrite::{Choices, Transport};
use std::collections::{BTreeMap, HashMap};
use systole_base::integer::{Bindings, Polyhedron, Vector, lexicographic_sign};
use systole_equations::recurrence::Space;

/// A set that a later stream of a tree runs over.
#[derive(Clone, Debug)]
pub struct LaterHeads {
    /// The direction of the stream.
    pub along: Vector,
    /// What is the same at all points, as rows.
    pub fixed: Vec<Vector>,
    /// The points at the sizes.
    pub region: Region,
    /// Whether words are loaded at the heads of its lines: no further stream brings them there.
    pub loads: bool,
    /// Faces with the same number are the same; trees have many in common.
    pub number: usize,
}

/// The faces met so far.
type Numbers = HashMap<(Vector, Polyhedron, bool), usize>;

/// For each operand, for each transport offered, the faces of the tree; none of other transports. `None` where a face is
/// not bounded at the sizes.
pub fn faces(space: &Space, choices: &Choices, sizes: &Bindings) -> Option<Vec<Vec<Vec<LaterHeads>>>> {
    let mut numbers = Numbers::new();
    let mut of = |transport: &Transport| faces_of(space, transport.streams(), sizes, &mut numbers);
    choices.transports.iter().map(|offered| offered.iter().map(&mut of).collect()).collect()
}

fn faces_of(space: &Space, directions: &[Vector], sizes: &Bindings, numbers: &mut Numbers) -> Option<Vec<LaterHeads>> {
    let sets = tree_sets(space, directions);
    let levels = directions.iter().zip(sets).enumerate().skip(1);
    let mut face = |level: usize, along: &Vector, set: &Polyhedron| {
        let (next, loads) = (numbers.len(), level + 1 == directions.len());
        Some(LaterHeads {
            number: *numbers.entry((along.clone(), set.clone(), loads)).or_insert(next),
            along: along.clone(),
            fixed: fixed_on(space, set),
            region: Region::new(set, space.indices(), sizes)?,
            loads,
        })
    };
    let faces =
        levels.flat_map(|(level, (along, sets))| sets.iter().map(|set| face(level, along, set)).collect::<Vec<_>>());
    faces.collect()
}

/// What is the same at all points of a set, each row once, its first entry positive.
pub fn fixed_on(space: &Space, set: &Polyhedron) -> Vec<Vector> {
    let mut rows: Vec<Vector> = set.equations().map(|form| form.row(space.indices())).collect();
    rows.retain(|row| lexicographic_sign(row) > 0);
    rows.sort();
    rows.dedup();
    rows
}

/// The spacing of sends on one PE at one map.
pub struct Paces<'a> {
    map: &'a SpaceTimeMap,
    whole: Option<&'a Vector>,
    faces: BTreeMap<Vec<Vector>, Option<Vector>>,
}

impl<'a> Paces<'a> {
    /// At this map, where the spacing over the whole space is known; `None` where a PE has one point.
    pub fn new(map: &'a SpaceTimeMap, whole: Option<&'a Vector>) -> Paces<'a> {
        Paces { map, whole, faces: BTreeMap::new() }
    }

    /// The spacing of the flow at a level of a chain or a tree, where its set fixes these rows.
    pub fn of(&mut self, level: usize, fixed: &[Vector]) -> Option<&Vector> {
        if level == 0 {
            return self.whole;
        }
        if !self.faces.contains_key(fixed) {
            self.faces.insert(fixed.to_vec(), mapping::spacing_among(self.map, fixed));
        }
        self.faces.get(fixed)?.as_ref()
    }
}
