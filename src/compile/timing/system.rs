//! All obligations of a design: those of each space alone, those of the handoffs, and that no PE runs
//! points of two spaces at one time.

use super::frame::Claim;
use super::generate::{space_obligations, space_obligations_within};
use super::loads::load_depth_obligations;
use super::system_frame::{SpacePoint, SystemFrame};
use super::wording::{Side, sides};
use crate::mapping::{Carrier, Design, Handoff, check_ways};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::network::Links;
use systole_program::obligation::{Formula, Kind, Obligation, Reason};

/// States everything that must be proved of `design` on `links`.
///
/// # Errors
/// What stands against stating it: shapes that do not agree, a way the network does not have or does not have beside the
/// others, a FIFO that would grow.
pub fn obligations(design: &Design, links: &Links) -> Checked<Vec<Obligation>> {
    check_rows(design)?;
    let mut stated = vec![];
    for space in 0..design.parts.len() {
        stated.extend(space_obligations(&design.alone(space), links)?);
    }
    stated.extend(load_depth_obligations(design, links, None));
    let frame = SystemFrame { design, links: *links };
    let handoffs = checked_handoffs(design, links)?;
    for handoff in &handoffs {
        stated.extend(frame.of_handoff(handoff)?);
    }
    stated.extend(frame.rooms(&handoffs));
    stated.extend(frame.conflicts()?);
    Ok(stated)
}

/// [`obligations`], with the claim that `depth` words are enough for each channel in place of the depth that is needed.
///
/// # Errors
/// As there, and where `depth` is beyond what is proved word by word.
pub fn obligations_within(design: &Design, links: &Links, depth: u64) -> Checked<Vec<Obligation>> {
    let mut stated = obligations(design, links)?;
    stated.retain(|obligation| obligation.kind != Kind::FifoDepth);
    for space in 0..design.parts.len() {
        let alone = space_obligations_within(&design.alone(space), links, depth)?;
        stated.extend(alone.into_iter().filter(|obligation| obligation.kind == Kind::FifoDepth));
    }
    let frame = SystemFrame { design, links: *links };
    for handoff in design.handoffs(links.network)?.iter().filter(|handoff| frame.has_channel(handoff)) {
        stated.extend(frame.handoff_within(handoff, depth).transpose().map_err(|problem| vec![problem])?);
    }
    Ok(stated)
}

/// That no PE runs a point of each of these spaces at one time, whatever the links: the violation's points are one of each, in their
/// order. Where PEs are folded, two may be of one space.
pub fn points_apart(design: &Design, crowd: &[usize]) -> Obligation {
    SystemFrame { design, links: Links::default() }.points_apart(crowd)
}

/// That no two words of a handoff are on one link at one time; `None` where it has no links that two words could share.
pub fn handed_words_apart(design: &Design, links: &Links, handoff: &Handoff) -> Option<Obligation> {
    SystemFrame { design, links: *links }.handoff_link_conflict(handoff)
}

/// The handoffs of a design, where the links carry them beside the streams and the fold lets them.
pub(super) fn checked_handoffs(design: &Design, links: &Links) -> Checked<Vec<Handoff>> {
    let handoffs = design.handoffs(links.network)?;
    check_ways(links.network, &design.ways(&handoffs)).map_err(|problem| vec![problem])?;
    design.check_fold(&handoffs)?;
    Ok(handoffs)
}

/// All times have as many components, or they could not be compared.
pub(super) fn check_rows(design: &Design) -> Checked<()> {
    let rows = |part: &crate::mapping::SpaceDesign| part.map.step.rows().len();
    let Some(first) = design.parts.first().map(rows) else { return Ok(()) };
    match design.parts.iter().position(|part| rows(part) != first) {
        None => Ok(()),
        Some(other) => {
            let (one, other) = (&design.system.spaces[0].name, &design.system.spaces[other].name);
            Diagnostic::new(format!("the times of `{one}` and `{other}` have different numbers of components"))
                .help("give all spaces plain times, or vectors of one length")
                .alone()
        }
    }
}

impl SystemFrame<'_> {
    fn of_handoff(&self, handoff: &Handoff) -> Checked<Vec<Obligation>> {
        let mut stated: Vec<Obligation> = self.handed_in_time(handoff).into_iter().collect();
        if self.has_channel(handoff) {
            stated.extend(self.handoff_link_conflict(handoff));
            if let Some(depth) = self.handoff_depth(handoff) {
                stated.push(depth.map_err(|problem| vec![problem])?);
            }
        }
        Ok(stated)
    }

    /// Whether a channel lies between giver and reader: they are two points, and the value is neither kept nor in memory.
    pub fn has_channel(&self, handoff: &Handoff) -> bool {
        !self.is_within_point(handoff) && !matches!(handoff.carrier(), Some(Carrier::Kept | Carrier::Memory))
    }

    /// Whether giver and reader are one point, so that no channel lies between them.
    pub fn is_within_point(&self, handoff: &Handoff) -> bool {
        handoff.given().is_some_and(|(space, _)| handoff.is_within_point(self.space(space)))
    }

    /// No PE does more at one time than a step holds; that none of a space's own map does two things is stated with the space.
    fn conflicts(&self) -> Checked<Vec<Obligation>> {
        let crowds = self.design.crowds(self.links.cell).ok_or_else(|| vec![self.too_many_crowds()])?;
        Ok(crowds.iter().map(|crowd| self.points_apart(crowd)).collect())
    }

    fn points_apart(&self, crowd: &[usize]) -> Obligation {
        match crowd {
            [one, other] if self.design.fold.is_none() => self.two_spaces(*one, *other),
            [one, other] => self.one_block(*one, *other),
            _ => self.full_cell(crowd),
        }
    }

    /// No PE runs a point of one space and a point of another at one time.
    fn two_spaces(&self, one: usize, other: usize) -> Obligation {
        let (x, y) = (self.point(one, 0), self.point(other, 1));
        let (first, second) = (&self.space(one).name, &self.space(other).name);
        let broken = format!("a PE runs a point of `{first}` and one of `{second}` at one time");
        self.state(Claim {
            kind: Kind::PeConflict,
            of: systole_base::integer::name(&format!("{first}, {second}")),
            points: vec![one, other],
            extras: vec![],
            violation: vec![
                self.inside(&self.space(one).domain.set, &x),
                self.inside(&self.space(other).domain.set, &y),
                Formula::same(&self.place(&x), &self.place(&y)),
                Formula::same(&self.time(&x), &self.time(&y)),
            ],
            reason: self.two_points(&x, &y, broken, "shift the time of one of them, or give them different places"),
        })
    }

    /// Two points that run at one time: what to tell of them.
    pub fn two_points(&self, x: &SpacePoint, y: &SpacePoint, broken: String, help: &str) -> Reason {
        let (first, second) = (&self.space(x.space).name, &self.space(y.space).name);
        let (available, needed) = sides(
            &Side {
                what: "one point at",
                time: self.show_time(x),
                rest: format!("of `{first}` on {}", self.show_pe(x)),
            },
            &Side {
                what: "another at",
                time: self.show_time(y),
                rest: format!("of `{second}` on {}", self.show_pe(y)),
            },
        );
        Reason {
            broken,
            blame: match x.space == y.space {
                true => format!("gives two points of `{first}` on one PE the same time"),
                false => format!("gives points of `{first}` and `{second}` on one PE the same time"),
            },
            available,
            needed,
            help: help.to_owned(),
            moments: vec![self.moment("one point", x), self.moment("another", y)],
        }
    }
}
