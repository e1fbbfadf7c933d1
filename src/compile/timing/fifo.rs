//! FIFO depth: a channel of the stated depth never has to hold more words.
//!
//! A word of a flow along `d` holds a slot of its channel from its send at `t(z)` until `response` cycles after its
//! receive at `t(z + d)`. The claim for depth `B` is broken by `B + 1` words of one channel that hold slots at one time
//! `T`. A value that stays on its PE lives in a register, which is the same with depth 1 and no response: it is read
//! and written in one cycle. Partial results that wait in a scratchpad have an entry each: that of their element.

use super::frame::{Claim, Frame, Point, later};
use super::wording::tuple;
use crate::mapping::{Flow, MappedSpace};
use systole_base::diagnostic::Diagnostic;
use systole_base::integer::{Affine, Name};
use systole_base::network::Links;
use systole_program::obligation::{Formula, Kind, Obligation, Reason};

/// The deepest channel for which words are told apart one by one.
pub const DEEPEST: usize = 64;

/// The claim that channels of `depth` words are enough for `flow`; `response` is ignored where the value stays.
///
/// Fails where `depth` is beyond what is proved word by word.
pub fn fifo_depth_obligation(
    design: &MappedSpace,
    flow: &Flow,
    depth: u64,
    response: i64,
) -> Result<Obligation, Diagnostic> {
    let links = Links { response, ..Links::default() };
    Frame::new(design, &links).depth_is_enough(flow, depth)
}

impl Frame<'_> {
    /// The obligation of one flow, at the depth its map gives; a message where that grows with the sizes.
    pub fn fifo_depth(&self, flow: &Flow) -> Result<Obligation, Diagnostic> {
        if flow.is_stationary() {
            return self.depth_is_enough(flow, 1);
        }
        let depth = flow.depth(self.links.response).ok_or_else(|| self.growing_fifo(flow))?;
        self.depth_is_enough(flow, depth)
    }

    fn depth_is_enough(&self, flow: &Flow, depth: u64) -> Result<Obligation, Diagnostic> {
        let words = told_apart(&flow.of, depth)? + 1;
        let points: Vec<Point> = (0..words).map(|number| self.point(number)).collect();
        let clock = self.clock();
        let time: Vec<Affine> = clock.iter().map(Affine::variable).collect();
        let holding = points.iter().map(|point| self.holds_slot(flow, point, &time));
        let ordered = points.windows(2).map(|pair| self.follows(&pair[0], &pair[1]));
        let shared = points.windows(2).filter(|_| flow.is_kept).map(|pair| self.share_element(&pair[0], &pair[1]));
        Ok(self.state(Claim {
            kind: Kind::FifoDepth,
            of: flow.of.clone(),
            points: words,
            extras: clock,
            violation: holding.chain(ordered).chain(shared).collect(),
            reason: self.too_shallow(flow, depth, &points),
        }))
    }

    /// When the slot of the word that leaves `point` is free again.
    fn freed(&self, flow: &Flow, point: &Point) -> Vec<Affine> {
        let response = if flow.is_stationary() { 0 } else { self.links.response };
        later(self.time(&point.moved(&flow.direction, 1)), &Affine::constant(response))
    }

    fn holds_slot(&self, flow: &Flow, point: &Point, now: &[Affine]) -> Formula {
        let free = self.freed(flow, point);
        Formula::All(vec![
            self.sends(&flow.set, point, &flow.direction),
            Formula::before(now, &self.time(point)).negate(),
            Formula::before(now, &free),
        ])
    }

    /// Both words leave one PE, `late` after `early`.
    pub fn follows(&self, early: &Point, late: &Point) -> Formula {
        Formula::All(vec![
            Formula::same(&self.place(early), &self.place(late)),
            Formula::before(&self.time(early), &self.time(late)),
        ])
    }

    /// Both points are of one element of the result.
    fn share_element(&self, one: &Point, other: &Point) -> Formula {
        let element = |point: &Point| self.access(&self.space().output_access, point);
        Formula::same(&element(one), &element(other))
    }

    fn too_shallow(&self, flow: &Flow, depth: u64, points: &[Point]) -> Reason {
        let (of, along) = (&flow.of, self.show_along(&flow.direction));
        let store = match (flow.is_kept, flow.is_stationary()) {
            (true, _) => "scratchpad with one entry an element".to_owned(),
            (_, true) => "register".to_owned(),
            _ => format!("channel of depth {depth}"),
        };
        let from = self.show_time(&self.point(0));
        let until = tuple(&self.freed(flow, &self.point(0)));
        let words = depth.saturating_add(1);
        Reason {
            broken: format!("a {store} is too small for `{of}`"),
            blame: format!("sends a word of {of} along {along} while too many are on the way"),
            available: format!("there is      room for {depth} on the way along {along}"),
            needed: format!("needed        room for {words}, each held from t = {from} to before t = {until}"),
            help: self.enough(flow),
            moments: points.iter().map(|point| self.moment("sent", point)).collect(),
        }
    }

    /// What to do where a channel is too small for a flow.
    pub fn enough(&self, flow: &Flow) -> String {
        let (of, along) = (&flow.of, self.show_along(&flow.direction));
        match flow.depth(self.links.response) {
            _ if flow.is_stationary() => {
                format!("let the points of a line along {along} follow each other on their PE, or let `{of}` move")
            }
            Some(enough) => format!("depth {enough} is enough, for every size"),
            None => "no depth is enough for every size: choose another `time`".to_owned(),
        }
    }

    /// No number of slots is enough.
    pub fn growing_fifo(&self, flow: &Flow) -> Diagnostic {
        let along = self.space().show_direction(&flow.direction);
        Diagnostic::new(format!("`{}` needs a FIFO that grows with the sizes along {along}", flow.of))
            .note("a PE sends a number of words that depends on the sizes before the first is received")
            .help("choose a `time` in which the receiver follows the sender in a fixed number of steps")
    }
}

/// The depth of a channel whose words are told apart; a message where there are too many.
pub(super) fn told_apart(of: &Name, depth: u64) -> Result<usize, Diagnostic> {
    usize::try_from(depth).ok().filter(|words| *words <= DEEPEST).ok_or_else(|| too_deep(of, depth))
}

/// A channel of this depth is beyond what is proved.
fn too_deep(of: &Name, depth: u64) -> Diagnostic {
    Diagnostic::new(format!("`{of}` needs a FIFO of depth {depth}, and no more than {DEEPEST} is proved"))
        .help("choose a `time` with smaller coefficients")
}
