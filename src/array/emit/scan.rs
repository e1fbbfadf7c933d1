//! From a place to loops: the points of PE `p` as an affine function of `p` and of loop indices.
//!
//! The place `P` is brought to column Hermite form, `P V = [H 0]`; with `p = H y` every point of the PE is `V1 y + K s`,
//! where `K` spans the points that share a PE and `s` runs in the order of time. Where `H` is not the identity, PEs off the
//! lattice `H Z` have no points, and `y` is a division by a literal.

use super::known::lower_expression;
use super::known::upper_expression;
use super::names::Names;
use super::text::{condition, replace};
use crate::array::{Comparison, Condition, Coordinate, IndexExpr};
use crate::integer::{Affine, Matrix, Name, Polyhedron, Vector};
use crate::mapping::SpaceTimeMap;
use crate::mapping::clock::row_basis;
use crate::recurrence::Space;
use crate::systolize::row_bounds;
use std::collections::BTreeMap;

/// The points of a PE.
pub struct Scan {
    /// Loop indices, outermost first.
    pub loops: Vec<Name>,
    /// The direction of each loop in the space.
    pub basis: Vec<Vector>,
    /// Each index of the space over coordinates and loop indices.
    pub point: BTreeMap<Name, Affine>,
    /// The domain over coordinates, loop indices and parameters, with every parameter at least 1.
    pub domain: Polyhedron,
    /// Its shadow on the coordinates: the PEs, and perhaps some without points.
    pub pes: Polyhedron,
    /// Whether all of these have points, lattice aside.
    pub is_full: bool,
    /// What only PEs on the lattice fulfil.
    pub lattice: Vec<Condition>,
    /// Auxiliary coordinates that are divisions.
    divisions: BTreeMap<Name, IndexExpr>,
    coordinates: Vec<Name>,
    place: Matrix,
}

impl Scan {
    /// The scan of a map, `None` where two points of a PE would share a time.
    pub fn new(space: &Space, map: &SpaceTimeMap, names: &Names) -> Option<Scan> {
        let basis = row_basis(map)?;
        let (h, v) = map.place.hermite();
        let (axes, lattice, divisions) = lattice_of(&h, names);
        let mut offsets: Vec<Vector> = (0..map.rank()).map(|axis| v.column(axis)).collect();
        let loops = name_loops(space, &basis, &mut offsets, names);
        let mut point = BTreeMap::new();
        for (position, index) in space.indices().iter().enumerate() {
            let row = |vectors: &[Vector]| vectors.iter().map(|vector| vector[position]).collect::<Vec<_>>();
            let form = Affine::from_row(&axes, &row(&offsets)) + Affine::from_row(&loops, &row(&basis));
            point.insert(index.clone(), form);
        }
        let mut domain = space.domain.set.substitute(&point);
        space.parameters.iter().for_each(|p| domain.add(Affine::variable(p) - Affine::constant(1)));
        let (pes, is_full) = shadow(&domain, &loops);
        let (coordinates, place) = (names.coordinates.clone(), map.place.clone());
        Some(Scan { loops, basis, point, domain, pes, is_full, lattice, divisions, coordinates, place })
    }

    /// A form over the space's indices, over coordinates and loop indices instead.
    pub fn image(&self, form: &Affine) -> Affine {
        form.substitute(&self.point)
    }

    /// A form over coordinates and loop indices as program text.
    pub fn expression(&self, form: &Affine) -> IndexExpr {
        replace(&IndexExpr::affine(form), &self.divisions)
    }

    /// A condition `form >= 0` as program text, a loop index or a coordinate alone on the left where it can be.
    pub fn condition(&self, form: &Affine) -> Condition {
        condition(form, self.loops.iter().chain(&self.coordinates), &self.divisions)
    }

    /// The first and the last value of a loop, given what is known of the PE.
    pub fn loop_bounds(&self, level: usize, known: &Polyhedron) -> (IndexExpr, IndexExpr) {
        let set = self.domain.eliminate_all(self.loops[level + 1..].iter().rev());
        let outside = known.eliminate_all(self.loops[level..].iter().rev());
        let (lower, upper) = set.bounds(&self.loops[level]);
        let text = |expression: IndexExpr| replace(&expression, &self.divisions);
        (text(lower_expression(&lower, &outside)), text(upper_expression(&upper, &outside)))
    }

    /// Whether there is one loop, and it runs at least once on every PE that the shadow keeps.
    pub fn is_exact(&self) -> bool {
        self.loops.len() == 1 && self.is_full
    }

    /// The bounding box of the PEs.
    pub fn grid(&self, space: &Space) -> Vec<Coordinate> {
        self.coordinates.iter().zip(self.place.rows()).map(|(name, row)| side(space, name, row)).collect()
    }

    /// What the bounding box says of the coordinates, where they are the coordinates of the loops too.
    pub fn inside_grid(&self, space: &Space) -> Polyhedron {
        let mut set = Polyhedron::new(space.parameters.iter().map(|p| Affine::variable(p) - Affine::constant(1)));
        for (name, row) in self.coordinates.iter().zip(self.place.rows()) {
            let (lower, upper) = row_bounds(space, name, row);
            lower.into_iter().for_each(|bound| set.add(Affine::term(name, bound.coefficient) - bound.form));
            upper.into_iter().for_each(|bound| set.add(bound.form - Affine::term(name, bound.coefficient)));
        }
        set
    }
}

/// The PEs of a domain, and whether each has points: where loop indices are eliminated with coefficients of 1 and -1
/// alone, the shadow is exact over the integers too.
fn shadow(domain: &Polyhedron, loops: &[Name]) -> (Polyhedron, bool) {
    let eliminate = |(set, exact): (Polyhedron, bool), index: &Name| {
        let unit = set.constraints().iter().all(|form| form.coefficient(index).abs() <= 1);
        (set.eliminate(index), exact && unit)
    };
    loops.iter().rev().fold((domain.clone(), true), eliminate)
}

/// The coordinates to write points with, the conditions for being on the lattice, and the coordinates that are divisions.
fn lattice_of(h: &Matrix, names: &Names) -> (Vec<Name>, Vec<Condition>, BTreeMap<Name, IndexExpr>) {
    let (mut axes, mut lattice, mut divisions) = (vec![], vec![], BTreeMap::new());
    for (axis, row) in h.rows().iter().enumerate() {
        let coordinate = &names.coordinates[axis];
        if row[..axis].iter().all(|entry| *entry == 0) && row[axis] == 1 {
            axes.push(coordinate.clone());
            continue;
        }
        let rest = Affine::variable(coordinate) - Affine::from_row(&axes, &row[..axis]);
        let numerator = replace(&IndexExpr::affine(&rest), &divisions);
        let remainder = IndexExpr::Modulo(Box::new(numerator.clone()), row[axis]);
        if row[axis] > 1 {
            let zero = IndexExpr::Constant(0);
            lattice.push(Condition { comparison: Comparison::Equal, left: remainder, right: zero });
        }
        divisions.insert(names.lattice[axis].clone(), IndexExpr::Floor(Box::new(numerator), row[axis]));
        axes.push(names.lattice[axis].clone());
    }
    (axes, lattice, divisions)
}

/// Names each loop after an index that it runs over alone and forwards, moving the origin of the loop so that it is that
/// index; other loops get spare names.
fn name_loops(space: &Space, basis: &[Vector], offsets: &mut [Vector], names: &Names) -> Vec<Name> {
    let mut loops = vec![];
    for (level, direction) in basis.iter().enumerate() {
        let alone =
            |index: &usize| basis.iter().enumerate().all(|(other, vector)| vector[*index] == i64::from(other == level));
        let Some(index) = (0..space.dimension()).find(alone) else {
            loops.push(names.loops[level].clone());
            continue;
        };
        for offset in offsets.iter_mut() {
            let shift = offset[index];
            offset.iter_mut().zip(direction).for_each(|(entry, step)| *entry -= shift * step);
        }
        loops.push(space.indices()[index].clone());
    }
    loops
}

fn side(space: &Space, coordinate: &Name, row: &[i64]) -> Coordinate {
    let (lower, upper) = row_bounds(space, coordinate, row);
    let known = Polyhedron::new(space.parameters.iter().map(|p| Affine::variable(p) - Affine::constant(1)));
    let (first, last) = (lower_expression(&lower, &known), upper_expression(&upper, &known));
    Coordinate { name: coordinate.clone(), first, last }
}
