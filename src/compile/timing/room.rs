//! Room: what a PE keeps is not kept over while it is still to be read.
//!
//! Where a tensor has room for fewer words than elements, elements take turns in a word: those whose subscripts agree modulo the
//! words of each dimension that has fewer, and agree in the others. An element holds its word from the point that keeps it to the
//! last that reads it. A point takes its operands before it keeps its result, so a word may be used again in the step of its last
//! load; of several operations that share a step each comes in its turn. Partial results hold a word from each point of their
//! line to the next.

use super::frame::Claim;
use super::handoff::Handed;
use super::system_frame::{SpacePoint, SystemFrame};
use super::wording::{Side, sides};
use crate::mapping::{Carrier, Design, Handoff, show_words};
use systole_base::diagnostic::Checked;
use systole_base::integer::{Affine, Name};
use systole_base::network::Links;
use systole_program::obligation::{Formula, Kind, Obligation, Reason};

/// The claims that the room of a design is enough; none where each element has a word of its own.
///
/// # Errors
/// As for [`Design::handoffs`].
pub fn room_obligations(design: &Design, links: &Links) -> Checked<Vec<Obligation>> {
    if design.rooms.is_none() {
        return Ok(vec![]);
    }
    let frame = SystemFrame { design, links: *links };
    Ok(frame.rooms(&design.handoffs(links.network)?))
}

/// A word that is held: by the element that a point works on, from there until another point reads it.
struct Held {
    /// Where it is kept.
    from: SpacePoint,
    /// Where it is read.
    until: SpacePoint,
    /// The element.
    element: Vec<Affine>,
    /// What holds of the points.
    laws: Vec<Formula>,
    /// Variables beside the points.
    extras: Vec<Name>,
}

impl SystemFrame<'_> {
    /// All claims about what is kept, of the tensors that have less room than elements.
    pub fn rooms(&self, handoffs: &[Handoff]) -> Vec<Obligation> {
        let kept = handoffs.iter().filter(|handoff| handoff.carrier() == Some(&Carrier::Kept));
        let kept = kept.filter_map(|handoff| {
            let tensor = self.tensor(handoff);
            let words = self.design.rooms.of(&tensor)?;
            let writers = (0..self.design.parts.len()).filter(|space| self.space(*space).output == tensor);
            Some(writers.filter_map(|writer| self.kept_over(handoff, writer, words)).collect::<Vec<_>>())
        });
        kept.flatten().chain((0..self.design.parts.len()).flat_map(|space| self.partials_kept_over(space))).collect()
    }

    /// No result of `writer` is kept in the word of an element that is still to be read.
    fn kept_over(&self, handoff: &Handoff, writer: usize, words: &[Option<i64>]) -> Option<Obligation> {
        let Handed { reader, giver, laws, quotients } = self.handed(handoff, 0)?;
        let operand = &self.space(handoff.reader).operands[handoff.operand];
        let held = Held {
            from: giver,
            element: self.at(&operand.access, &reader),
            laws: vec![laws],
            until: reader,
            extras: quotients,
        };
        let other = self.point(writer, 1);
        let mut stores = vec![self.inside(&self.space(writer).domain.set, &other)];
        stores.extend(self.design.parts[writer].dataflow.chain.directions.iter().map(|along| {
            let next = self.moved(&other, along);
            self.inside(&self.space(writer).domain.set, &next).negate()
        }));
        Some(self.not_kept_over(&operand.tensor, words, held, (&other, stores)))
    }

    /// No partial result of a space is kept in the word of one that is still to be added to.
    fn partials_kept_over(&self, space: usize) -> Vec<Obligation> {
        let tensor = &self.space(space).output;
        let Some(words) = self.design.rooms.of(tensor) else { return vec![] };
        let flows = self.design.alone(space).flows().unwrap_or_default();
        let kept = flows.iter().filter(|flow| flow.is_kept).map(|flow| {
            let (point, other) = (self.point(space, 0), self.point(space, 1));
            let passes = |point: &SpacePoint| {
                let next = self.moved(point, &flow.direction);
                Formula::All(vec![self.inside(&flow.set, point), self.inside(&flow.set, &next)])
            };
            let held = Held {
                until: self.moved(&point, &flow.direction),
                element: self.at(&self.space(space).output_access, &point),
                laws: vec![passes(&point)],
                from: point,
                extras: vec![],
            };
            self.not_kept_over(tensor, words, held, (&other, vec![passes(&other)]))
        });
        kept.collect()
    }

    /// No other point keeps another element in the word while it is held.
    fn not_kept_over(
        &self,
        tensor: &Name,
        words: &[Option<i64>],
        held: Held,
        (other, stores): (&SpacePoint, Vec<Formula>),
    ) -> Obligation {
        let element = self.at(&self.space(other.space).output_access, other);
        let (one_word, turns) = self.in_one_word(words, &held.element, &element);
        let (one_pe, blocks) = self.within_block(&[held.from.clone(), other.clone()]);
        let differ = held.element.iter().zip(&element).map(|(one, other)| Formula::differ(one, other)).collect();
        let between = [self.runs_before(&held.from, other), self.runs_before(other, &held.until)];
        let reason = self.kept_over_reason(tensor, words, &held, (other, &element));
        self.state(Claim {
            kind: Kind::Room,
            of: tensor.clone(),
            points: vec![held.until.space, other.space],
            extras: held.extras.into_iter().chain(blocks).chain(turns).collect(),
            violation: held
                .laws
                .into_iter()
                .chain(stores)
                .chain(between)
                .chain([one_pe, Formula::Any(differ), one_word])
                .collect(),
            reason,
        })
    }

    /// Two elements have one word: with how many turns of it lie between them, along each dimension that has fewer words.
    fn in_one_word(&self, words: &[Option<i64>], one: &[Affine], other: &[Affine]) -> (Formula, Vec<Name>) {
        let mut turns = vec![];
        let along = |((one, other), words): ((&Affine, &Affine), &Option<i64>)| match words {
            None => Formula::equal(one, other),
            Some(words) => {
                let turn = self.fresh(&format!("u{}", turns.len() + 1));
                let apart = Affine::term(&turn, *words);
                turns.push(turn);
                Formula::equal(other, &(one.clone() + apart))
            }
        };
        let laws = one.iter().zip(other).zip(words).map(along).collect();
        (Formula::All(laws), turns)
    }

    /// Whether a PE runs one point before another: at an earlier time, or in an earlier turn of one step.
    fn runs_before(&self, one: &SpacePoint, other: &SpacePoint) -> Formula {
        let (first, second) = (self.time(one), self.time(other));
        match self.design.comes_first(one.space, other.space) {
            true => Formula::before(&second, &first).negate(),
            false => Formula::before(&first, &second),
        }
    }

    fn kept_over_reason(
        &self,
        tensor: &Name,
        words: &[Option<i64>],
        held: &Held,
        (other, element): (&SpacePoint, &[Affine]),
    ) -> Reason {
        let show = |element: &[Affine]| {
            let subscripts: Vec<String> = element.iter().map(Affine::compact).collect();
            format!("{tensor}[{}]", subscripts.join(","))
        };
        let (kept, over) = (show(&held.element), show(element));
        let (storing, reading) = (&self.space(other.space).name, &self.space(held.until.space).name);
        let (available, needed) = sides(
            &Side {
                what: "kept over at",
                time: self.show_time(other),
                rest: format!("by {over} of `{storing}` on {}", self.show_pe(other)),
            },
            &Side {
                what: "needed at",
                time: self.show_time(&held.until),
                rest: format!("{kept} by `{reading}` on {}", self.show_pe(&held.until)),
            },
        );
        let room = show_words(words);
        Reason {
            broken: format!("a room of ({room}) is too small for `{tensor}`"),
            blame: format!("keeps {over} in the word of {kept}, which is still to be read"),
            available,
            needed,
            help: format!("give `{tensor}` more words along a dimension, or `_` for a word for each subscript"),
            moments: vec![self.moment("kept over", other), self.moment("needed", &held.until)],
        }
    }
}
