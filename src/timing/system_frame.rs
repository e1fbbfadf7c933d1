//! Points, times and places of a design of several spaces as forms.
//!
//! Point `n` of a violation may lie in any space; its coordinates are the indices of that space, with a mark for `n`.

use super::frame::coordinate_names;
use super::wording::{show_place, tuple};
use super::{Formula, Kind, Obligation, Reason};
use crate::integer::{Affine, Name, Polyhedron};
use crate::mapping::{Links, SystemDesign};
use crate::recurrence::Space;
use std::collections::BTreeMap;

/// What the obligations between the spaces of one design are stated in.
pub(super) struct SystemFrame<'a> {
    pub design: &'a SystemDesign<'a>,
    pub links: Links,
}

/// A point of a space, its coordinates as forms over the variables of a violation.
#[derive(Clone)]
pub(super) struct SpacePoint {
    pub space: usize,
    pub coordinates: Vec<Affine>,
}

/// An obligation that still lacks what all obligations share.
pub(super) struct SystemClaim {
    pub kind: Kind,
    pub of: Name,
    /// The spaces of the points that are variables, in their order.
    pub points: Vec<usize>,
    /// Variables beside the points.
    pub extras: Vec<Name>,
    pub violation: Vec<Formula>,
    pub reason: Reason,
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

    /// A point given over the indices of another point's space.
    pub fn point_at(&self, space: usize, at: &[Affine], reader: &SpacePoint) -> SpacePoint {
        let image = self.image(reader);
        SpacePoint { space, coordinates: at.iter().map(|form| form.substitute(&image)).collect() }
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
        let indices = system.spaces.iter().flat_map(|space| space.indices());
        let taken: Vec<&Name> = indices.chain(&system.parameters).collect();
        let mut text = wanted.to_owned();
        while taken.iter().any(|name| ***name == *text) {
            text.push('_');
        }
        crate::integer::name(&text)
    }

    /// The claim as an obligation: its variables in order, its violation for sizes of at least 1.
    pub fn state(&self, claim: SystemClaim) -> Obligation {
        let parameters = &self.design.system.parameters;
        let mut variables = parameters.clone();
        for (number, space) in claim.points.iter().enumerate() {
            variables.extend(coordinate_names(self.space(*space), number));
        }
        variables.extend(claim.extras);
        let sizes = parameters.iter().map(|size| Formula::at_least(&Affine::variable(size), &Affine::constant(1)));
        Obligation {
            kind: claim.kind,
            of: claim.of,
            variables,
            parameters: parameters.len(),
            points: claim.points.iter().map(|space| self.space(*space).dimension()).collect(),
            violation: Formula::All(sizes.chain(claim.violation).collect()),
            reason: claim.reason,
        }
    }

    fn image(&self, point: &SpacePoint) -> BTreeMap<Name, Affine> {
        self.space(point.space).indices().iter().cloned().zip(point.coordinates.iter().cloned()).collect()
    }
}
