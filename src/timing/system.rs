//! All obligations of a design of several spaces: those of each space alone, those of the handoffs, and that no PE runs
//! points of two spaces at one time.

use super::frame::Claim;
use super::generate::obligations;
use super::system_frame::SystemFrame;
use super::wording::{Side, sides};
use super::{Formula, Kind, Obligation, Reason};
use crate::diagnostic::{Checked, Diagnostic};
use crate::mapping::{Handoff, Links, SystemDesign, check_ways};

/// States everything that must be proved of `design` on `links`.
///
/// # Errors
/// What stands against stating it: shapes that do not agree, a way the network does not have or does not have beside the
/// others, a FIFO that would grow.
pub fn system_obligations(design: &SystemDesign, links: &Links) -> Checked<Vec<Obligation>> {
    check_rows(design)?;
    let mut stated = vec![];
    for space in 0..design.parts.len() {
        stated.extend(obligations(&design.alone(space), links)?);
    }
    let frame = SystemFrame { design, links: *links };
    let handoffs = design.handoffs(links.network)?;
    check_ways(links.network, &design.ways(&handoffs)).map_err(|problem| vec![problem])?;
    for handoff in &handoffs {
        stated.extend(frame.of_handoff(handoff)?);
    }
    let pairs = (0..design.parts.len()).flat_map(|one| (one + 1..design.parts.len()).map(move |other| (one, other)));
    stated.extend(pairs.map(|(one, other)| frame.two_spaces(one, other)));
    Ok(stated)
}

/// That no PE runs a point of one space and a point of another at one time, whatever the links: the violation's points are
/// one of `one`, then one of `other`.
pub fn two_spaces_apart(design: &SystemDesign, one: usize, other: usize) -> Obligation {
    SystemFrame { design, links: Links::default() }.two_spaces(one, other)
}

/// That no two words of a handoff are on one link at one time; `None` where it has no links that two words could share.
pub fn handed_words_apart(design: &SystemDesign, links: &Links, handoff: &Handoff) -> Option<Obligation> {
    SystemFrame { design, links: *links }.handoff_link_conflict(handoff)
}

/// All times have as many components, or they could not be compared.
fn check_rows(design: &SystemDesign) -> Checked<()> {
    let rows = |part: &crate::mapping::Part| part.map.step.rows().len();
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
        let within = handoff.given().is_some_and(|(space, _)| handoff.is_within_point(self.space(space)));
        if !within {
            stated.extend(self.handoff_link_conflict(handoff));
            if let Some(depth) = self.handoff_depth(handoff) {
                stated.push(depth.map_err(|problem| vec![problem])?);
            }
        }
        Ok(stated)
    }

    /// No PE runs a point of one space and a point of another at one time.
    fn two_spaces(&self, one: usize, other: usize) -> Obligation {
        let (x, y) = (self.point(one, 0), self.point(other, 1));
        let (first, second) = (&self.space(one).name, &self.space(other).name);
        let (available, needed) = sides(
            &Side {
                what: "one point at",
                time: self.show_time(&x),
                rest: format!("of `{first}` on {}", self.show_pe(&x)),
            },
            &Side {
                what: "another at",
                time: self.show_time(&y),
                rest: format!("of `{second}` on {}", self.show_pe(&y)),
            },
        );
        self.state(Claim {
            kind: Kind::PeConflict,
            of: crate::integer::name(&format!("{first}, {second}")),
            points: vec![one, other],
            extras: vec![],
            violation: vec![
                self.inside(&self.space(one).domain.set, &x),
                self.inside(&self.space(other).domain.set, &y),
                Formula::same(&self.place(&x), &self.place(&y)),
                Formula::same(&self.time(&x), &self.time(&y)),
            ],
            reason: Reason {
                broken: format!("a PE runs a point of `{first}` and one of `{second}` at one time"),
                blame: format!("gives points of `{first}` and `{second}` on one PE the same time"),
                available,
                needed,
                help: "shift the time of one of them, or give them different places".to_owned(),
                moments: vec![self.moment("one point", &x), self.moment("another", &y)],
            },
        })
    }
}
