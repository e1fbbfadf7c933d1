//! The process space: the least box around the places of all points.
//!
//! In: a space and a place. Out: a [`ProcessSpace`]: both ends of every coordinate, closed in the sizes. For a box of points the
//! ends are images of its corners (report, sections 6.1 and 7.1, specification 2); for any other domain they come from
//! elimination, and are the least box where the corners of the domain are integral.

use std::collections::BTreeMap;
use systole_base::integer::{Affine, Bindings, Bound, Matrix, Name, Polyhedron, Vector, dot, name};
use systole_equations::recurrence::Space;

/// A box of processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessSpace {
    /// The names of the coordinates.
    pub coordinates: Vec<Name>,
    /// For each coordinate the bounds whose largest is its first value, over the sizes.
    pub lower: Vec<Vec<Bound>>,
    /// For each coordinate the bounds whose smallest is its last value, over the sizes.
    pub upper: Vec<Vec<Bound>>,
    /// The box as constraints, with every size at least 1.
    pub set: Polyhedron,
}

impl ProcessSpace {
    /// The box of a place.
    pub(super) fn new(space: &Space, place: &Matrix, coordinates: Vec<Name>) -> ProcessSpace {
        let sides = coordinates.iter().zip(place.rows()).map(|(coordinate, row)| row_bounds(space, coordinate, row));
        let (lower, upper): (Vec<Vec<Bound>>, Vec<Vec<Bound>>) = sides.unzip();
        let mut set = Polyhedron::sizes(&space.parameters);
        for ((coordinate, lower), upper) in coordinates.iter().zip(&lower).zip(&upper) {
            let value = |bound: &Bound| Affine::term(coordinate, bound.coefficient);
            lower.iter().for_each(|bound| set.add(value(bound) - bound.form.clone()));
            upper.iter().for_each(|bound| set.add(bound.form.clone() - value(bound)));
        }
        ProcessSpace { coordinates, lower, upper, set }
    }

    /// The corner with the least coordinates; `None` where a size has no value.
    pub fn minimum(&self, sizes: &Bindings) -> Option<Vector> {
        let end = |bounds: &Vec<Bound>| bounds.iter().filter_map(|bound| bound.lower_value(sizes)).max();
        self.lower.iter().map(end).collect()
    }

    /// The corner with the greatest coordinates; `None` where a size has no value.
    pub fn maximum(&self, sizes: &Bindings) -> Option<Vector> {
        let end = |bounds: &Vec<Bound>| bounds.iter().filter_map(|bound| bound.upper_value(sizes)).min();
        self.upper.iter().map(end).collect()
    }

    /// Whether `y + shift` is a process, for a process `y`: every form is at least 0.
    pub fn has_neighbour(&self, shift: &[i64]) -> Vec<Affine> {
        let change = |form: &Affine| dot(&form.row(&self.coordinates), shift);
        let falling = self.set.constraints().iter().filter(|form| change(form) < 0);
        falling.map(|form| form.clone() + Affine::constant(change(form))).collect()
    }
}

/// The bounds that the domain puts on `row * x`, called `coordinate`, for sizes of at least 1.
pub fn row_bounds(space: &Space, coordinate: &Name, row: &[i64]) -> (Vec<Bound>, Vec<Bound>) {
    let marker = name("the coordinate");
    let value = Affine::from_row(space.indices(), row) - Affine::variable(&marker);
    let mut set = space.domain.set.intersect(&Polyhedron::sizes(&space.parameters));
    set.add(value.clone());
    set.add(-value);
    let shadow = set.eliminate_all(space.indices().iter().rev());
    shadow.substitute(&BTreeMap::from([(marker, Affine::variable(coordinate))])).bounds(coordinate)
}
