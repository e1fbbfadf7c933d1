//! Handoffs: what a point takes from another space has been given, in the order in which it is taken, through a channel
//! that is deep enough.

use super::frame::later;
use super::system_frame::{SpacePoint, SystemClaim, SystemFrame};
use super::wording::{Side, sides};
use super::{Formula, Kind, Obligation, Reason};
use crate::diagnostic::Diagnostic;
use crate::integer::{Affine, Name};
use crate::mapping::{Field, Giver, Handoff, Links, SystemDesign};

/// The claims about one handoff whose channel has room for `depth` words: in time, in order, never too many. A value that
/// is known makes no claim, nor does one that is too far away for the network.
pub fn handoff_obligations(design: &SystemDesign, links: &Links, handoff: &Handoff, depth: usize) -> Vec<Obligation> {
    let frame = SystemFrame { design, links: *links };
    let claims = [frame.handed_in_time(handoff), frame.handed_in_order(handoff), frame.handed_within(handoff, depth)];
    claims.into_iter().flatten().collect()
}

impl SystemFrame<'_> {
    /// The value is there before it is taken: the giver runs at least the latency of the way earlier.
    pub fn handed_in_time(&self, handoff: &Handoff) -> Option<Obligation> {
        let least = self.design.least_handoff_delay(handoff, &self.links)?;
        let reader = self.point(handoff.reader, 0);
        let giver = self.giver(handoff, &reader)?;
        let earliest = later(self.time(&giver), &Affine::constant(least));
        Some(self.state(SystemClaim {
            kind: Kind::Handoff,
            of: self.tensor(handoff),
            points: vec![handoff.reader],
            extras: vec![],
            violation: vec![self.inside(&handoff.set, &reader), Formula::before(&self.time(&reader), &earliest)],
            reason: self.too_late(handoff, (&giver, &reader), &earliest, least),
        }))
    }

    /// Of two values that one PE takes, the one taken first is given first.
    pub fn handed_in_order(&self, handoff: &Handoff) -> Option<Obligation> {
        let (first, second) = (self.point(handoff.reader, 0), self.point(handoff.reader, 1));
        let (given, given_after) = (self.giver(handoff, &first)?, self.giver(handoff, &second)?);
        Some(self.state(SystemClaim {
            kind: Kind::HandoffOrder,
            of: self.tensor(handoff),
            points: vec![handoff.reader; 2],
            extras: vec![],
            violation: vec![
                self.inside(&handoff.set, &first),
                self.inside(&handoff.set, &second),
                Formula::same(&self.place(&first), &self.place(&second)),
                Formula::before(&self.time(&first), &self.time(&second)),
                Formula::before(&self.time(&given), &self.time(&given_after)).negate(),
            ],
            reason: self.out_of_order(handoff, [&given, &given_after], [&first, &second]),
        }))
    }

    /// The obligation at the depth that the maps give; a message where that grows with the sizes.
    pub fn handoff_depth(&self, handoff: &Handoff) -> Option<Result<Obligation, Diagnostic>> {
        handoff.given()?;
        let depth = self.design.handoff_depth(handoff, &self.links);
        match depth.and_then(|depth| usize::try_from(depth).ok()).filter(|depth| *depth <= DEEPEST) {
            Some(words) => self.handed_within(handoff, words).map(Ok),
            None => Some(Err(self.growing_handoff(handoff))),
        }
    }

    /// No more than so many words are given and not yet taken.
    fn handed_within(&self, handoff: &Handoff, words: usize) -> Option<Obligation> {
        let points: Vec<SpacePoint> = (0..=words).map(|number| self.point(handoff.reader, number)).collect();
        let clock = self.clock();
        let now: Vec<Affine> = clock.iter().map(Affine::variable).collect();
        let givers: Option<Vec<SpacePoint>> = points.iter().map(|point| self.giver(handoff, point)).collect();
        let givers = givers?;
        let held = points.iter().zip(&givers).map(|(reader, giver)| self.is_under_way(handoff, giver, reader, &now));
        let ordered = givers.windows(2).map(|pair| {
            Formula::All(vec![
                Formula::same(&self.place(&pair[0]), &self.place(&pair[1])),
                Formula::before(&self.time(&pair[0]), &self.time(&pair[1])),
            ])
        });
        Some(self.state(SystemClaim {
            kind: Kind::FifoDepth,
            of: self.tensor(handoff),
            points: vec![handoff.reader; words + 1],
            extras: clock,
            violation: held.chain(ordered).collect(),
            reason: self.too_many(handoff, words, &givers[0]),
        }))
    }

    /// Given and not yet taken at this time; a channel's slot is free only when the sender hears of it.
    fn is_under_way(&self, handoff: &Handoff, giver: &SpacePoint, reader: &SpacePoint, now: &[Affine]) -> Formula {
        let free = later(self.time(reader), &Affine::constant(self.links.response));
        Formula::All(vec![
            self.inside(&handoff.set, reader),
            Formula::before(now, &self.time(giver)).negate(),
            Formula::before(now, &free),
        ])
    }

    fn clock(&self) -> Vec<Name> {
        let rows = self.design.parts.first().map_or(1, |part| part.map.step.rows().len());
        match rows {
            1 => vec![self.fresh("T")],
            _ => (1..=rows).map(|row| self.fresh(&format!("T{row}"))).collect(),
        }
    }

    fn giver(&self, handoff: &Handoff, reader: &SpacePoint) -> Option<SpacePoint> {
        match &handoff.giver {
            Giver::Point { space, at, .. } => Some(self.point_at(*space, at, reader)),
            Giver::Known(_) => None,
        }
    }

    fn tensor(&self, handoff: &Handoff) -> Name {
        self.space(handoff.reader).operands[handoff.operand].tensor.clone()
    }

    fn too_late(
        &self,
        handoff: &Handoff,
        (giver, reader): (&SpacePoint, &SpacePoint),
        earliest: &[Affine],
        least: i64,
    ) -> Reason {
        let (of, giving, reading) = self.names(handoff);
        let (available, needed) = sides(
            &Side {
                what: "available at",
                time: super::wording::tuple(earliest),
                rest: format!("{of} from `{giving}` on {}", self.show_pe(giver)),
            },
            &Side {
                what: "needed at",
                time: self.show_time(reader),
                rest: format!("by `{reading}` on {}", self.show_pe(reader)),
            },
        );
        Reason {
            broken: format!("`{reading}` takes {of} before `{giving}` has given it"),
            blame: match giving == reading {
                true => format!("leaves {of} too little time to the point of `{reading}` that takes it"),
                false => format!("runs `{reading}` too early after `{giving}`, or `{giving}` too late"),
            },
            available,
            needed,
            help: match giving == reading {
                true => format!("every schedule needs {least} or more from the time of {of} to its use"),
                false => format!("every schedule needs time({reading}) - time({giving}) >= {least} there"),
            },
        }
    }

    fn out_of_order(&self, handoff: &Handoff, given: [&SpacePoint; 2], taken: [&SpacePoint; 2]) -> Reason {
        let (of, giving, reading) = self.names(handoff);
        let order = |points: [&SpacePoint; 2]| {
            format!("t = {} before {}", self.show_time(points[0]), self.show_time(points[1]))
        };
        Reason {
            broken: format!("`{reading}` does not take {of} in the order in which `{giving}` gives it"),
            blame: format!("runs `{reading}` against the order of `{giving}`"),
            available: format!("taken at      {} on {}", order(taken), self.show_pe(taken[0])),
            needed: format!("to be given   {} on {}", order(given), self.show_pe(given[0])),
            help: "turn the order of one of the two spaces, or choose another place".to_owned(),
        }
    }

    fn too_many(&self, handoff: &Handoff, depth: usize, giver: &SpacePoint) -> Reason {
        let (of, giving, reading) = self.names(handoff);
        Reason {
            broken: format!("a channel of depth {depth} is too small for {of} between `{giving}` and `{reading}`"),
            blame: format!("lets `{giving}` give {of} while too many words wait"),
            available: format!("there is      room for {depth}"),
            needed: format!("needed        room for {}, given from t = {} on", depth + 1, self.show_time(giver)),
            help: format!("let `{reading}` follow `{giving}` sooner"),
        }
    }

    fn growing_handoff(&self, handoff: &Handoff) -> Diagnostic {
        let (of, giving, reading) = self.names(handoff);
        let reader = self.space(handoff.reader);
        Diagnostic::new(format!("{of} needs a FIFO that grows with the sizes between `{giving}` and `{reading}`"))
            .label(&reader.source, reader.operands[handoff.operand].span, "taken here")
            .note("a PE gives a number of words that depends on the sizes before the first is taken")
            .help("choose times in which the reader follows the giver in a fixed number of steps")
    }

    /// What is handed, by which space, to which.
    fn names(&self, handoff: &Handoff) -> (String, Name, Name) {
        let operand = &self.space(handoff.reader).operands[handoff.operand];
        let subscripts: Vec<String> = operand.access.iter().map(|form| form.to_string().replace(' ', "")).collect();
        let element = format!("{}[{}]", operand.tensor, subscripts.join(","));
        let giving = match handoff.given() {
            Some((space, Field::Result)) => self.space(space).name.clone(),
            Some((space, Field::Operand(_))) => self.space(space).name.clone(),
            None => operand.tensor.clone(),
        };
        (element, giving, self.space(handoff.reader).name.clone())
    }
}

/// The deepest channel for which words are told apart one by one.
const DEEPEST: usize = 64;
