//! What decides between the cells of a tensor: which equations have points in a tile, which tiles there are to be read, and
//! whether a read is of the own tile.

use super::Axis;
use super::coarse::{Along, pinned, tiles_met, tiles_of, within};
use super::equations::{Cell, Tiler};
use super::source::{Contribution, Read, coordinates_of};
use super::writer::{product, within_axis};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron};

impl Tiler<'_> {
    /// The members with points in some tile of a cell.
    pub(super) fn present(&self, cell: &Polyhedron, members: &[usize], along: &Along) -> Vec<usize> {
        members.iter().copied().filter(|part| !cell.intersect(&self.written(*part, along)).is_empty()).collect()
    }

    /// The tiles that a part has points in.
    fn written(&self, part: usize, along: &Along) -> Polyhedron {
        let part = &self.parts[part];
        tiles_of(&part.set.eliminate_all(part.reduced()), along)
    }

    /// What decides between cells. A slanted tensor does the same in all tiles behind its borders.
    pub(super) fn questions(&self, cell: &Polyhedron, members: &[usize], along: &Along) -> Vec<Affine> {
        let sets = members.iter().map(|part| self.written(*part, along)).filter(|set| !cell.intersect(set).is_empty());
        let is_slanted = members.first().is_some_and(|part| self.slanted.contains(&self.parts[*part].tensor));
        let mut forms: Vec<Affine> = match is_slanted {
            true => along.iter().map(|(name, axis)| Affine::variable(name) - Affine::constant(axis.before)).collect(),
            false => sets.flat_map(|set| set.constraints().to_vec()).collect(),
        };
        for member in self.present(cell, members, along) {
            let part = &self.parts[member];
            for read in &part.reads {
                forms.extend(self.questions_of(cell, part, read, along));
            }
            if part.reduction.is_some() {
                let own: Vec<Affine> = part.coordinates[..part.free].iter().map(Affine::variable).collect();
                forms.extend(self.is_one_tile(cell, (member, &own), (&part.tensor, along)));
            }
        }
        forms
    }

    /// Whether the first and the last tile in which a reduction reads the own tile are one, as on the diagonal of intervals.
    fn is_one_tile(
        &self,
        set: &Polyhedron,
        (number, access): (usize, &[Affine]),
        (tensor, along): (&Name, &Along),
    ) -> Vec<Affine> {
        let axes = self.axes.of_tensor(tensor).to_vec();
        let coordinates = coordinates_of(self.cut, tensor, axes.len());
        if coordinates.iter().any(|name| !along.contains_key(name)) {
            return vec![];
        }
        let cell = Cell { set: set.clone(), tensor, coordinates: &coordinates, axes: &axes, present: vec![] };
        let tiles = self.tiles_at(&cell, &self.parts[number], access, &BTreeMap::new());
        match tiles.and_then(|tiles| self.own_tiles(number, &cell, &tiles)).as_deref() {
            Ok([first, last]) => differences(std::slice::from_ref(&first.at), std::slice::from_ref(&last.at)),
            _ => vec![],
        }
    }

    fn questions_of(&self, cell: &Polyhedron, part: &Contribution, read: &Read, along: &Along) -> Vec<Affine> {
        let own: Vec<Affine> = part.coordinates[..part.free].iter().map(Affine::variable).collect();
        if let Some(number) = self.inner(&read.tensor) {
            return self.questions_of_inner(cell, (part, &own), (number, read), along);
        }
        if read.access.iter().any(|form| form.mentions(part.reduced())) {
            return vec![];
        }
        let axes = self.axes.of_tensor(&read.tensor);
        let (pins, along) = (pinned(cell, along), within(cell, along));
        let met = |(form, axis): (&Affine, &Axis)| tiles_met(&form.substitute(&pins), axis, &along);
        let candidates: Vec<Vec<Affine>> = read.access.iter().zip(axes).map(met).collect();
        let there = candidates.iter().zip(axes);
        let mut forms: Vec<Affine> =
            there.flat_map(|(tiles, axis)| tiles.iter().flat_map(|tile| within_axis(tile, axis))).collect();
        if read.tensor == part.tensor {
            forms.extend(product((&read.access, axes), &candidates).iter().flat_map(|tile| differences(tile, &own)));
        }
        forms
    }

    /// What the reads inside a reduction ask that a part reads.
    fn questions_of_inner(
        &self,
        cell: &Polyhedron,
        (part, own): (&Contribution, &[Affine]),
        (number, read): (usize, &Read),
        along: &Along,
    ) -> Vec<Affine> {
        let inner = &self.parts[number];
        let Some(access) = self.coordinates_at(inner, &read.access) else { return vec![] };
        let mut forms = self.is_one_tile(cell, (number, &access), (&part.tensor, along));
        let image: BTreeMap<Name, Affine> = inner.coordinates[..inner.free].iter().cloned().zip(access).collect();
        let reads = inner.reads.iter().filter(|read| read.tensor == part.tensor);
        forms.extend(
            reads.flat_map(|read| {
                self.meetings(cell, (&read.tensor, &read.access), along, own, &image, inner.reduced())
            }),
        );
        forms
    }

    /// Where reads inside a reduction may be of the own tile, as far as no reduction index decides.
    fn meetings(
        &self,
        cell: &Polyhedron,
        (tensor, access): (&Name, &[Affine]),
        along: &Along,
        own: &[Affine],
        image: &BTreeMap<Name, Affine>,
        reduced: &[Name],
    ) -> Vec<Affine> {
        let axes = self.axes.of_tensor(tensor);
        let along = within(cell, along);
        let met = |(form, axis): (&Affine, &Axis)| match form.mentions(reduced) {
            true => vec![],
            false => tiles_met(&form.substitute(image), axis, &along),
        };
        let tiles = access.iter().zip(axes).map(met).zip(own);
        tiles
            .flat_map(|(tiles, own)| {
                tiles.into_iter().flat_map(move |tile| differences(&[tile], std::slice::from_ref(own)))
            })
            .collect()
    }
}

/// Each difference both ways, where it is no constant.
fn differences(tile: &[Affine], own: &[Affine]) -> Vec<Affine> {
    let pairs = tile.iter().zip(own).map(|(one, other)| one.clone() - other.clone());
    pairs.filter(|form| !form.is_constant()).flat_map(|form| [form.clone(), -form]).collect()
}
