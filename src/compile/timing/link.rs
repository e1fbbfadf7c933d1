//! Link conflicts: no link and no bus carries two words at one time.
//!
//! Each flow and each handoff has links of its own, as it has channels of its own, so only words of one of them can meet. A
//! word of a flow leaves `P x` at `t(x)` and takes the axes of its displacement in order, a hop each latency. All
//! words of a flow travel alike, so two of them meet on a link exactly when one leaves `q` hops down the route of the
//! other, on a stretch along one axis, and `q` latencies later. The same holds of a handoff, whose words leave where and
//! when their givers run. A broadcast drives the whole bus through its head's PE in the direction `P d`, so two lines must
//! not drive one bus at one time.

use super::frame::{Claim, Frame, Point, displaced, later};
use super::system_frame::{SpacePoint, SystemFrame};
use super::wording::{Side, sides};
use crate::mapping::clock::Clock;
use crate::mapping::{Flow, Handoff};
use systole_base::integer::{Affine, Name, primitive};
use systole_program::obligation::{Formula, Kind, Moment, Obligation, Reason};

impl Frame<'_> {
    /// The obligation of one moving flow.
    pub fn link_conflict(&self, flow: &Flow) -> Obligation {
        let (x, y) = (self.point(0), self.point(1));
        let longest = flow.displacement.iter().map(|entry| entry.abs()).max().unwrap_or(0);
        let hops = (longest > 1).then(|| self.fresh("q"));
        let meet = match &hops {
            None => self.leave_together(&x, &y),
            Some(hops) => self.meet_or_leave_together(flow, &Affine::variable(hops)),
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
                Formula::Any(
                    [Formula::same(&self.time(&other), &self.time(&h))]
                        .into_iter()
                        .chain(self.rows_overlap(&h, &other))
                        .chain(self.rows_overlap(&other, &h))
                        .collect(),
                ),
            ],
            reason: self.two_words(of, direction, "bus"),
        })
    }

    /// That the row of `later` may begin on its PE before `earlier` runs on another one: a row takes as long as one PE is busy in it, so
    /// PEs may be in different rows at one time.
    fn rows_overlap(&self, earlier: &Point, later: &Point) -> Option<Formula> {
        let clock = Clock::new(self.space(), &self.design.map)?;
        let (from, to) = (self.time(earlier), self.time(later));
        let (Some((inner, outer)), Some((next, next_outer))) = (from.split_last(), to.split_last()) else {
            return None;
        };
        let ahead = inner.clone() - next.clone();
        Some(Formula::All(vec![Formula::before(outer, next_outer), Formula::at_least(&ahead, clock.row_length()?)]))
    }

    /// The obligation of the operand at `position`, which comes to all PEs over one bus: every word has its own time.
    pub fn one_bus_conflict(&self, position: usize) -> Obligation {
        self.state(Claim {
            kind: Kind::LinkConflict,
            of: self.space().operands[position].tensor.clone(),
            points: 2,
            extras: vec![],
            violation: self.two_at_one_time(),
            reason: self.two_readers(position),
        })
    }

    fn two_readers(&self, position: usize) -> Reason {
        let of = &self.space().operands[position].tensor;
        let (available, needed) = two_at_once(|number| {
            let point = self.point(number);
            let value = self.show_operand(position, &point);
            (self.show_time(&point), format!("{value} for {}", self.show_pe(&point)))
        });
        Reason {
            broken: format!("two words of `{of}` are on one bus at one time"),
            blame: format!("lets two words of {of} meet on a bus"),
            available,
            needed,
            help: format!("give each PE a port of its own with `feed {of}`, or a `time` at which one point alone runs"),
            moments: self.two_moments(),
        }
    }

    fn two_moments(&self) -> Vec<Moment> {
        vec![self.moment("one word", &self.point(0)), self.moment("another", &self.point(1))]
    }

    fn leave_together(&self, x: &Point, y: &Point) -> Formula {
        Formula::All(vec![
            x.before(y),
            Formula::same(&self.place(x), &self.place(y)),
            Formula::same(&self.time(x), &self.time(y)),
        ])
    }

    /// Point 0 leaves `hops` hops down the route of point 1, which is there at that moment.
    fn meet_or_leave_together(&self, flow: &Flow, hops: &Affine) -> Formula {
        let (x, y) = (self.point(0), self.point(1));
        let (late, early) = ((self.place(&x), self.time(&x)), (self.place(&y), self.time(&y)));
        Formula::All(vec![
            Formula::Any(vec![Formula::at_least(hops, &Affine::constant(1)), x.before(&y)]),
            meet_on_route(&flow.displacement, self.links.latency, &late, &early, hops),
        ])
    }

    fn two_words(&self, of: &Name, direction: &[i64], carrier: &str) -> Reason {
        let along = self.show_along(direction);
        let (available, needed) = two_at_once(|number| {
            let point = self.point(number);
            (self.show_time(&point), format!("from {} along {along}", self.show_pe(&point)))
        });
        Reason {
            broken: format!("two words of `{of}` are on one {carrier} at one time"),
            blame: format!("lets two words of {of} meet on a {carrier}"),
            available,
            needed,
            help: format!("choose another direction for `{of}`, or a `time` that keeps its words apart"),
            moments: self.two_moments(),
        }
    }
}

impl SystemFrame<'_> {
    /// The obligation of a handoff over several hops along one axis. One that moves by a hop along each axis at most has
    /// links between its own two PEs only, and no PE gives two words at one time (`pe-conflict`).
    pub fn handoff_link_conflict(&self, handoff: &Handoff) -> Option<Obligation> {
        let displacement = handoff.displacement()?;
        displacement.iter().any(|entry| entry.abs() > 1).then_some(())?;
        let (late, early) = (self.handed(handoff, 0)?, self.handed(handoff, 1)?);
        let leaves = |giver: &SpacePoint| (self.place(giver), self.time(giver));
        let name = self.fresh("q");
        let hops = Affine::variable(&name);
        Some(self.state(Claim {
            kind: Kind::LinkConflict,
            of: self.tensor(handoff),
            points: vec![handoff.reader; 2],
            extras: late.quotients.iter().chain(&early.quotients).cloned().chain([name]).collect(),
            violation: vec![
                late.laws.clone(),
                early.laws.clone(),
                Formula::at_least(&hops, &Affine::constant(1)),
                meet_on_route(displacement, self.links.latency, &leaves(&late.giver), &leaves(&early.giver), &hops),
            ],
            reason: self.two_handed(handoff, [(&late.giver, &late.reader), (&early.giver, &early.reader)]),
        }))
    }

    fn two_handed(&self, handoff: &Handoff, words: [(&SpacePoint, &SpacePoint); 2]) -> Reason {
        let (of, _, reading) = self.names(handoff);
        let (available, needed) = two_at_once(|number| {
            let (giver, reader) = words[number];
            (self.show_time(giver), format!("from {} to {}", self.show_pe(giver), self.show_pe(reader)))
        });
        Reason {
            broken: format!("two words of {of} for `{reading}` are on one link at one time"),
            blame: format!("lets two words of {of} meet on a link"),
            available,
            needed,
            help: "choose a `place` with shorter ways, or a `time` that keeps the words apart".to_owned(),
            moments: words.map(|(giver, _)| self.moment("leaves", giver)).to_vec(),
        }
    }
}

/// Where and when a word leaves.
type Departure = (Vec<Affine>, Vec<Affine>);

/// A word leaves `hops` hops down the route of an earlier one, which is there at that moment.
fn meet_on_route(displacement: &[i64], latency: i64, late: &Departure, early: &Departure, hops: &Affine) -> Formula {
    let time = later(early.1.clone(), &(hops.clone() * latency));
    let stretches = displacement.iter().enumerate().filter(|(_, entry)| **entry != 0);
    let on_stretch = stretches.map(|(axis, entry)| {
        let step: Vec<i64> =
            (0..displacement.len()).map(|other| if other == axis { entry.signum() } else { 0 }).collect();
        Formula::All(vec![
            Formula::at_least(&Affine::constant(entry.abs() - 1), hops),
            Formula::same(&late.0, &displaced(early.0.clone(), &step, hops)),
        ])
    });
    Formula::All(vec![
        Formula::at_least(hops, &Affine::constant(0)),
        Formula::Any(on_stretch.collect()),
        Formula::same(&late.1, &time),
    ])
}

/// The sides of two words, each with its time and the rest of its line.
fn two_at_once(word: impl Fn(usize) -> (String, String)) -> (String, String) {
    let ((one_time, one), (other_time, other)) = (word(0), word(1));
    sides(
        &Side { what: "one word at", time: one_time, rest: one },
        &Side { what: "another at", time: other_time, rest: other },
    )
}
