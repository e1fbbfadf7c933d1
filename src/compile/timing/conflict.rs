//! PE conflicts: no PE runs two points at one time.

use super::frame::{Claim, Frame};
use super::wording::{Side, sides};
use systole_program::obligation::{Formula, Kind, Obligation, Reason};

impl Frame<'_> {
    /// The obligation over the whole domain.
    pub fn pe_conflict(&self) -> Obligation {
        let one_place = Formula::same(&self.place(&self.point(0)), &self.place(&self.point(1)));
        self.state(Claim {
            kind: Kind::PeConflict,
            of: self.space().name.clone(),
            points: 2,
            extras: vec![],
            violation: self.two_at_one_time().into_iter().chain([one_place]).collect(),
            reason: self.two_at_once(),
        })
    }

    /// Points 0 and 1 are two points of the space that run at one time.
    pub fn two_at_one_time(&self) -> Vec<Formula> {
        let set = &self.space().domain.set;
        let (x, y) = (self.point(0), self.point(1));
        let same_time = Formula::same(&self.time(&x), &self.time(&y));
        vec![self.inside(set, &x), self.inside(set, &y), x.before(&y), same_time]
    }

    fn two_at_once(&self) -> Reason {
        let (x, y) = (self.point(0), self.point(1));
        let (available, needed) = sides(
            &Side { what: "one point at", time: self.show_time(&x), rest: format!("on {}", self.show_pe(&x)) },
            &Side { what: "another at", time: self.show_time(&y), rest: format!("on {}", self.show_pe(&y)) },
        );
        let map = &self.design.map;
        let apart = map.place.above(&map.step).null_lattice();
        let help = match apart.first() {
            Some(direction) => {
                let along = self.space().show_direction(direction);
                format!("points that differ by {along} have the same PE and time; tell them apart in `time` or `place`")
            }
            None => "no two points of the space share a PE and a time".to_owned(),
        };
        Reason {
            broken: format!("a PE runs two points of `{}` at one time", self.space().name),
            blame: "gives two points of one PE the same time".to_owned(),
            available,
            needed,
            help,
            moments: vec![self.moment("one point", &x), self.moment("another", &y)],
        }
    }
}
