//! The ways in which an operand can take its values straight from the space that computes them.

use crate::integer::{Affine, Name, Polyhedron};
use crate::mapping::{constant_on, reduced_on, takers};
use crate::recurrence::spaces::{Origin, SpaceSystem, last_point};
use crate::rewrite::Choices;

/// One operand, one of its transports, one source, one order of the giving reduction, one set of takers.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The reading space.
    pub reader: usize,
    /// Its operand.
    pub operand: usize,
    /// Which of the operand's transports.
    pub transport: usize,
    /// The giving space.
    pub giver: usize,
    /// The points that take, over the reader's indices.
    pub set: Polyhedron,
    /// The giving point.
    pub at: Vec<Affine>,
}

/// All edges of a system.
pub fn edges(system: &SpaceSystem, choices: &[Choices]) -> Vec<Edge> {
    let mut edges = vec![];
    for (reader, operands) in system.sources.iter().enumerate() {
        for (operand, sources) in operands.iter().enumerate() {
            for (transport, choice) in choices[reader].transports[operand].iter().enumerate() {
                for source in sources {
                    let Origin::Space { space: giver, element } = &source.origin else { continue };
                    let sets = takers(system, reader, choice, source);
                    let producer = &system.spaces[*giver];
                    for order in &choices[*giver].chains {
                        let Some(last) = last_point(producer, order, element) else { continue };
                        let at = last.coordinates(producer.indices());
                        edges.extend(sets.iter().map(|set| Edge {
                            reader,
                            operand,
                            transport,
                            giver: *giver,
                            set: set.clone(),
                            at: at.clone(),
                        }));
                    }
                }
            }
        }
    }
    edges
}

impl Edge {
    /// Whether the value can come from nowhere else: it is the result of a reduction inside an equation.
    pub fn is_forced(&self, system: &SpaceSystem) -> bool {
        let tensor = &system.spaces[self.reader].operands[self.operand].tensor;
        system.tensors.iter().all(|declared| declared.name != *tensor)
    }

    /// How far apart giver and reader are along one axis of the array, where that is the same for all takers: a form over
    /// the parameters. The rows are over the coordinates of the spaces' families.
    pub fn distance(&self, system: &SpaceSystem, reader: &[i64], giver: &[i64]) -> Option<Affine> {
        let here = along(system, self.reader, reader);
        let image = system.spaces[self.giver].indices().iter().cloned().zip(self.at.iter().cloned()).collect();
        let there = along(system, self.giver, giver).substitute(&image);
        let indices: &[Name] = system.spaces[self.reader].indices();
        let apart = reduced_on(&self.set, indices, &(here - there));
        (!apart.mentions(indices)).then_some(apart)
    }
}

impl Edge {
    /// How far apart giver and reader are along one axis, for rows with their shifts; `None` where the sizes or the takers
    /// decide.
    pub fn hops(&self, system: &SpaceSystem, reader: (&[i64], &Affine), giver: (&[i64], &Affine)) -> Option<i64> {
        let indices = system.spaces[self.reader].indices();
        let apart = self.distance(system, reader.0, giver.0)? + reader.1.clone() - giver.1.clone();
        constant_on(&self.set, indices, &apart)
    }
}

/// A row over a family's coordinates as a form over the indices of a member.
fn along(system: &SpaceSystem, space: usize, row: &[i64]) -> Affine {
    let terms = system.members[space].embedding.iter().zip(row);
    terms.fold(Affine::default(), |sum, (form, entry)| sum + form.clone() * *entry)
}
