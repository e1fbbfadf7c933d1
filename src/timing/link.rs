//! Link conflicts: no link and no bus carries two words at one time.
//!
//! A word of a flow leaves `P x` at `t(x)` and takes the axes of its displacement in order, a hop each latency. All
//! words of a flow travel alike, so two of them meet on a link exactly when one leaves `q` hops down the route of the
//! other, on a stretch along one axis, and `q` latencies later. A broadcast drives the whole bus through its head's PE
//! in the direction `P d`, so two lines must not drive one bus at one time.

use super::frame::{Claim, Frame, Point, displaced, later};
use super::wording::{Side, sides};
use super::{Formula, Kind, Obligation, Reason};
use crate::integer::{Affine, Name, primitive};
use crate::mapping::Flow;

impl Frame<'_> {
    /// The obligation of one moving flow.
    pub fn link_conflict(&self, flow: &Flow) -> Obligation {
        let (x, y) = (self.point(0), self.point(1));
        let longest = flow.displacement.iter().map(|entry| entry.abs()).max().unwrap_or(0);
        let hops = (longest > 1).then(|| self.fresh("q"));
        let meet = match &hops {
            None => self.leave_together(&x, &y),
            Some(hops) => self.meet_on_route(flow, &Affine::variable(hops)),
        };
        self.state(Claim {
            kind: Kind::LinkConflict,
            of: flow.of.clone(),
            points: 2,
            extras: hops.into_iter().collect(),
            violation: vec![
                self.sends(&flow.set, &x, &flow.direction),
                self.sends(&flow.set, &y, &flow.direction),
                meet,
            ],
            reason: self.two_words(&flow.of, &flow.direction, "link"),
        })
    }

    /// The obligation of the operand at `position`, broadcast along `direction`.
    pub fn bus_conflict(&self, position: usize, direction: &[i64]) -> Obligation {
        let (h, other) = (self.point(0), self.point(1));
        let set = &self.space().domain.set;
        let of = &self.space().operands[position].tensor;
        let apart = self.fresh("m");
        let along = primitive(&self.design.map.displacement(direction));
        let on_bus = displaced(self.place(&h), &along, &Affine::variable(&apart));
        self.state(Claim {
            kind: Kind::LinkConflict,
            of: of.clone(),
            points: 2,
            extras: vec![apart],
            violation: vec![
                self.at_head(set, &h, direction),
                self.at_head(set, &other, direction),
                h.before(&other),
                Formula::same(&self.place(&other), &on_bus),
                Formula::same(&self.time(&other), &self.time(&h)),
            ],
            reason: self.two_words(of, direction, "bus"),
        })
    }

    /// The obligation of the operand at `position`, which comes to all PEs over one bus: every word has its own time.
    pub fn one_bus_conflict(&self, position: usize) -> Obligation {
        let (x, y) = (self.point(0), self.point(1));
        let set = &self.space().domain.set;
        let of = &self.space().operands[position].tensor;
        self.state(Claim {
            kind: Kind::LinkConflict,
            of: of.clone(),
            points: 2,
            extras: vec![],
            violation: vec![
                self.inside(set, &x),
                self.inside(set, &y),
                x.before(&y),
                Formula::same(&self.time(&x), &self.time(&y)),
            ],
            reason: self.two_readers(position),
        })
    }

    fn two_readers(&self, position: usize) -> Reason {
        let of = &self.space().operands[position].tensor;
        let word = |number: usize| {
            let point = self.point(number);
            let value = self.show_operand(position, &point);
            (self.show_time(&point), format!("{value} for {}", self.show_pe(&point)))
        };
        let ((one_time, one), (other_time, other)) = (word(0), word(1));
        let (available, needed) = sides(
            &Side { what: "one word at", time: one_time, rest: one },
            &Side { what: "another at", time: other_time, rest: other },
        );
        Reason {
            broken: format!("two words of `{of}` are on one bus at one time"),
            blame: format!("lets two words of {of} meet on a bus"),
            available,
            needed,
            help: format!("give each PE a port of its own with `feed {of}`, or a `time` at which one point alone runs"),
        }
    }

    fn leave_together(&self, x: &Point, y: &Point) -> Formula {
        Formula::All(vec![
            x.before(y),
            Formula::same(&self.place(x), &self.place(y)),
            Formula::same(&self.time(x), &self.time(y)),
        ])
    }

    /// Point 0 leaves `hops` hops down the route of point 1, which is there at that moment.
    fn meet_on_route(&self, flow: &Flow, hops: &Affine) -> Formula {
        let (x, y) = (self.point(0), self.point(1));
        let time = later(self.time(&y), &(hops.clone() * self.links.latency));
        let stretches = flow.displacement.iter().enumerate().filter(|(_, entry)| **entry != 0);
        let on_stretch = stretches.map(|(axis, entry)| {
            let step: Vec<i64> =
                (0..flow.displacement.len()).map(|other| if other == axis { entry.signum() } else { 0 }).collect();
            Formula::All(vec![
                Formula::at_least(&Affine::constant(entry.abs() - 1), hops),
                Formula::same(&self.place(&x), &displaced(self.place(&y), &step, hops)),
            ])
        });
        Formula::All(vec![
            Formula::at_least(hops, &Affine::constant(0)),
            Formula::Any(vec![Formula::at_least(hops, &Affine::constant(1)), x.before(&y)]),
            Formula::Any(on_stretch.collect()),
            Formula::same(&self.time(&x), &time),
        ])
    }

    fn two_words(&self, of: &Name, direction: &[i64], carrier: &str) -> Reason {
        let along = self.show_along(direction);
        let word = |number: usize| {
            let point = self.point(number);
            (self.show_time(&point), format!("from {} along {along}", self.show_pe(&point)))
        };
        let ((one_time, one), (other_time, other)) = (word(0), word(1));
        let (available, needed) = sides(
            &Side { what: "one word at", time: one_time, rest: one },
            &Side { what: "another at", time: other_time, rest: other },
        );
        Reason {
            broken: format!("two words of `{of}` are on one {carrier} at one time"),
            blame: format!("lets two words of {of} meet on a {carrier}"),
            available,
            needed,
            help: format!("choose another direction for `{of}`, or a `time` that keeps its words apart"),
        }
    }
}
