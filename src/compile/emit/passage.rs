//! Handoffs as a program makes them: with the points that give, and the channel.

use super::names::fresh;
use crate::mapping::{Design, FoldedMove, Giver, Handoff};
use std::collections::BTreeSet;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Name, Polyhedron, name};
use systole_base::network::Links;
use systole_program::array::Channel;

/// Where a value waits for those that read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// The scratchpad of the PE that computes it.
    Own(Name),
    /// The memory that all PEs share, a bus that joins them all.
    Shared(Name),
}

/// One handoff within a program.
pub struct Passage {
    /// What is handed over.
    pub handoff: Handoff,
    /// From which PEs of a block to which, and how far.
    pub turn: FoldedMove,
    /// The points that give, over the giver's indices; of no meaning where nobody gives.
    pub givers: Polyhedron,
    /// The channel's name, used where giver and reader are different points.
    pub channel: Name,
    /// Where it is put down and picked up, where no channel takes it from giver to reader.
    pub storage: Option<Storage>,
    /// Whether giver and reader are one point.
    pub is_within_point: bool,
    /// Whether none of the handoff's words gets to these PEs, as where all that read lie on every second PE of a map folded
    /// by two. Then neither side has instructions for it: both go by this answer.
    pub is_idle: bool,
}

impl Passage {
    /// Whether words go over a channel.
    pub fn is_sent(&self) -> bool {
        matches!(self.handoff.giver, Giver::Point { .. })
            && !self.is_within_point
            && !self.is_idle
            && self.storage.is_none()
    }

    /// A handoff of a design to the PEs with one residue; the channel gets a name of its own. `meets` says whether a set of
    /// points of a space may have some on the PEs with a residue.
    ///
    /// # Errors
    /// Givers with more than one reader.
    pub fn new(
        design: &Design,
        handoff: Handoff,
        to: &[i64],
        meets: impl Fn(usize, &[i64], &Polyhedron) -> bool,
        storage: Option<Storage>,
        taken: &mut BTreeSet<Name>,
    ) -> Checked<Passage> {
        let is_within_point = handoff.is_within_point(&design.system.spaces[handoff.reader]);
        let here = vec![0; design.rank()];
        let turn = design.fold.turn(handoff.displacement().unwrap_or(&here), to);
        let has_channel = !is_within_point && storage.is_none();
        let givers = if has_channel { givers(design, &handoff)? } else { Polyhedron::default() };
        let gives = storage.is_some() || handoff.given().is_none_or(|(space, _)| meets(space, &turn.from, &givers));
        let is_idle = !gives || !meets(handoff.reader, to, &handoff.set);
        let channel = name(&way(design, &handoff));
        let mut passage = Passage { handoff, turn, givers, channel, storage, is_within_point, is_idle };
        if passage.is_sent() {
            passage.channel = fresh(taken, &passage.channel);
        }
        Ok(passage)
    }

    /// The channel of a passage that needs one.
    ///
    /// # Errors
    /// Networks without the link, and FIFOs that grow.
    pub fn declare(&self, design: &Design, links: &Links) -> Checked<Option<Channel>> {
        if !self.is_sent() {
            return Ok(None);
        }
        let within_step = design.is_within_step(&self.handoff, links);
        let Some(latency) = links.cycles(&self.turn.displacement).map(|cycles| if within_step { 0 } else { cycles })
        else {
            let network = links.network;
            return refuse(design, &self.handoff, &format!("the {network} network has no link for it")).alone();
        };
        let Some(depth) = design.handoff_depth(&self.handoff, links) else {
            return refuse(design, &self.handoff, "the FIFO on its way would grow with the sizes")
                .help("choose steps that keep the delay from the giver to the reader constant")
                .alone();
        };
        let (name, latency) = (self.channel.clone(), latency.unsigned_abs());
        Ok(Some(Channel { name, offset: self.turn.displacement.clone(), latency, depth }))
    }
}

/// From which space to which; a value that is known comes from none.
fn way(design: &Design, handoff: &Handoff) -> String {
    let spaces = &design.system.spaces;
    let giver = handoff.given().map_or("known", |(space, _)| &spaces[space].name);
    format!("{giver}-to-{}", spaces[handoff.reader].name)
}

/// The points that give, each to one reader; every point where nobody gives.
fn givers(design: &Design, handoff: &Handoff) -> Checked<Polyhedron> {
    let Some((space, _)) = handoff.given() else { return Ok(Polyhedron::default()) };
    match design.givers(handoff) {
        Some(givers) => Ok(givers.intersect(&design.system.spaces[space].domain.set)),
        None => refuse(design, handoff, "one point would give it to several readers")
            .help("pass it from reader to reader along a stream")
            .alone(),
    }
}

/// The refusal of a handoff.
fn refuse(design: &Design, handoff: &Handoff, what: &str) -> Diagnostic {
    let reader = &design.system.spaces[handoff.reader];
    let operand = &reader.operands[handoff.operand];
    Diagnostic::new(format!("no program can be written: `{}` is read by `{}`, but {what}", operand.tensor, reader.name))
        .label(&reader.source, operand.span, "read here")
}
