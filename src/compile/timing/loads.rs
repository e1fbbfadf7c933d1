//! Load depth: as many loads of an operand as are stated may be outstanding, and the word of each is there when its point runs.
//!
//! Words are asked for in the order in which a PE takes them. With `B` outstanding the word of a point is asked for in the cycle after
//! the PE took the `B`-th word before, so with a latency of `L` cycles a word is late only where `B + 1` points of a PE load within
//! `L + 1` steps. Two of them that follow each other are then fewer than `(L + 1) / B` steps apart. That no two are is the claim: it
//! tells two points apart, however many `B` is, and asks too much only where a PE loads fewer than `B + 1` words in all sizes.
//! On one bus from memory all words are loaded by the feeder, whichever PE listens.

use super::frame::{Claim, Frame, Point, later};
use crate::mapping::{Design, MappedSpace};
use crate::rewrite::Transport;
use systole_base::diagnostic::counted;
use systole_base::integer::Affine;
use systole_base::network::Links;
use systole_program::obligation::{Formula, Kind, Obligation, Reason};

/// The claim that so many loads of the operand at this position are enough on links whose memory has this latency.
pub fn load_depth_obligation(design: &MappedSpace, operand: usize, links: &Links, outstanding: u64) -> Obligation {
    Frame::new(design, links).loads_within(operand, outstanding)
}

/// That the latency of memory is hidden by the loads that a PE has outstanding, as many of each operand as are enough or as are given;
/// nothing where there is no latency.
pub fn load_depth_obligations(design: &Design, links: &Links, outstanding: Option<u64>) -> Vec<Obligation> {
    let latency = links.load_latency();
    let of_operand = |(space, operand): (usize, usize)| {
        let enough = || design.outstanding_of((space, operand), latency);
        load_depth_obligation(&design.alone(space), operand, links, outstanding.unwrap_or_else(enough))
    };
    design.loads().filter(|_| latency > 0).map(of_operand).collect()
}

impl Frame<'_> {
    fn loads_within(&self, operand: usize, outstanding: u64) -> Obligation {
        let (x, y) = (self.point(0), self.point(1));
        let taken_in = self.links.load_latency().saturating_add(1);
        let apart = i64::try_from(taken_in.div_ceil(outstanding.max(1))).unwrap_or(i64::MAX);
        let too_soon = later(self.time(&x), &Affine::constant(apart));
        let is_fed = self.design.dataflow.transports[operand] == Transport::Bus;
        let one_pe = (!is_fed).then(|| Formula::same(&self.place(&x), &self.place(&y)));
        let follow = [Formula::before(&self.time(&x), &self.time(&y)), Formula::before(&self.time(&y), &too_soon)];
        self.state(Claim {
            kind: Kind::LoadDepth,
            of: self.space().operands[operand].tensor.clone(),
            points: 2,
            extras: vec![],
            violation: [self.loads(operand, &x), self.loads(operand, &y)]
                .into_iter()
                .chain(one_pe)
                .chain(follow)
                .collect(),
            reason: self.asks_too_late(operand, outstanding, apart),
        })
    }

    /// The point takes the operand from memory: it is the head of its line, along each direction in which the operand travels.
    fn loads(&self, operand: usize, point: &Point) -> Formula {
        let set = &self.space().domain.set;
        let directions = self.design.dataflow.transports[operand].directions().iter();
        let heads = directions.map(|along| self.at_head(set, point, along));
        Formula::All([self.inside(set, point)].into_iter().chain(heads).collect())
    }

    fn asks_too_late(&self, operand: usize, outstanding: u64, apart: i64) -> Reason {
        let (x, y) = (self.point(0), self.point(1));
        let of = &self.space().operands[operand].tensor;
        let enough = self.design.outstanding(operand, self.links.load_latency());
        Reason {
            broken: format!("{} of `{of}` outstanding cannot hide the latency of memory", loads(outstanding)),
            blame: format!("lets a PE load words of {of} in steps that are fewer than {apart} apart"),
            available: format!("there is      time where loads of a PE are {} apart", counted(apart, "step")),
            needed: format!("needed        one at t = {}, the next at t = {}", self.show_time(&x), self.show_time(&y)),
            help: format!("{} are enough, for every size", loads(enough)),
            moments: vec![self.moment("one load", &x), self.moment("the next", &y)],
        }
    }
}

fn loads(count: u64) -> String {
    counted(count, "load")
}
