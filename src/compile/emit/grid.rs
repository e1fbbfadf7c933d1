//! The bounding box of the PEs of all spaces, as program text and as what it says of the coordinates.

use crate::mapping::Axis;
use crate::mapping::ends::{Ranged, bounds_of_value, greatest_expression, is_reached, least_expression};
use systole_base::integer::{Affine, Bound, Name, Polyhedron, name};
use systole_equations::recurrence::Space;
use systole_program::array::{Coordinate, IndexExpr};

/// The values of one coordinate: for each space the lower and the upper bounds, over the parameters.
pub struct Side {
    coordinate: Name,
    lower: Vec<Vec<Bound>>,
    upper: Vec<Vec<Bound>>,
    sizes: Polyhedron,
}

impl Side {
    /// The side of a coordinate on which each space has its place, a form over its indices and the parameters, folded so.
    pub fn new<'a>(coordinate: &Name, axis: Axis, places: impl Iterator<Item = (&'a Space, Affine)>) -> Side {
        let mut side =
            Side { coordinate: coordinate.clone(), lower: vec![], upper: vec![], sizes: Polyhedron::default() };
        for (space, place) in places {
            side.sizes = Polyhedron::sizes(&space.parameters);
            let (lower, upper) = blocks(space, &place, axis);
            side.lower.push(lower);
            side.upper.push(upper);
        }
        side
    }

    /// Makes the side at least one PE long at all sizes, also where no space has a point.
    pub fn hold_one(&mut self) {
        let is_some = |(lower, upper): (&Vec<Bound>, &Vec<Bound>)| {
            let fits = |low: &Bound, high: &Bound| {
                let are_plain = low.coefficient == 1 && high.coefficient == 1;
                are_plain && self.sizes.implies(&(high.form.clone() - low.form.clone()))
            };
            lower.iter().all(|low| upper.iter().all(|high| fits(low, high)))
        };
        if self.lower.iter().zip(&self.upper).any(is_some) {
            return;
        }
        let first = self.is_first().map(|form| form + Affine::variable(&self.coordinate));
        let end = vec![Bound { form: first.unwrap_or_default(), coefficient: 1 }];
        self.lower.push(end.clone());
        self.upper.push(end);
    }

    /// The side as program text.
    pub fn coordinate(&self) -> Coordinate {
        let (first, last) = (self.first(), greatest_expression(&self.upper, &self.sizes));
        Coordinate { name: self.coordinate.clone(), first, last }
    }

    /// Its first value.
    pub fn first(&self) -> IndexExpr {
        least_expression(&self.lower, &self.sizes)
    }

    /// At least 0 where the coordinate has its first value, where that is one form for all sizes.
    pub fn is_first(&self) -> Option<Affine> {
        let first = self.first();
        let forms = self.lower.iter().flatten().filter(|bound| bound.coefficient == 1).map(|bound| &bound.form);
        let form = forms.into_iter().find(|form| IndexExpr::affine(form) == first)?;
        Some(form.clone() - Affine::variable(&self.coordinate))
    }

    /// What the box says of the coordinate: the bounds that hold for all spaces.
    pub fn constraints(&self) -> Vec<Affine> {
        let below = |one: &Bound, other: &Bound| self.sizes.implies(&(other.form.clone() - one.form.clone()));
        let above = |one: &Bound, other: &Bound| self.sizes.implies(&(one.form.clone() - other.form.clone()));
        let value = |bound: &Bound| Affine::term(&self.coordinate, bound.coefficient);
        let lower = shared(&self.lower, below).map(|bound| value(bound) - bound.form.clone());
        let upper = shared(&self.upper, above).map(|bound| bound.form.clone() - value(bound));
        lower.chain(upper).collect()
    }
}

/// The bounds that hold at every end.
fn shared(ends: &[Vec<Bound>], reaches: impl Fn(&Bound, &Bound) -> bool + Copy) -> impl Iterator<Item = &Bound> {
    let holds = move |bound: &Bound, end: &Vec<Bound>| {
        end.contains(bound) || is_reached(end, std::slice::from_ref(bound), reaches)
    };
    ends.iter().flatten().filter(move |bound| ends.iter().all(|end| holds(bound, end)))
}

/// A form over the points of a space.
pub fn ranged<'a>(space: &'a Space, form: &Affine) -> Ranged<'a> {
    let set = space.domain.set.intersect(&Polyhedron::sizes(&space.parameters));
    Ranged { set, indices: space.indices(), form: form.clone() }
}

/// The lower and the upper bounds of the block that a form lies in over the points of a space.
fn blocks(space: &Space, form: &Affine, axis: Axis) -> (Vec<Bound>, Vec<Bound>) {
    let set = space.domain.set.intersect(&Polyhedron::sizes(&space.parameters));
    bounds_of_value(set, axis.within(form, &Affine::variable(&name("the value"))), space.indices())
}
