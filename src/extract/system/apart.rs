//! Spaces that share PEs, kept from running there at one time.
//!
//! In: the conditions on the steps of a dataflow, and its shortest steps. Out: steps under which no two spaces meet at any
//! size, or none.

use super::SystemProblem;
use super::meetings::Meeting;
use super::steps::Conditions;
use crate::mapping::{Part, SystemDesign};
use std::collections::{BTreeMap, BTreeSet};

/// How often the steps of one dataflow are asked for anew because two spaces meet on a PE.
pub(super) const MOST_QUESTIONS: usize = 24;

/// The shortest steps, where no two spaces meet on a PE under them; else those under which one space is over on each PE
/// before the other begins; else, for a place that is given, those that the points which meet leave.
pub fn apart(
    problem: &SystemProblem,
    design: &SystemDesign,
    conditions: &Conditions,
    shortest: &[Part],
) -> Option<Vec<Part>> {
    let meetings = met_under(problem, shortest)?;
    if meetings.is_empty() {
        return Some(shortest.to_vec());
    }
    let in_turn = shortest_in_turn(problem, design, conditions.clone(), &meetings);
    let given = problem.constraint.places.iter().any(Option::is_some);
    in_turn.or_else(|| if given { parted(problem, design, conditions.clone(), shortest) } else { None })
}

/// Points that meet under these steps; none only where that is proved for all sizes.
fn met_under(problem: &SystemProblem, parts: &[Part]) -> Option<Vec<Meeting>> {
    problem.meetings.of(&timed(problem, parts))
}

fn timed<'a>(problem: &SystemProblem<'a>, parts: &[Part]) -> SystemDesign<'a> {
    SystemDesign::new(problem.system, parts.to_vec())
}

/// The shortest steps that keep the points that meet apart; asked anew while others meet. Two spaces that are apart at the
/// trial sizes only would meet at ever larger ones, however many points are kept apart: one is over before the other begins. Each point kept
/// apart is one more choice, so what is not found soon is left to those who take turns.
fn parted(
    problem: &SystemProblem,
    design: &SystemDesign,
    mut conditions: Conditions,
    shortest: &[Part],
) -> Option<Vec<Part>> {
    let mut parts = shortest.to_vec();
    for _ in 0..MOST_QUESTIONS {
        let timed = timed(problem, &parts);
        let tried = problem.meetings.at_trials(&timed);
        let beyond = if tried.is_empty() { problem.meetings.at_any_size(&timed)? } else { vec![] };
        if tried.is_empty() && beyond.is_empty() {
            return Some(parts);
        }
        smallest(&tried).for_each(|(sizes, [one, other])| conditions.keep_apart(one, other, sizes));
        pairs(&beyond).into_iter().try_for_each(|pair| keep_in_turn(problem, design, &mut conditions, pair))?;
        parts = conditions.shortest_soon(design)?;
    }
    None
}

/// Of two spaces the one that the other depends on runs first on each PE; `None` where that has no finite rows.
fn keep_in_turn(
    problem: &SystemProblem,
    design: &SystemDesign,
    conditions: &mut Conditions,
    (one, other): (usize, usize),
) -> Option<()> {
    let turned = problem.system.depends(one, other);
    let (first, second) = if turned { (other, one) } else { (one, other) };
    conditions.keep_in_turn(design, first, second).then_some(())
}

/// The shortest steps under which of spaces that meet one is over on each PE before the other begins.
fn shortest_in_turn(
    problem: &SystemProblem,
    design: &SystemDesign,
    mut conditions: Conditions,
    meetings: &[Meeting],
) -> Option<Vec<Part>> {
    let mut met = pairs(meetings);
    let mut kept = vec![];
    while met.iter().any(|pair| !kept.contains(pair)) {
        for pair in met.into_iter().filter(|pair| !kept.contains(pair)).collect::<Vec<_>>() {
            keep_in_turn(problem, design, &mut conditions, pair)?;
            kept.push(pair);
        }
        let parts = conditions.shortest(design, false).ok()?;
        met = pairs_under(problem, &parts)?;
        if met.is_empty() {
            return Some(parts);
        }
    }
    None
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
pub(super) fn pairs_under(problem: &SystemProblem, parts: &[Part]) -> Option<BTreeSet<(usize, usize)>> {
    met_under(problem, parts).map(|meetings| pairs(&meetings))
}

/// The spaces that meet, each two once.
fn pairs(meetings: &[Meeting]) -> BTreeSet<(usize, usize)> {
    meetings.iter().map(|(_, [one, other])| (one.0, other.0)).collect()
}
