//! Rounds: the clock of a design whose times are vectors.
//!
//! All rows of time but the finest number a *round*; within a round steps follow each other as the finest row says. The
//! whole array runs the rounds one after the other. Each is as long as what runs in it, so rounds are ragged: their starts
//! are running sums (`advance` of a program), and no weight has to be right for all of them. A later round is later by
//! construction, so proofs compare vectors. A round may be short, and its first step is another one than that of the round
//! before; so what holds from round to round rests on the cycles between rounds alone. Each ends with idle cycles (`slack`) for
//! the longest way of a word that crosses into the next one, and until the last slot that was read is free again.
//!
//! A design of one space on a box, not folded, has closed weights instead ([`clock`](super::clock)).

use super::clock::Clock;
use super::ends::{Ranged, range_of_values};
use super::{Design, Giver, Handoff, Part};
use crate::rewrite::Transport;
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Bindings, Name, Polyhedron, Vector, name};
use systole_base::network::Links;
use systole_equations::recurrence::Space;
use systole_program::array::IndexExpr;

/// The rounds of a design, for all sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// What numbers them: one name for each row of time but the finest.
    pub names: Vec<Name>,
    /// The first and the last value of each, over the parameters and the names before it.
    pub ranges: Vec<[IndexExpr; 2]>,
    /// The finest row of the first step of a round.
    pub first: IndexExpr,
    /// How many cycles a round takes.
    pub length: IndexExpr,
    /// What holds of the names in every round.
    pub inside: Polyhedron,
}

/// The rounds of a design at given sizes: by their number the cycle at which step 0 of each would begin.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Calendar {
    zeros: BTreeMap<Vector, i64>,
    /// The idle cycles at the end of each.
    slack: i64,
}

impl Rounds {
    /// The rounds of a design, with these names and so many idle cycles at the end of each; `None` where times are plain.
    pub fn of(design: &Design, names: &[Name], slack: i64) -> Option<Rounds> {
        let rows = design.rounds();
        if rows == 0 {
            return None;
        }
        let names = names.get(..rows)?.to_vec();
        let mut known = Polyhedron::sizes(&design.system.parameters);
        let times: Vec<Vec<Affine>> =
            (0..design.parts.len()).map(|space| design.time(space, &design.point(space))).collect();
        let sizes = known.clone();
        let ranged = |row: usize| -> Vec<Ranged> {
            let in_round = |space: &Space, time: &[Affine]| {
                let mut set = space.domain.set.intersect(&sizes);
                for (name, form) in names.iter().zip(time).take(row) {
                    let tie = Affine::variable(name) - form.clone();
                    [tie.clone(), -tie].into_iter().for_each(|form| set.add(form));
                }
                set
            };
            let all = design.system.spaces.iter().zip(&times);
            all.map(|(space, time)| Ranged {
                set: in_round(space, time),
                indices: space.indices(),
                form: time[row].clone(),
            })
            .collect()
        };
        let mut ranges = vec![];
        for row in 0..rows {
            let all = ranged(row);
            ranges.push(range_of_values(&all, &known));
            known = known.intersect(&in_all(&ranged(row + 1)));
        }
        let all = ranged(rows);
        let [first, last] = range_of_values(&all, &known);
        let length = length(&first, &last, slack, &known);
        Some(Rounds { names, ranges, first, length, inside: known })
    }

    /// The rounds one after the other at these sizes, which have so many idle cycles; `None` where a number does not fit.
    fn calendar(&self, slack: i64, sizes: &Bindings) -> Option<Calendar> {
        let (mut calendar, mut start) = (Calendar { slack, ..Calendar::default() }, 0i64);
        self.walk(&mut sizes.clone(), &mut vec![], &mut start, &mut calendar)?;
        Some(calendar)
    }

    fn walk(&self, bindings: &mut Bindings, at: &mut Vector, start: &mut i64, calendar: &mut Calendar) -> Option<()> {
        let Some([first, last]) = self.ranges.get(at.len()) else {
            calendar.zeros.insert(at.clone(), start.checked_sub(self.first.evaluate(bindings)?)?);
            *start = start.checked_add(self.length.evaluate(bindings)?)?;
            return Some(());
        };
        let name = &self.names[at.len()];
        for value in first.evaluate(bindings)?..=last.evaluate(bindings)? {
            bindings.insert(name.clone(), value);
            at.push(value);
            self.walk(bindings, at, start, calendar)?;
            at.pop();
        }
        bindings.remove(name);
        Some(())
    }
}

/// From the first step of a round to the last, with both and the idle cycles; nothing where there are no steps.
fn length(first: &IndexExpr, last: &IndexExpr, slack: i64, known: &Polyhedron) -> IndexExpr {
    let beyond = Affine::constant(slack + 1);
    let form = last.as_affine().zip(first.as_affine()).map(|(last, first)| last - first + beyond);
    if let Some(form) = form {
        return match known.implies(&form) {
            true => IndexExpr::affine(&form),
            false => IndexExpr::Max(vec![IndexExpr::Constant(0), IndexExpr::affine(&form)]),
        };
    }
    let sum = IndexExpr::Sum(vec![last.clone(), IndexExpr::Constant(slack + 1)]);
    let length = IndexExpr::Difference(Box::new(sum), Box::new(first.clone()));
    IndexExpr::Max(vec![IndexExpr::Constant(0), length])
}

/// What holds of the sizes and the names of rounds wherever one of these sets has a point.
fn in_all(all: &[Ranged]) -> Polyhedron {
    let shadow = |ranged: &Ranged| ranged.set.eliminate_all(ranged.indices.iter().rev());
    let shadows: Vec<Polyhedron> = all.iter().map(shadow).collect();
    let forms = shadows.iter().flat_map(|shadow| shadow.constraints());
    Polyhedron::new(forms.filter(|form| shadows.iter().all(|shadow| shadow.implies(form))).cloned())
}

/// Whether a delay is from one round to another.
fn crosses_rounds(delay: &[i64]) -> bool {
    delay.split_last().is_some_and(|(_, outer)| outer.iter().any(|rounds| *rounds != 0))
}

impl Calendar {
    /// Whether a word that moves so far with this delay needs no more idle cycles at the end of rounds.
    pub fn waits_for(&self, displacement: &[i64], delay: &[i64], links: &Links) -> bool {
        !crosses_rounds(delay) || links.cycles(displacement).is_some_and(|cycles| cycles - 1 <= self.slack)
    }

    /// The clock of a time; a time that is plain is its own. `None` where no round has the number.
    pub fn clock(&self, time: &[i64]) -> Option<i64> {
        match time {
            [step] => Some(*step),
            [round @ .., step] => self.zeros.get(round)?.checked_add(*step),
            [] => None,
        }
    }
}

impl Design<'_> {
    /// How many rows of time number the rounds.
    pub fn rounds(&self) -> usize {
        self.parts.first().map_or(0, |part| part.rounds().len())
    }

    /// The space of a design of one, whose PEs have one body each and are fed by none of them.
    pub fn plain_space(&self) -> Option<(&Space, &Part)> {
        let one = self.system.only_space().zip(self.parts.first());
        one.filter(|(_, part)| self.fold.is_none() && !part.dataflow.transports.contains(&Transport::Bus))
    }

    /// Whether times are vectors without closed weights.
    pub fn runs_in_rounds(&self) -> bool {
        let is_unclocked = |(space, part): (&Space, &Part)| Clock::new(space, &part.map).is_none();
        self.rounds() > 0 && self.plain_space().is_none_or(is_unclocked)
    }

    /// Names for the rounds that no index and no size has.
    pub fn round_names(&self) -> Vec<Name> {
        (0..self.rounds()).map(|row| name(&format!("round {row}"))).collect()
    }

    /// The idle cycles at the end of a round, beside the one cycle that lies between rounds anyway: as many as the longest way
    /// of a word that crosses into another round takes, and as a slot is not free again after the last receive. `None` where a
    /// word has no link.
    pub fn slack(&self, handoffs: &[Handoff], links: &Links) -> Option<i64> {
        let mut crossing: Vec<Vector> = vec![];
        for handoff in handoffs {
            let Giver::Point { displacement, .. } = &handoff.giver else { continue };
            let Some(delay) = self.handoff_delay(handoff) else { continue };
            let (_, outer) = delay.split_last()?;
            if outer.iter().any(|form| *form != Affine::default()) {
                crossing.push(displacement.clone());
            }
        }
        for space in 0..self.parts.len() {
            let flows = self.alone(space).flows()?.into_iter().filter(|flow| crosses_rounds(&flow.delay));
            crossing.extend(flows.map(|flow| flow.displacement));
        }
        let longer = |slack: i64, displacement: &Vector| Some(slack.max(links.cycles(displacement)? - 1));
        crossing.iter().try_fold((links.response - 1).max(0), longer)
    }

    /// The calendar at these sizes, empty where times are plain; `None` where a number does not fit.
    pub fn calendar(&self, handoffs: &[Handoff], links: &Links, sizes: &Bindings) -> Option<Calendar> {
        if self.rounds() == 0 {
            return Some(Calendar::default());
        }
        let slack = self.slack(handoffs, links)?;
        Rounds::of(self, &self.round_names(), slack)?.calendar(slack, sizes)
    }
}
