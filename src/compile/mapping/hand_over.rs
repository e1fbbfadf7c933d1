//! The giving side of a handoff, and how many of its words are under way.

use super::flow::within_window;
use super::{Carrier, Design, Field, Giver, Handoff, constant_on, depth_of, spacing};
use systole_base::integer::{Affine, Matrix, Name, Polyhedron};
use systole_base::network::Links;
use systole_equations::recurrence::spaces::{Division, Solution, solve};

impl Handoff {
    /// The giving space and what it gives; `None` where the value is known.
    pub fn given(&self) -> Option<(usize, Field)> {
        match &self.giver {
            Giver::Point { space, field, .. } => Some((*space, *field)),
            Giver::Known(_) => None,
        }
    }

    /// The quotients of which the giving point is a form.
    fn given_quotients(&self) -> impl Iterator<Item = &Division> {
        let forms = match &self.giver {
            Giver::Point { at, .. } => &at[..],
            Giver::Known(_) => &[],
        };
        self.quotients.iter().filter(|division| forms.iter().any(|form| form.coefficient(&division.quotient) != 0))
    }
}

impl Design<'_> {
    /// The reading point over the giver's indices; `None` where a giving point would serve several readers.
    pub fn readers(&self, handoff: &Handoff) -> Option<Solution> {
        let Giver::Point { space, at, .. } = &handoff.giver else { return None };
        let faces: Vec<Affine> = handoff.set.equations().cloned().collect();
        let forms: Vec<Affine> = at.iter().chain(&faces).cloned().collect();
        let point = self.point(*space).into_iter().chain(faces.iter().map(|_| Affine::default()));
        let quotients = handoff.given_quotients().map(|division| division.quotient.clone());
        let indices = self.system.spaces[handoff.reader].indices().iter().cloned();
        // A quotient of the reader's is known by the giving point as the reader's indices are.
        solve(&forms, &indices.chain(quotients).collect::<Vec<Name>>(), &point.collect::<Vec<Affine>>())
    }

    /// The giving points, over the giver's indices and the parameters.
    pub fn givers(&self, handoff: &Handoff) -> Option<Polyhedron> {
        let laws = handoff.given_quotients().flat_map(Division::conditions);
        Some(self.readers(handoff)?.image(&Polyhedron::new(handoff.set.constraints().iter().cloned().chain(laws))))
    }

    /// From giving to reading, in steps, component by component; forms over the reader's indices and the parameters.
    pub fn handoff_delay(&self, handoff: &Handoff) -> Option<Vec<Affine>> {
        let Giver::Point { space, at, .. } = &handoff.giver else { return None };
        let (read, given) = (self.time(handoff.reader, &self.point(handoff.reader)), self.time(*space, at));
        Some(read.into_iter().zip(given).map(|(read, given)| read - given).collect())
    }

    /// Whether what a PE computes may be read in the same step: it stays there, several operations share a step, and the
    /// reader's comes later in it.
    pub fn is_within_step(&self, handoff: &Handoff, links: &Links) -> bool {
        let Some((giver, _)) = handoff.given() else { return false };
        links.cell.is_shared() && self.may_share_step(handoff) && self.comes_first(giver, handoff.reader)
    }

    /// Whether giver and reader may share a step of a cell: the value stays there, they are of two spaces, and the reader does not put it
    /// on a bus, over which others would hear in a step what is computed in it.
    pub fn may_share_step(&self, handoff: &Handoff) -> bool {
        let transport = &self.parts[handoff.reader].dataflow.transports[handoff.operand];
        let are_two = handoff.given().is_some_and(|(giver, _)| giver != handoff.reader);
        handoff.stays() && are_two && !transport.is_bus()
    }

    /// The least delay that physics allows: one step on a PE, the latency of every hop between PEs or that of memory, nothing within
    /// a point or within a step. `None` where the network has no such link.
    pub fn least_handoff_delay(&self, handoff: &Handoff, links: &Links) -> Option<i64> {
        match &handoff.giver {
            Giver::Known(_) => Some(0),
            Giver::Point { .. } if self.is_within_step(handoff, links) => Some(0),
            Giver::Point { space, .. } if handoff.is_within_point(&self.system.spaces[*space]) => Some(0),
            Giver::Point { carrier: Carrier::Links(displacement), .. } => links.cycles(displacement),
            Giver::Point { carrier: Carrier::Kept, .. } => Some(1),
            Giver::Point { carrier: Carrier::Memory, .. } => Some(links.memory),
        }
    }

    /// Whether a PE gives more than one word of the handoff in a round, for sizes large enough; where times are plain, in all.
    pub fn gives_many(&self, handoff: &Handoff) -> bool {
        if handoff.displacement().is_none() {
            return false;
        }
        let Some(((space, _), set)) = handoff.given().zip(self.givers(handoff)) else { return false };
        let (part, indices) = (&self.parts[space], self.system.spaces[space].indices());
        let rounds = part.rounds().iter().cloned();
        let fixed = set.equations().map(|form| form.row(indices)).chain(rounds).collect();
        let rows = part.map.place.above(&Matrix::new(fixed, indices.len()));
        !rows.null_lattice().is_empty()
    }

    /// The words that hold a slot of the handoff's channel at one time, for sizes large enough; `None` where that number
    /// grows with the sizes, or a giver has several readers.
    pub fn handoff_depth(&self, handoff: &Handoff, links: &Links) -> Option<u64> {
        let (space, _) = handoff.given()?;
        let set = self.givers(handoff)?;
        let pace = spacing(&self.system.spaces[space], &self.parts[space].map, &set);
        let delay = self.handoff_delay(handoff)?;
        match pace {
            None => Some(1),
            Some(pace) => {
                let indices = self.system.spaces[handoff.reader].indices();
                let constant = |form| constant_on(&handoff.set, indices, form);
                let (step, rounds) = delay.split_last()?;
                let mut apart: Vec<i64> = rounds.iter().map(constant).collect::<Option<_>>()?;
                match constant(step) {
                    Some(step) => apart.push(step + links.handoff_response()),
                    // Of words in different rounds it does not matter where in theirs they are given and taken.
                    None if self.runs_in_rounds() && !self.gives_many(handoff) => apart.push(i64::MAX),
                    None => return None,
                }
                if self.runs_in_rounds() { within_window(&apart, &pace) } else { depth_of(&apart, Some(&pace), 0) }
            }
        }
    }
}
