//! Alignment: a value reaches a point exactly when the point runs.
//!
//! Every point `x` of a line is `h + m d` for the line's head `h` and some `m >= 0`. A stream's value enters at `t(h)`
//! and takes the flow's delay for each step along the line, so `t(x) = t(h) + m * delay`. A bus is heard by all of a
//! line at once, so for a broadcast `t(x) = t(h)`. On one bus from memory the feeder drives the word of `x` at `t(x)`.

use super::frame::{Claim, Frame, displaced};
use super::wording::{Side, show_place, sides, tuple};
use crate::mapping::{Feeder, Flow};
use systole_base::integer::{Affine, Name, Polyhedron};
use systole_program::obligation::{Formula, Kind, Moment, Obligation, Reason};

/// One operand on its way along lines, each step taking the same time.
struct Travel<'a> {
    of: &'a Name,
    position: usize,
    direction: &'a [i64],
    set: &'a Polyhedron,
    delay: Vec<i64>,
}

impl Frame<'_> {
    /// The obligation of a streamed operand.
    pub fn alignment(&self, flow: &Flow, position: usize) -> Obligation {
        let travel =
            Travel { of: &flow.of, position, direction: &flow.direction, set: &flow.set, delay: flow.delay.clone() };
        self.aligned(&travel, ("arrives at", "a stream must reach every point of its line when the point runs".into()))
    }

    /// The obligation of the operand at `position`, broadcast along `direction`.
    pub fn simultaneity(&self, position: usize, direction: &[i64]) -> Obligation {
        let travel = Travel {
            of: &self.space().operands[position].tensor,
            position,
            direction,
            set: &self.space().domain.set,
            delay: vec![0; self.design.map.step.rows().len()],
        };
        let coefficients = self.show_coefficients(direction);
        self.aligned(&travel, ("on the bus at", format!("every broadcast needs {coefficients} = 0")))
    }

    /// The obligation of the operand at `position`, which comes over one bus from memory.
    pub fn fed_in_time(&self, position: usize, feeder: &Feeder) -> Obligation {
        let x = self.point(0);
        let driven = self.driven(feeder, &x);
        let listeners = feeder.listeners(self.space());
        self.state(Claim {
            kind: Kind::Alignment,
            of: self.space().operands[position].tensor.clone(),
            points: 1,
            extras: vec![],
            violation: vec![self.inside(&listeners, &x), Formula::same(&self.time(&x), &driven).negate()],
            reason: self.untimely(position, feeder, &driven),
        })
    }

    fn untimely(&self, position: usize, feeder: &Feeder, driven: &[Affine]) -> Reason {
        let (x, of) = (self.point(0), &self.space().operands[position].tensor);
        let from = show_place(&feeder.place);
        let (available, needed) = sides(
            &Side {
                what: "on the bus at",
                time: tuple(driven),
                rest: format!("{} from {from}", self.show_operand(position, &x)),
            },
            &Side { what: "needed at", time: self.show_time(&x), rest: format!("at {}", self.show_pe(&x)) },
        );
        Reason {
            broken: format!("operands of `{}` do not meet", self.space().output),
            blame: format!("does not let the points run when the bus has their words of {of}"),
            available,
            needed,
            help: format!("give each PE a port of its own with `feed {of}`"),
            moments: vec![
                Moment { what: "on the bus", place: feeder.place.clone(), time: driven.to_vec() },
                self.moment("needed", &x),
            ],
        }
    }

    fn aligned(&self, travel: &Travel, (what, help): (&str, String)) -> Obligation {
        let steps = self.fresh("m");
        let count = Affine::variable(&steps);
        let x = self.point(0);
        let head = x.moved_by(travel.direction, &-count.clone());
        let arrival = displaced(self.time(&head), &travel.delay, &count);
        self.state(Claim {
            kind: Kind::Alignment,
            of: travel.of.clone(),
            points: 1,
            extras: vec![steps],
            violation: vec![
                self.inside(travel.set, &x),
                self.at_head(travel.set, &head, travel.direction),
                Formula::at_least(&count, &Affine::constant(0)),
                Formula::same(&self.time(&x), &arrival).negate(),
            ],
            reason: self.misaligned(travel, what, &arrival, help),
        })
    }

    fn misaligned(&self, travel: &Travel, what: &str, arrival: &[Affine], help: String) -> Reason {
        let x = self.point(0);
        let along = self.show_along(travel.direction);
        let value = self.show_operand(travel.position, &x);
        let (available, needed) = sides(
            &Side { what, time: tuple(arrival), rest: format!("{value} along {along}") },
            &Side { what: "needed at", time: self.show_time(&x), rest: format!("at {}", self.show_pe(&x)) },
        );
        Reason {
            broken: format!("operands of `{}` do not meet", self.space().output),
            blame: format!("does not let the points of a line along {along} run when {} is there", travel.of),
            available,
            needed,
            help,
            moments: vec![
                Moment { what: "arrives", place: self.place(&x), time: arrival.to_vec() },
                self.moment("needed", &x),
            ],
        }
    }
}
