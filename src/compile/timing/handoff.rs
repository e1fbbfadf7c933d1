//! Handoffs: what a point takes from another space has been given, through a channel that is deep enough, whose words do
//! not meet on their way.
//!
//! That a PE takes the words of a handoff in the order in which they are given needs no obligation: it follows from the
//! others. A handoff moves by one vector, so what a PE takes all comes from one PE, and a giving point has one reader, or
//! there is no depth ([`Design::handoff_depth`]). Where that PE gives one word, there is no order. Where it gives
//! several, there is a depth only if the time from giving to taking is constant on the handoff's set; adding a constant
//! vector keeps the lexicographic order, and `pe-conflict` says that no two words are given at one time. Where
//! there is no depth, nothing is stated and the design is refused.

use super::fifo::told_apart;
use super::frame::{Claim, later, marked};
use super::system_frame::{SpacePoint, SystemFrame};
use super::wording::{Side, sides};
use crate::mapping::{Design, Giver, Handoff};
use systole_base::diagnostic::Diagnostic;
use systole_base::integer::{Affine, Name};
use systole_base::network::Links;
use systole_program::obligation::{Formula, Kind, Moment, Obligation, Reason};

/// The claims about one handoff whose channel has room for `depth` words: in time, apart on the way, never too many. A
/// value that is known makes no claim, nor does one that is too far away for the network.
pub fn handoff_obligations(design: &Design, links: &Links, handoff: &Handoff, depth: usize) -> Vec<Obligation> {
    let frame = SystemFrame { design, links: *links };
    let apart = frame.handoff_link_conflict(handoff);
    let claims = [frame.handed_in_time(handoff), apart, frame.handed_within(handoff, depth)];
    claims.into_iter().flatten().collect()
}

/// A point that reads a handed value, and the one that gives it.
pub struct Handed {
    /// Who reads.
    pub reader: SpacePoint,
    /// Who gives.
    pub giver: SpacePoint,
    /// That the reader reads it, and what holds of the quotients.
    pub laws: Formula,
    /// The quotients that stand in the others.
    pub quotients: Vec<Name>,
}

impl SystemFrame<'_> {
    /// The reader of this number with its giver; `None` where the value is known. Each reader has quotients of its own.
    pub fn handed(&self, handoff: &Handoff, number: usize) -> Option<Handed> {
        let reader = self.point(handoff.reader, number);
        let Giver::Point { space, at, .. } = &handoff.giver else { return None };
        let quotients: Vec<&Name> = handoff.quotients.iter().map(|division| &division.quotient).collect();
        let own: Vec<Name> = quotients.iter().map(|quotient| marked(quotient, number)).collect();
        let mut image = self.image(&reader);
        image.extend(quotients.into_iter().cloned().zip(own.iter().map(Affine::variable)));
        let giver = SpacePoint { space: *space, coordinates: at.iter().map(|form| form.substitute(&image)).collect() };
        let laws = handoff.divided_set();
        let laws = laws.constraints().iter().map(|form| Formula::AtLeastZero(form.substitute(&image))).collect();
        Some(Handed { reader, giver, laws: Formula::All(laws), quotients: own })
    }

    /// The value is there before it is taken: the giver runs at least the latency of the way earlier.
    pub fn handed_in_time(&self, handoff: &Handoff) -> Option<Obligation> {
        let least = self.design.least_handoff_delay(handoff, &self.links)?;
        let Handed { reader, giver, laws, quotients } = self.handed(handoff, 0)?;
        let earliest = later(self.time(&giver), &Affine::constant(least));
        Some(self.state(Claim {
            kind: Kind::Handoff,
            of: self.tensor(handoff),
            points: vec![handoff.reader],
            extras: quotients,
            violation: vec![laws, Formula::before(&self.time(&reader), &earliest)],
            reason: self.too_late(handoff, (&giver, &reader), &earliest, least),
        }))
    }

    /// The obligation at the depth that the maps give; a message where that grows with the sizes.
    pub fn handoff_depth(&self, handoff: &Handoff) -> Option<Result<Obligation, Diagnostic>> {
        handoff.given()?;
        match self.design.handoff_depth(handoff, &self.links) {
            Some(depth) => self.handoff_within(handoff, depth),
            None => Some(Err(self.growing_handoff(handoff))),
        }
    }

    /// The obligation that a channel of this depth is enough.
    pub fn handoff_within(&self, handoff: &Handoff, depth: u64) -> Option<Result<Obligation, Diagnostic>> {
        match told_apart(&self.tensor(handoff), depth) {
            Ok(words) => self.handed_within(handoff, words).map(Ok),
            Err(problem) => Some(Err(problem)),
        }
    }

    /// No more than so many words are given and not yet taken.
    fn handed_within(&self, handoff: &Handoff, words: usize) -> Option<Obligation> {
        let all: Vec<Handed> = (0..=words).map(|number| self.handed(handoff, number)).collect::<Option<_>>()?;
        let clock = self.clock();
        let now: Vec<Affine> = clock.iter().map(Affine::variable).collect();
        let held = all.iter().map(|handed| self.is_under_way(handed, &now));
        let ordered = all.windows(2).map(|pair| self.follows(&pair[0].giver, &pair[1].giver));
        let givers: Vec<SpacePoint> = all.iter().map(|handed| handed.giver.clone()).collect();
        let quotients = all.iter().flat_map(|handed| handed.quotients.iter().cloned());
        Some(self.state(Claim {
            kind: Kind::FifoDepth,
            of: self.tensor(handoff),
            points: vec![handoff.reader; words + 1],
            extras: quotients.chain(clock).collect(),
            violation: held.chain(ordered).collect(),
            reason: self.too_many(handoff, words, &givers),
        }))
    }

    /// Given and not yet taken at this time; a channel's slot is free only when the sender hears of it.
    fn is_under_way(&self, handed: &Handed, now: &[Affine]) -> Formula {
        let free = later(self.time(&handed.reader), &Affine::constant(self.links.handoff_response()));
        Formula::All(vec![
            handed.laws.clone(),
            Formula::before(now, &self.time(&handed.giver)).negate(),
            Formula::before(now, &free),
        ])
    }

    pub fn tensor(&self, handoff: &Handoff) -> Name {
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
            moments: vec![
                Moment { what: "available", place: self.place(giver), time: earliest.to_vec() },
                self.moment("needed", reader),
            ],
        }
    }

    fn too_many(&self, handoff: &Handoff, depth: usize, givers: &[SpacePoint]) -> Reason {
        let (of, giving, reading) = self.names(handoff);
        Reason {
            broken: format!("a channel of depth {depth} is too small for {of} between `{giving}` and `{reading}`"),
            blame: format!("lets `{giving}` give {of} while too many words wait"),
            available: format!("there is      room for {depth}"),
            needed: format!("needed        room for {}, given from t = {} on", depth + 1, self.show_time(&givers[0])),
            help: format!("let `{reading}` follow `{giving}` sooner"),
            moments: givers.iter().map(|giver| self.moment("given", giver)).collect(),
        }
    }

    /// No number of slots is enough.
    pub fn growing_handoff(&self, handoff: &Handoff) -> Diagnostic {
        let (of, giving, reading) = self.names(handoff);
        let reader = self.space(handoff.reader);
        Diagnostic::new(format!("{of} needs a FIFO that grows with the sizes between `{giving}` and `{reading}`"))
            .label(&reader.source, reader.operands[handoff.operand].span, "taken here")
            .note("a PE gives a number of words that depends on the sizes before the first is taken")
            .help("choose times in which the reader follows the giver in a fixed number of steps")
    }

    /// What is handed, by which space, to which.
    pub fn names(&self, handoff: &Handoff) -> (String, Name, Name) {
        let operand = &self.space(handoff.reader).operands[handoff.operand];
        let subscripts: Vec<String> = operand.access.iter().map(|form| form.compact()).collect();
        let element = format!("{}[{}]", operand.tensor, subscripts.join(","));
        let giving = handoff.given().map_or(&operand.tensor, |(space, _)| &self.space(space).name).clone();
        (element, giving, self.space(handoff.reader).name.clone())
    }
}
