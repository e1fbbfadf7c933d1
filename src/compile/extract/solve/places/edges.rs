//! The ways in which an operand can take its values straight from the space that computes them.

use crate::mapping::{Fixed, TakerSets};
use crate::rewrite::{Choices, Transport};
use rayon::prelude::*;
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron};
use systole_base::network::Network;
use systole_equations::recurrence::spaces::{Division, Origin, Source, SpaceSystem, last_point};

/// One operand, one of its transports, one source, one order of the giving reduction, one set of takers.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The reading space.
    pub reader: usize,
    /// Its operand.
    pub operand: usize,
    /// Which of the operand's transports.
    pub transport: usize,
    /// How far apart the transport lets giver and reader be.
    pub reach: Reach,
    /// The giving space.
    pub giver: usize,
    /// The points that take, over the reader's indices.
    pub set: Polyhedron,
    /// The reader's indices, and the quotients that the giver is a form of.
    indices: Vec<Name>,
    /// These points, with what holds of the quotients there.
    pub(super) divided_set: Polyhedron,
    /// What is fixed for all that take.
    fixed: Fixed,
    /// The point that takes, as coordinates of its family over the reader's indices.
    pub(super) taken: Vec<Affine>,
    /// The point that gives, as coordinates of its family over the reader's indices.
    pub(super) given: Vec<Affine>,
}

/// How far apart the PEs of giver and reader may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// As far as a link of the network goes, for all takers the same.
    Link,
    /// They are one PE: what is kept there is read there.
    Own,
    /// Anywhere: memory is as near to one PE as to another.
    Anywhere,
}

impl Reach {
    fn of(transport: &Transport) -> Reach {
        match transport {
            Transport::Local => Reach::Own,
            // Whether a giver lies on the bus of its readers is asked once all places are known.
            Transport::Memory | Transport::Broadcast(_) => Reach::Anywhere,
            _ => Reach::Link,
        }
    }

    /// Whether a reader may be so far away along each axis; nothing stands where that is not the same for all takers.
    pub fn covers(self, mut along: impl Iterator<Item = Option<i64>>, network: Network) -> bool {
        match self {
            Reach::Anywhere => true,
            Reach::Own => along.all(|hops| hops == Some(0)),
            Reach::Link => along.collect::<Option<Vec<i64>>>().is_some_and(|moved| network.hops(&moved).is_some()),
        }
    }
}

/// All edges of a system.
pub fn edges(system: &SpaceSystem, choices: &[Choices], takers: &TakerSets) -> Vec<Edge> {
    let mut reads = vec![];
    for (reader, operands) in system.sources.iter().enumerate() {
        for operand in 0..operands.len() {
            reads.extend((0..choices[reader].transports[operand].len()).map(|transport| (reader, operand, transport)));
        }
    }
    let of_read = |(reader, operand, transport): (usize, usize, usize)| {
        let reach = Reach::of(&choices[reader].transports[operand][transport]);
        of_read(system, choices, &Read { reader, operand, transport, reach }, takers)
    };
    reads.into_par_iter().flat_map_iter(of_read).collect()
}

fn of_read(system: &SpaceSystem, choices: &[Choices], read: &Read, takers: &TakerSets) -> Vec<Edge> {
    let Read { reader, operand, transport, .. } = *read;
    let mut edges = vec![];
    for (position, source) in system.sources[reader][operand].iter().enumerate() {
        let Origin::Space { space: giver, element } = &source.origin else { continue };
        let sets = takers.of(system, (reader, operand, position), &choices[reader].transports[operand][transport]);
        let mut ends = vec![];
        for order in &choices[*giver].chains {
            let Some(last) = last_point(&system.spaces[*giver], order, element) else { continue };
            // Many orders of a reduction over several indices end at the same point.
            let end = last.coordinates(system.spaces[*giver].indices());
            if ends.contains(&end) {
                continue;
            }
            edges.extend(sets.iter().map(|set| Edge::new(system, read, *giver, (set, source), &end)));
            ends.push(end);
        }
    }
    edges
}

/// A read under one of its transports, as the fields of [`Edge`].
struct Read {
    reader: usize,
    operand: usize,
    transport: usize,
    reach: Reach,
}

impl Edge {
    fn new(
        system: &SpaceSystem,
        read: &Read,
        giver: usize,
        (set, source): (&Polyhedron, &Source),
        end: &[Affine],
    ) -> Edge {
        let Read { reader, operand, transport, reach } = *read;
        let (own, names) = (system.spaces[reader].indices(), system.spaces[giver].indices());
        let fixed = Fixed::on(set, own);
        let quotients = source.quotients.iter().map(|division| &division.quotient);
        let indices = own.iter().chain(quotients).cloned().collect();
        let divided_set = Division::of_all(&source.quotients, set);
        let image: BTreeMap<Name, Affine> = names.iter().cloned().zip(end.iter().cloned()).collect();
        let coordinates = |space: usize| system.members[space].embedding.iter();
        let taken = coordinates(reader).map(|form| fixed.reduced(form)).collect();
        let given = coordinates(giver).map(|form| fixed.reduced(&form.substitute(&image))).collect();
        Edge { reader, operand, transport, reach, giver, set: set.clone(), indices, divided_set, fixed, taken, given }
    }

    /// Whether the value can come from nowhere else: it is the result of a reduction inside an equation.
    pub fn is_forced(&self, system: &SpaceSystem) -> bool {
        let tensor = &system.spaces[self.reader].operands[self.operand].tensor;
        system.tensors.iter().all(|declared| declared.name != *tensor)
    }

    /// How far apart giver and reader are along one axis of the array, where that is the same for all takers: a form over
    /// the parameters. The rows are over the coordinates of the spaces' families.
    pub fn distance(&self, reader: &[i64], giver: &[i64]) -> Option<Affine> {
        let apart = along(&self.taken, reader) - along(&self.given, giver);
        (!apart.mentions(&self.indices)).then_some(apart)
    }

    /// The way from giver to reader along one axis, for rows with their shifts: a form over the reader's indices and the parameters.
    pub fn way(&self, reader: (&[i64], &Affine), giver: (&[i64], &Affine)) -> Affine {
        along(&self.taken, reader.0) - along(&self.given, giver.0) + reader.1.clone() - giver.1.clone()
    }

    /// How far apart giver and reader are along one axis, for rows with their shifts; `None` where the sizes or the takers
    /// decide.
    pub fn hops(&self, reader: (&[i64], &Affine), giver: (&[i64], &Affine)) -> Option<i64> {
        let apart = self.distance(reader.0, giver.0)? + reader.1.clone() - giver.1.clone();
        self.fixed.constant(&apart)
    }
}

/// A row over the coordinates of a family, each of which is a form.
pub(super) fn along(coordinates: &[Affine], row: &[i64]) -> Affine {
    let terms = coordinates.iter().zip(row).filter(|(_, entry)| **entry != 0);
    terms.fold(Affine::default(), |sum, (form, entry)| sum + form.clone() * *entry)
}
