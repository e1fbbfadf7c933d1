//! Points, times and places of a design of several spaces as forms.
//!
//! Point `n` of a violation may lie in any space; its coordinates are the indices of that space, with a mark for `n`.

use super::frame::{Claim, clock_names, coordinate_names};
use super::wording::{show_place, tuple};
use crate::mapping::Design;
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron, unused};
use systole_base::network::Links;
use systole_equations::recurrence::Space;
use systole_program::obligation::{Formula, Moment, Obligation};

/// What the obligations between the spaces of one design are stated in.
pub(super) struct SystemFrame<'a> {
    pub design: &'a Design<'a>,
    pub links: Links,
}

/// A point of a space, its coordinates as forms over the variables of a violation.
#[derive(Clone)]
pub(super) struct SpacePoint {
    pub space: usize,
    pub coordinates: Vec<Affine>,
}

impl<'a> SystemFrame<'a> {
    pub fn space(&self, space: usize) -> &'a Space {
        &self.design.system.spaces[space]
    }

    /// The point of a space whose coordinates are the variables with this number.
    pub fn point(&self, space: usize, number: usize) -> SpacePoint {
        let names = coordinate_names(self.space(space), number);
        SpacePoint { space, coordinates: names.iter().map(Affine::variable).collect() }
    }

    /// The point one step further along a direction.
    pub fn moved(&self, point: &SpacePoint, along: &[i64]) -> SpacePoint {
        let coordinates = point.coordinates.iter().zip(along);
        let moved = coordinates.map(|(form, entry)| form.clone() + Affine::constant(*entry));
        SpacePoint { space: point.space, coordinates: moved.collect() }
    }

    /// Forms over the indices of a point's space, at the point.
    pub fn at(&self, forms: &[Affine], point: &SpacePoint) -> Vec<Affine> {
        let image = self.image(point);
        forms.iter().map(|form| form.substitute(&image)).collect()
    }

    /// The point lies in `set`.
    pub fn inside(&self, set: &Polyhedron, point: &SpacePoint) -> Formula {
        let image = self.image(point);
        Formula::All(set.constraints().iter().map(|form| Formula::AtLeastZero(form.substitute(&image))).collect())
    }

    pub fn place(&self, point: &SpacePoint) -> Vec<Affine> {
        self.design.place(point.space, &point.coordinates)
    }

    pub fn time(&self, point: &SpacePoint) -> Vec<Affine> {
        self.design.time(point.space, &point.coordinates)
    }

    /// The point runs, which is called so.
    pub fn moment(&self, what: &'static str, point: &SpacePoint) -> Moment {
        Moment { what, place: self.place(point), time: self.time(point) }
    }

    /// The PE of a point: `PE (i, j-1)`.
    pub fn show_pe(&self, point: &SpacePoint) -> String {
        show_place(&self.place(point))
    }

    pub fn show_time(&self, point: &SpacePoint) -> String {
        tuple(&self.time(point))
    }

    /// A name that neither the parameters nor an index has.
    pub fn fresh(&self, wanted: &str) -> Name {
        let system = self.design.system;
        unused(wanted, system.spaces.iter().flat_map(|space| space.indices()).chain(&system.parameters))
    }

    /// The names of the components of a time.
    pub fn clock(&self) -> Vec<Name> {
        let rows = self.design.parts.first().map_or(1, |part| part.map.step.rows().len());
        clock_names(rows, |wanted| self.fresh(wanted))
    }

    /// The claim, about a point of each of its spaces, as an obligation.
    pub fn state(&self, claim: Claim<Vec<usize>>) -> Obligation {
        let spaces: Vec<&Space> = claim.points.iter().map(|space| self.space(*space)).collect();
        claim.stated(&self.design.system.parameters, &spaces)
    }

    pub fn image(&self, point: &SpacePoint) -> BTreeMap<Name, Affine> {
        self.space(point.space).indices().iter().cloned().zip(point.coordinates.iter().cloned()).collect()
    }
}
