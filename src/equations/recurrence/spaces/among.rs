//! A system of some of its families.
//!
//! In: a system, and the families that stay. Out: the system of their spaces. An operand that any other family computes has
//! no sources there, as if the user gave it, so what holds of the spaces together holds of the whole system too.

use super::{Member, Origin, Source, SpaceSystem};

impl SpaceSystem {
    /// The system of these families, given in ascending order; its spaces are those at [`SpaceSystem::spaces_among`].
    pub fn among(&self, families: &[usize]) -> SpaceSystem {
        let spaces = self.spaces_among(families);
        let member = |space: &usize| {
            let Member { family, embedding } = &self.members[*space];
            Member { family: position(families, *family), embedding: embedding.clone() }
        };
        let sources = |space: &usize| {
            let operands = 0..self.sources[*space].len();
            operands.map(|operand| self.sources_among(families, &spaces, (*space, operand))).collect()
        };
        SpaceSystem {
            spaces: spaces.iter().map(|space| self.spaces[*space].clone()).collect(),
            members: spaces.iter().map(member).collect(),
            families: families.iter().map(|family| self.families[*family].clone()).collect(),
            sources: spaces.iter().map(sources).collect(),
            ..self.clone()
        }
    }

    /// The spaces of these families, in their order.
    pub fn spaces_among(&self, families: &[usize]) -> Vec<usize> {
        (0..self.spaces.len()).filter(|space| families.contains(&self.members[*space].family)).collect()
    }

    /// Whether all that an operand of a space reads is computed in these families, or is known.
    pub fn is_within(&self, families: &[usize], (space, operand): (usize, usize)) -> bool {
        self.sources[space][operand].iter().all(|source| match source.origin {
            Origin::Space { space, .. } => families.contains(&self.members[space].family),
            Origin::Known(_) => true,
        })
    }

    fn sources_among(&self, families: &[usize], spaces: &[usize], operand: (usize, usize)) -> Vec<Source> {
        if !self.is_within(families, operand) {
            return vec![];
        }
        let renumbered = |source: &Source| {
            let mut source = source.clone();
            if let Origin::Space { space, .. } = &mut source.origin {
                *space = position(spaces, *space);
            }
            source
        };
        self.sources[operand.0][operand.1].iter().map(renumbered).collect()
    }
}

fn position(kept: &[usize], number: usize) -> usize {
    kept.partition_point(|other| *other < number)
}
