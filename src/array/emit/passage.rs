//! Handoffs as a program makes them: with the points that give, and the channel.

use super::names::fresh;
use crate::array::Channel;
use crate::diagnostic::{Checked, Diagnostic};
use crate::integer::{Name, Polyhedron};
use crate::mapping::{Giver, Handoff, Links, SystemDesign};
use std::collections::BTreeSet;

/// One handoff within a program.
pub struct Passage {
    /// What is handed over.
    pub handoff: Handoff,
    /// The points that give, over the giver's indices; of no meaning where nobody gives.
    pub givers: Polyhedron,
    /// The channel's name, used where giver and reader are different points.
    pub channel: Name,
    /// Whether giver and reader are one point.
    pub is_within_point: bool,
}

impl Passage {
    /// Whether words go over a channel.
    pub fn is_sent(&self) -> bool {
        matches!(self.handoff.giver, Giver::Point { .. }) && !self.is_within_point
    }

    /// A handoff of a design; the channel gets a name of its own.
    ///
    /// # Errors
    /// Givers with more than one reader.
    pub fn new(design: &SystemDesign, handoff: Handoff, taken: &mut BTreeSet<Name>) -> Checked<Passage> {
        let reader = &design.system.spaces[handoff.reader];
        let tensor = &reader.operands[handoff.operand].tensor;
        let is_within_point = handoff.is_within_point(reader);
        let mut passage = Passage { handoff, givers: Polyhedron::default(), channel: tensor.clone(), is_within_point };
        if let (true, Some((space, _))) = (passage.is_sent(), passage.handoff.given()) {
            let Some(givers) = design.givers(&passage.handoff) else {
                return refuse(design, &passage.handoff, "one point would give it to several readers")
                    .help("pass it from reader to reader along a stream")
                    .alone();
            };
            let giver = &design.system.spaces[space];
            passage.givers = givers.intersect(&giver.domain.set);
            passage.channel = fresh(taken, &format!("{}-to-{}", giver.name, reader.name));
        }
        Ok(passage)
    }

    /// The channel of a passage that needs one.
    ///
    /// # Errors
    /// Networks without the link, and FIFOs that grow.
    pub fn declare(&self, design: &SystemDesign, links: &Links) -> Checked<Option<Channel>> {
        let (Giver::Point { displacement, .. }, false) = (&self.handoff.giver, self.is_within_point) else {
            return Ok(None);
        };
        let Some(delay) = design.least_handoff_delay(&self.handoff, links) else {
            let network = links.network;
            return refuse(design, &self.handoff, &format!("the {network} network has no link for it")).alone();
        };
        let Some(depth) = design.handoff_depth(&self.handoff, links) else {
            return refuse(design, &self.handoff, "the FIFO on its way would grow with the sizes")
                .help("choose steps that keep the delay from the giver to the reader constant")
                .alone();
        };
        let (name, latency) = (self.channel.clone(), delay.unsigned_abs());
        Ok(Some(Channel { name, offset: displacement.clone(), latency, depth }))
    }
}

/// The refusal of a handoff.
fn refuse(design: &SystemDesign, handoff: &Handoff, what: &str) -> Diagnostic {
    let reader = &design.system.spaces[handoff.reader];
    let operand = &reader.operands[handoff.operand];
    Diagnostic::new(format!("no program can be written: `{}` is read by `{}`, but {what}", operand.tensor, reader.name))
        .label(&reader.source, operand.span, "read here")
}
