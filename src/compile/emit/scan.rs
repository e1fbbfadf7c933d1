//! From a place to loops: the points of PE `p` as an affine function of `p` and of loop indices.
//!
//! The place `P` is brought to column Hermite form, `P V = [H 0]`; with `p = o + H y`, `o` the origin, every point of the PE
//! is `V1 y + K s`, where `K` spans the points that share a PE and `s` runs in the order of time. Where `H` is not the
//! identity, PEs off the lattice `H Z` have no points, and `y` is a division by a literal. A row of `H` without a pivot of
//! its own is an equation: a space of fewer dimensions than the array lies on a part of it.

use super::names::Names;
use super::text::{Divisions, condition, replace};
use crate::mapping::clock::row_basis_of;
use crate::mapping::ends::{lower_expression, upper_expression};
use crate::mapping::{Fold, SpaceTimeMap};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Matrix, Name, Polyhedron, Vector};
use systole_equations::recurrence::Space;
use systole_program::array::{Comparison, Condition, IndexExpr};

/// The points of a PE.
#[derive(Clone)]
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
    /// What ties auxiliary coordinates to those of the PE.
    pub ties: Polyhedron,
    /// Auxiliary coordinates that are divisions.
    divisions: BTreeMap<Name, IndexExpr>,
    coordinates: Vec<Name>,
}

impl Scan {
    /// The scan of a map with an origin, `None` where two points of a PE would share a time.
    pub fn new(space: &Space, map: &SpaceTimeMap, origin: &[Affine], names: &Names) -> Option<Scan> {
        let kernel = map.place.null_lattice();
        let basis = if kernel.is_empty() { vec![] } else { row_basis_of(&kernel, &map.step)? };
        let (h, v) = map.place.hermite();
        let lattice = Lattice::new(&h, origin, names);
        let mut offsets: Vec<Vector> = (0..lattice.axes.len()).map(|axis| v.column(axis)).collect();
        let loops = name_loops(space, &basis, &mut offsets, names);
        let mut point = BTreeMap::new();
        for (position, index) in space.indices().iter().enumerate() {
            let moved = lattice.axes.iter().zip(&offsets);
            let start = moved.fold(Affine::default(), |sum, (axis, offset)| sum + axis.clone() * offset[position]);
            let row: Vector = basis.iter().map(|vector| vector[position]).collect();
            point.insert(index.clone(), start + Affine::from_row(&loops, &row));
        }
        let domain = space.domain.set.substitute(&point).intersect(&lattice.equations);
        let domain = domain.intersect(&Polyhedron::sizes(&space.parameters));
        let (pes, is_full) = shadow(&domain, &loops);
        let coordinates = names.coordinates.clone();
        let Lattice { conditions: lattice, ties, divisions, .. } = lattice;
        Some(Scan { loops, basis, point, domain, pes, is_full, lattice, ties, divisions, coordinates })
    }

    /// The points of a PE in one round, which is a coordinate like others: those above the finest row of a time that is a
    /// vector. `starts` is what is added to the step.
    pub fn in_round(
        space: &Space,
        map: &SpaceTimeMap,
        (origin, starts): (&[Affine], &[Affine]),
        names: &Names,
    ) -> Option<Scan> {
        let (step, rounds) = map.step.rows().split_last()?;
        let place = map.place.above(&Matrix::new(rounds.to_vec(), space.dimension()));
        let map = SpaceTimeMap { place, step: Matrix::new(vec![step.clone()], space.dimension()) };
        let shifts: Vec<Affine> = origin.iter().chain(&starts[..rounds.len()]).cloned().collect();
        Scan::new(space, &map, &shifts, names)
    }

    /// The same points with the loop turned into the question which point runs at `clock`: what that asks besides the
    /// domain, and the scan. `time` is the time of a point over coordinates and the loop index.
    pub fn at_clock(&self, clock: &Name, time: &Affine) -> (Scan, Vec<Condition>) {
        let mut scan = self.clone();
        scan.coordinates.insert(0, clock.clone());
        let pace = self.loops.first().map_or(0, |index| time.coefficient(index));
        let Some(index) = self.loops.first().filter(|_| pace > 0) else {
            let late = time.clone() - Affine::variable(clock);
            [late.clone(), -late].into_iter().for_each(|form| scan.domain.add(form));
            return (scan, vec![]);
        };
        let since = Affine::variable(clock) - (time.clone() - Affine::term(index, pace));
        if pace == 1 {
            let image = BTreeMap::from([(index.clone(), since)]);
            scan.point = self.point.iter().map(|(name, form)| (name.clone(), form.substitute(&image))).collect();
            scan.domain = self.domain.substitute(&image);
            scan.loops = vec![];
            return (scan, vec![]);
        }
        let since = self.expression(&since);
        let remainder = IndexExpr::Modulo(Box::new(since.clone()), pace);
        scan.divisions.insert(index.clone(), IndexExpr::Floor(Box::new(since), pace));
        (scan, vec![Condition { comparison: Comparison::Equal, left: remainder, right: IndexExpr::Constant(0) }])
    }

    /// The points of those PEs of the map that have this residue in their block, over the coordinates of the blocks.
    pub fn at_residue(mut self, fold: &Fold, residue: &[i64]) -> Scan {
        let pe: Vec<Affine> = self.coordinates.iter().map(Affine::variable).collect();
        let unfolded = fold.unfolded(residue, &pe);
        let image: BTreeMap<Name, Affine> = self.coordinates.iter().cloned().zip(unfolded).collect();
        let texts: Divisions = image.iter().map(|(name, form)| (name.clone(), IndexExpr::affine(form))).collect();
        self.point.values_mut().for_each(|form| *form = form.substitute(&image));
        for set in [&mut self.domain, &mut self.pes, &mut self.ties] {
            *set = set.substitute(&image);
        }
        for Condition { left, right, .. } in &mut self.lattice {
            (*left, *right) = (replace(left, &texts), replace(right, &texts));
        }
        self.divisions.values_mut().for_each(|division| *division = replace(division, &texts));
        self
    }

    /// A form over the space's indices, over coordinates and loop indices instead.
    pub fn image(&self, form: &Affine) -> Affine {
        form.substitute(&self.point)
    }

    /// Whether points of a set, which is over the space's indices, may lie on these PEs. The set is moved to coordinates
    /// and loop indices first: there a pair of bounds with no whole number between them contradict each other.
    pub fn meets(&self, set: &Polyhedron) -> bool {
        !self.domain.intersect(&set.substitute(&self.point)).intersect(&self.ties).is_empty()
    }

    /// A form over coordinates and loop indices as program text.
    pub fn expression(&self, form: &Affine) -> IndexExpr {
        replace(&IndexExpr::affine(form), &self.divisions)
    }

    /// Program text in which auxiliary coordinates are replaced by what they are.
    pub fn text(&self, expression: &IndexExpr) -> IndexExpr {
        replace(expression, &self.divisions)
    }

    /// A condition `form >= 0` as program text, a coordinate or loop index alone on the left where it can be.
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

    /// Whether a form is over coordinates and parameters alone: neither over loop indices nor over auxiliary coordinates.
    pub fn is_of_pe(&self, form: &Affine) -> bool {
        !form.mentions(&self.loops) && !form.mentions(self.divisions.keys())
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

/// The coordinates to write points with.
#[derive(Default)]
struct Lattice {
    /// One for each pivot.
    axes: Vec<Affine>,
    /// The conditions for being on the lattice.
    conditions: Vec<Condition>,
    /// What rows without a pivot ask of the coordinates.
    equations: Polyhedron,
    /// What an auxiliary coordinate is.
    ties: Polyhedron,
    /// The same as text.
    divisions: BTreeMap<Name, IndexExpr>,
}

impl Lattice {
    fn new(h: &Matrix, origin: &[Affine], names: &Names) -> Lattice {
        let mut lattice = Lattice::default();
        for (axis, row) in h.rows().iter().enumerate() {
            let before =
                lattice.axes.iter().zip(row).fold(Affine::default(), |sum, (form, entry)| sum + form.clone() * *entry);
            let rest = Affine::variable(&names.coordinates[axis]) - origin[axis].clone() - before;
            match row.get(lattice.axes.len()).copied().unwrap_or(0) {
                0 => [rest.clone(), -rest].into_iter().for_each(|form| lattice.equations.add(form)),
                1 => lattice.axes.push(rest),
                pivot => lattice.divide(&names.lattice[axis], rest, pivot),
            }
        }
        lattice
    }

    fn divide(&mut self, auxiliary: &Name, rest: Affine, pivot: i64) {
        let numerator = replace(&IndexExpr::affine(&rest), &self.divisions);
        let remainder = IndexExpr::Modulo(Box::new(numerator.clone()), pivot);
        let zero = IndexExpr::Constant(0);
        self.conditions.push(Condition { comparison: Comparison::Equal, left: remainder, right: zero });
        self.divisions.insert(auxiliary.clone(), IndexExpr::Floor(Box::new(numerator), pivot));
        let tie = rest - Affine::term(auxiliary, pivot);
        [tie.clone(), -tie].into_iter().for_each(|form| self.ties.add(form));
        self.axes.push(Affine::variable(auxiliary));
    }
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
        loops.push(names.of_loop(level, &space.indices()[index]));
    }
    loops
}
