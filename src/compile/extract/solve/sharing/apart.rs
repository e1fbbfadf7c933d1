//! Spaces that share PEs, kept from running there at one time.
//!
//! In: the conditions on the steps of a dataflow, and its shortest steps. Out: steps under which no two spaces meet at any
//! size, or none.

use super::meetings::Meeting;
use crate::extract::solve::Task;
use crate::extract::solve::steps::Conditions;
use crate::extract::solve::task::Work;
use crate::mapping::{Design, SpaceDesign};
use std::collections::{BTreeMap, BTreeSet};

/// How often the steps of one dataflow are asked for anew because two spaces meet on a PE.
pub(super) const MOST_QUESTIONS: usize = 24;

/// The shortest steps, where no two spaces meet on a PE under them; else those under which one space is over on each PE
/// before the other begins; else, for a place that is given, those that the points which meet leave.
pub fn apart(
    task: &Task,
    design: &Design,
    conditions: &Conditions,
    shortest: &[SpaceDesign],
) -> Option<Vec<SpaceDesign>> {
    let meetings = met_under(task, shortest)?;
    if meetings.is_empty() {
        return Some(shortest.to_vec());
    }
    let in_turn = shortest_in_turn(task, design, conditions.clone(), &meetings);
    let given = task.constraint.places.iter().any(Option::is_some);
    in_turn.or_else(|| if given { parted(task, design, conditions.clone(), shortest) } else { None })
}

/// Points that meet under these steps; none only where that is proved for all sizes.
fn met_under(task: &Task, parts: &[SpaceDesign]) -> Option<Vec<Meeting>> {
    task.work.add(Work::in_points(task.meetings.points()));
    task.meetings.of(&timed(task, parts))
}

fn timed<'a>(task: &Task<'a>, parts: &[SpaceDesign]) -> Design<'a> {
    Design::new(task.system, parts.to_vec())
}

/// The shortest steps that keep the points that meet apart; asked anew while others meet. Two spaces that are apart at the
/// trial sizes only would meet at ever larger ones, however many points are kept apart: one is over before the other begins. Each point kept
/// apart is one more choice, so what is not found soon is left to those who take turns.
fn parted(
    task: &Task,
    design: &Design,
    mut conditions: Conditions,
    shortest: &[SpaceDesign],
) -> Option<Vec<SpaceDesign>> {
    let mut parts = shortest.to_vec();
    for _ in 0..MOST_QUESTIONS {
        let timed = timed(task, &parts);
        let tried = task.meetings.at_trials(&timed);
        let beyond = if tried.is_empty() { task.meetings.at_any_size(&timed)? } else { vec![] };
        if tried.is_empty() && beyond.is_empty() {
            return Some(parts);
        }
        smallest(&tried).for_each(|(sizes, [one, other])| conditions.keep_apart(one, other, sizes));
        pairs(&beyond).into_iter().try_for_each(|pair| keep_in_turn(task, design, &mut conditions, pair))?;
        parts = conditions.shortest_soon(design)?;
    }
    None
}

/// Of two spaces the one that the other depends on runs first on each PE; `None` where that has no finite rows.
fn keep_in_turn(task: &Task, design: &Design, conditions: &mut Conditions, pair: (usize, usize)) -> Option<()> {
    let (first, second) = orders(task, pair)[0];
    conditions.keep_in_turn(design, first, second).then_some(())
}

/// The orders in which two spaces can run.
type Orders = Vec<(usize, usize)>;

/// One order where the second space depends on the first, else both.
fn orders(task: &Task, (one, other): (usize, usize)) -> Orders {
    match (task.system.depends(one, other), task.system.depends(other, one)) {
        (true, _) => vec![(other, one)],
        (false, true) => vec![(one, other)],
        (false, false) => vec![(one, other), (other, one)],
    }
}

/// The shortest steps under which of spaces that meet one is over on each PE before the other begins.
fn shortest_in_turn(
    task: &Task,
    design: &Design,
    conditions: Conditions,
    meetings: &[Meeting],
) -> Option<Vec<SpaceDesign>> {
    let turn = Successive { conditions, order: vec![], parts: vec![] };
    Some(turn.until_none_meet(task, design, pairs(meetings))?.parts)
}

/// The conditions with spaces in order; `None` where that has no finite rows.
pub fn in_order(design: &Design, mut conditions: Conditions, order: &[(usize, usize)]) -> Option<Conditions> {
    let kept = order.iter().all(|(first, second)| conditions.keep_in_turn(design, *first, *second));
    kept.then_some(conditions)
}

/// Spaces that run one after the other on the PEs that they share.
#[derive(Clone)]
pub struct Successive {
    /// What the steps must satisfy, with the order.
    pub conditions: Conditions,
    /// Which space runs before which.
    pub order: Vec<(usize, usize)>,
    /// The shortest steps.
    pub parts: Vec<SpaceDesign>,
}

impl Successive {
    /// Puts spaces that meet in order, and those that meet then, until none do.
    pub fn until_none_meet(
        mut self,
        task: &Task,
        design: &Design,
        mut met: BTreeSet<(usize, usize)>,
    ) -> Option<Successive> {
        let is_new = |turn: &Successive, (one, other): &(usize, usize)| {
            !turn.order.contains(&(*one, *other)) && !turn.order.contains(&(*other, *one))
        };
        while met.iter().any(|pair| is_new(&self, pair)) {
            let new: Vec<Orders> =
                met.iter().filter(|pair| is_new(&self, pair)).map(|pair| orders(task, *pair)).collect();
            let as_they_come = self.then(design, new.iter().map(|orders| orders[0]).collect());
            self = as_they_come.or_else(|| self.in_another_order(design, &new))?;
            met = pairs_under(task, &self.parts)?;
        }
        met.is_empty().then_some(self)
    }

    /// With these spaces in order too.
    fn then(&self, design: &Design, order: Vec<(usize, usize)>) -> Option<Successive> {
        let conditions = in_order(design, self.conditions.clone(), &order)?;
        let parts = conditions.shortest(design, false).ok()?;
        Some(Successive { conditions, order: [self.order.clone(), order].concat(), parts })
    }

    /// Spaces that do not depend on each other the other way round, or else the order of each two found on its own: a result
    /// that is awaited at once leaves no time between its space and the next.
    fn in_another_order(&self, design: &Design, new: &[Orders]) -> Option<Successive> {
        new.iter().any(|orders| orders.len() > 1).then_some(())?;
        let turned = self.then(design, new.iter().map(|orders| orders[orders.len() - 1]).collect());
        let first = |turn: Successive, orders: &Orders| orders.iter().find_map(|order| turn.then(design, vec![*order]));
        turned.or_else(|| new.iter().try_fold(self.clone(), first))
    }
}

/// Of the meetings of each two spaces the one at the smallest sizes: it says most, and each makes a choice for the solver.
fn smallest(meetings: &[Meeting]) -> impl Iterator<Item = &Meeting> {
    let mut kept: BTreeMap<(usize, usize), &Meeting> = BTreeMap::new();
    let size = |meeting: &Meeting| meeting.0.values().sum::<i64>();
    for meeting in meetings {
        let known = kept.entry((meeting.1[0].0, meeting.1[1].0)).or_insert(meeting);
        if size(meeting) < size(known) {
            *known = meeting;
        }
    }
    kept.into_values()
}

/// The spaces that meet under these steps, each two once; none only where that is proved for all sizes.
pub fn pairs_under(task: &Task, parts: &[SpaceDesign]) -> Option<BTreeSet<(usize, usize)>> {
    met_under(task, parts).map(|meetings| pairs(&meetings))
}

/// The spaces that meet, each two once.
fn pairs(meetings: &[Meeting]) -> BTreeSet<(usize, usize)> {
    meetings.iter().map(|(_, [one, other])| (one.0, other.0)).collect()
}
