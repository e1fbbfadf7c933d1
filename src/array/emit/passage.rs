//! Handoffs as a program makes them: with the points that give, and the channel.

use super::names::fresh;
use crate::array::Channel;
use crate::diagnostic::{Checked, Diagnostic};
use crate::integer::{Name, Polyhedron};
use crate::mapping::{Giver, Handoff, Links, SystemDesign, Turn};
use std::collections::BTreeSet;

/// One handoff within a program.
pub struct Passage {
    /// What is handed over.
    pub handoff: Handoff,
    /// From which PEs of a block to which, and how far.
    pub turn: Turn,
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

    /// A handoff of a design to the PEs with one residue; the channel gets a name of its own.
    ///
    /// # Errors
    /// Givers with more than one reader.
    pub fn new(design: &SystemDesign, handoff: Handoff, to: &[i64], taken: &mut BTreeSet<Name>) -> Checked<Passage> {
        let reader = &design.system.spaces[handoff.reader];
        let tensor = &reader.operands[handoff.operand].tensor;
        let is_within_point = handoff.is_within_point(reader);
        let turn = match &handoff.giver {
            Giver::Point { displacement, .. } => design.fold.turn(displacement, to),
            Giver::Known(_) => design.fold.turn(&vec![0; design.rank()], to),
        };
        let mut passage =
            Passage { handoff, turn, givers: Polyhedron::default(), channel: tensor.clone(), is_within_point };
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
        if !self.is_sent() {
            return Ok(None);
        }
        let Some(hops) = links.network.hops(&self.turn.displacement) else {
            let network = links.network;
            return refuse(design, &self.handoff, &format!("the {network} network has no link for it")).alone();
        };
        let Some(depth) = design.handoff_depth(&self.handoff, links) else {
            return refuse(design, &self.handoff, "the FIFO on its way would grow with the sizes")
                .help("choose steps that keep the delay from the giver to the reader constant")
                .alone();
        };
        let (name, latency) = (self.channel.clone(), (hops * links.latency).max(1).unsigned_abs());
        Ok(Some(Channel { name, offset: self.turn.displacement.clone(), latency, depth }))
    }
}

/// The refusal of a handoff.
fn refuse(design: &SystemDesign, handoff: &Handoff, what: &str) -> Diagnostic {
    let reader = &design.system.spaces[handoff.reader];
    let operand = &reader.operands[handoff.operand];
    Diagnostic::new(format!("no program can be written: `{}` is read by `{}`, but {what}", operand.tensor, reader.name))
        .label(&reader.source, operand.span, "read here")
}
