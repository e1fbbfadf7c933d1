//! Folds: PEs that are one PE never run at one time.
//!
//! The division in `floor((place - phase) / factor)` is written with the block as an unknown of its own, so the formula
//! stays linear. A fold owes nothing else: what moves has fewer hops than in the map, in the same time, and each pair of
//! PEs of the map keeps its channel, with the same words at the same times.

use super::frame::Claim;
use super::system_frame::{SpacePoint, SystemFrame};
use std::slice::from_ref;
use systole_base::integer::{Affine, Name, name};
use systole_program::obligation::{Formula, Kind, Obligation};

impl SystemFrame<'_> {
    /// Two points whose PEs lie in one block run at different times.
    pub fn one_block(&self, one: usize, other: usize) -> Obligation {
        let (x, y) = (self.point(one, 0), self.point(other, 1));
        let (first, second) = (&self.space(one).name, &self.space(other).name);
        let of = if one == other { first.clone() } else { name(&format!("{first}, {second}")) };
        let (within, extras) = self.within_block(&[x.clone(), y.clone()]);
        let mut violation = vec![
            self.inside(&self.space(one).domain.set, &x),
            self.inside(&self.space(other).domain.set, &y),
            Formula::same(&self.time(&x), &self.time(&y)),
            within,
        ];
        if one == other {
            violation.push(Formula::before(&x.coordinates, &y.coordinates));
        }
        let broken = match one == other {
            true => format!("PEs that are folded onto one run two points of `{first}` at one time"),
            false => format!("PEs that are folded onto one run `{first}` and `{second}` at one time"),
        };
        let help = "fold fewer PEs, or choose a `time` that keeps them busy by turns";
        let reason = self.two_points(&x, &y, broken, help);
        self.state(Claim { kind: Kind::PeConflict, of, points: vec![one, other], extras, violation, reason })
    }

    /// The places of these points lie in one block, and the names of its coordinates. Without a fold they are one place.
    pub fn within_block(&self, points: &[SpacePoint]) -> (Formula, Vec<Name>) {
        let (mut laws, mut names) = (vec![], vec![]);
        let places: Vec<Vec<Affine>> = points.iter().map(|point| self.place(point)).collect();
        for axis in 0..self.design.rank() {
            let fold = self.design.fold.axis(axis);
            let mut along = places.iter().map(|place| &place[axis]);
            if fold.factor == 1 {
                let first = along.next();
                laws.extend(along.filter_map(|other| Some(Formula::same(from_ref(first?), from_ref(other)))));
                continue;
            }
            let block = self.fresh(&format!("b{axis}"));
            let inside = along.flat_map(|place| fold.within(place, &Affine::variable(&block)));
            laws.extend(inside.map(Formula::AtLeastZero));
            names.push(block);
        }
        (Formula::All(laws), names)
    }
}
