//! No deadlock between spaces: the waits of handoffs, for the obligation of `no_deadlock.rs`.
//!
//! A handoff whose giver and reader are different points has a channel, also where both are on one PE. A value that is known, or
//! that a point has already, waits for nothing.

use super::frame::Claim;
use super::handoff::Handed;
use super::no_deadlock::{Act, PeOrder, Phase, space_no_deadlock_obligations};
use super::system::{check_rows, checked_handoffs};
use super::system_frame::{SpacePoint, SystemFrame};
use super::wording::{show_place, sides};
use crate::mapping::{Design, Handoff};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::Affine;
use systole_base::network::Links;
use systole_program::obligation::{Formula, Kind, Obligation, Reason};

/// [`space_no_deadlock_obligations`] for all spaces of a design and what they hand to each other, folds included: PEs that are one PE
/// keep the channels that they have in the map, and all that it does has one order of time (`pe-conflict`).
///
/// # Errors
/// As there.
pub fn no_deadlock_obligations(
    design: &Design,
    links: &Links,
    depth: Option<u64>,
    turns: PeOrder,
) -> Checked<Vec<Obligation>> {
    check_rows(design)?;
    let mut stated = vec![];
    for space in 0..design.parts.len() {
        stated.extend(space_no_deadlock_obligations(&design.alone(space), links, depth, turns)?);
    }
    let frame = SystemFrame { design, links: *links };
    for handoff in checked_handoffs(design, links)?.iter().filter(|handoff| !frame.is_within_point(handoff)) {
        stated.extend(frame.waits_for_handed(handoff, turns));
        if frame.has_channel(handoff) {
            stated.extend(frame.waits_to_hand(handoff, depth, turns).map_err(|problem| vec![problem])?);
        }
    }
    Ok(stated)
}

impl SystemFrame<'_> {
    fn act(&self, point: &SpacePoint, phase: Phase) -> Act {
        Act { place: self.place(point), time: self.time(point), turn: self.turn(point), phase }
    }

    /// The number of a point's space in the order within a step, where operations share steps.
    fn turn(&self, point: &SpacePoint) -> Option<Affine> {
        let before = |other: &usize| self.design.comes_first(*other, point.space);
        let turn = || Affine::constant((0..self.design.parts.len()).filter(before).count() as i64);
        self.links.cell.is_shared().then(turn)
    }

    /// The take of each word comes after its give.
    fn waits_for_handed(&self, handoff: &Handoff, turns: PeOrder) -> Option<Obligation> {
        let Handed { reader, giver, laws, quotients } = self.handed(handoff, 0)?;
        let (take, give) = (self.act(&reader, Phase::Take), self.act(&giver, Phase::Give));
        Some(self.state(Claim {
            kind: Kind::NoDeadlock,
            of: self.tensor(handoff),
            points: vec![handoff.reader],
            extras: quotients,
            violation: vec![laws, take.waits_in_vain(&give, turns)],
            reason: self.not_handed(handoff, &give, &take),
        }))
    }

    /// Of words that a PE hands over one after the other, one more than there is room for, the first is taken before the last is
    /// given.
    fn waits_to_hand(
        &self,
        handoff: &Handoff,
        depth: Option<u64>,
        turns: PeOrder,
    ) -> Result<Option<Obligation>, Diagnostic> {
        if handoff.given().is_none() {
            return Ok(None);
        }
        let depth = depth.or_else(|| self.design.handoff_depth(handoff, &self.links));
        let depth = depth.ok_or_else(|| self.growing_handoff(handoff))?;
        let words = super::fifo::told_apart(&self.tensor(handoff), depth)?;
        let all: Vec<Handed> = (0..=words).filter_map(|number| self.handed(handoff, number)).collect();
        let (Some(first), Some(last)) = (all.first(), all.last()) else { return Ok(None) };
        let (take, give) = (self.act(&first.reader, Phase::Take), self.act(&last.giver, Phase::Give));
        let handed = all.iter().map(|handed| handed.laws.clone());
        let ordered = all.windows(2).map(|pair| self.follows(&pair[0].giver, &pair[1].giver));
        Ok(Some(self.state(Claim {
            kind: Kind::NoDeadlock,
            of: self.tensor(handoff),
            points: vec![handoff.reader; words + 1],
            extras: all.iter().flat_map(|handed| handed.quotients.iter().cloned()).collect(),
            violation: handed.chain(ordered).chain([give.waits_in_vain(&take, turns)]).collect(),
            reason: self.no_room_to_hand(handoff, depth, &take, &give),
        })))
    }

    /// Both words leave one PE, `late` after `early`.
    pub fn follows(&self, early: &SpacePoint, late: &SpacePoint) -> Formula {
        Formula::All(vec![
            Formula::same(&self.place(early), &self.place(late)),
            Formula::before(&self.time(early), &self.time(late)),
        ])
    }

    fn not_handed(&self, handoff: &Handoff, give: &Act, take: &Act) -> Reason {
        let (of, giving, reading) = self.names(handoff);
        let (available, needed) = sides(
            &give.side("given at", format!("{of} by `{giving}` on {}", show_place(&give.place))),
            &take.side("taken at", format!("by `{reading}` on {}", show_place(&take.place))),
        );
        Reason {
            broken: format!("`{reading}` takes {of} no later than `{giving}` gives it"),
            blame: format!("lets `{reading}` take {of} no later than `{giving}` gives it"),
            available,
            needed,
            help: format!("let `{reading}` run after `{giving}` there"),
            moments: vec![give.moment("given"), take.moment("taken")],
        }
    }

    fn no_room_to_hand(&self, handoff: &Handoff, depth: u64, take: &Act, give: &Act) -> Reason {
        let (of, giving, reading) = self.names(handoff);
        let (available, needed) = sides(
            &take.side("room from", format!("when `{reading}` takes the first word on {}", show_place(&take.place))),
            &give.side("given at", format!("word {} by `{giving}` on {}", depth + 1, show_place(&give.place))),
        );
        Reason {
            broken: format!(
                "`{giving}` waits for room that comes later, in a channel of depth {depth}, to give {of} to `{reading}`"
            ),
            blame: format!("lets `{giving}` give {of} before `{reading}` has made room for it"),
            available,
            needed,
            help: format!("let `{reading}` follow `{giving}` sooner"),
            moments: vec![take.moment("room"), give.moment("given")],
        }
    }
}
