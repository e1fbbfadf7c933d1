//! The loop over placements, dataflows and steps.

use super::apart::apart;
use super::edges::{Edge, edges};
use super::folds::folds;
use super::forms::Forms;
use super::known_rows::KnownRows;
use super::limits::{LeftOut, SystemLimits};
use super::meetings::{Meetings, words_are_apart};
use super::on_links::on_links;
use super::places::{Placement, Places, strict_operands};
use super::room::Room;
use super::steps::{Conditions, Law, Stuck};
use super::survey::{SystemFound, SystemSurvey};
use super::turns::{Laid, Tried, take_turns};
use super::{SystemConstraint, tally};
use crate::cost::{Cost, Machine};
use crate::diagnostic::{Checked, Diagnostic};
use crate::extract::at_once::heard_at_once;
use crate::integer::{Affine, Bindings, Matrix, Vector};
use crate::mapping::candidates::{self, Bounds};
use crate::mapping::{Fold, Handoff, Part, SystemDesign, TakerSets, check_ways};
use crate::recurrence::spaces::SpaceSystem;
use crate::rewrite::Choices;
use rayon::prelude::*;

/// Designs are costed at sizes with no more points than this in all.
const MOST_POINTS: usize = 20_000;

/// What is searched.
pub struct SystemProblem<'a> {
    /// The spaces.
    pub system: &'a SpaceSystem,
    /// What the e-graph offers for each, after the schedule's restrictions.
    pub choices: Vec<Choices>,
    /// The bounds on places and steps.
    pub bounds: Bounds,
    /// The machine.
    pub machine: &'a Machine,
    /// The sizes at which designs are costed; legality does not depend on them.
    pub sizes: Bindings,
    /// What the schedule fixes.
    pub constraint: SystemConstraint,
    /// How far to go.
    pub limits: SystemLimits,
    /// The points of each space at these sizes.
    pub points: Vec<Vec<Vector>>,
    /// What is known of spaces that share PEs.
    pub(super) meetings: Meetings,
    /// Whether arrays fit the machine.
    room: Room<'a>,
    /// The points that take each operand, under each transport.
    takers: TakerSets,
    /// The conditions on steps that were met so far.
    known: KnownRows,
}

impl<'a> SystemProblem<'a> {
    /// Sets a problem up.
    ///
    /// # Errors
    /// Restrictions that leave nothing, spaces that are not bounded, sizes too large to count at.
    pub fn new(
        system: &'a SpaceSystem,
        choices: &[Choices],
        bounds: Bounds,
        machine: &'a Machine,
        sizes: &Bindings,
        constraint: SystemConstraint,
    ) -> Checked<SystemProblem<'a>> {
        let left = system.spaces.iter().zip(constraint.restrict(system, choices)?);
        let choices =
            left.map(|(space, choices)| heard_at_once(space, choices, machine)).collect::<Checked<Vec<Choices>>>()?;
        let room = Room::new(system, machine, sizes);
        let (sizes, points) = countable(system, sizes)?;
        let takers = TakerSets::new(system, &choices);
        let known = KnownRows::default();
        let meetings = Meetings::new(system, (sizes.clone(), points.clone()));
        let limits = SystemLimits::default();
        Ok(SystemProblem {
            system,
            choices,
            bounds,
            machine,
            sizes,
            constraint,
            limits,
            points,
            meetings,
            room,
            takers,
            known,
        })
    }

    /// The ranks of the array: each PE has one dimension of the largest space at most, since times are plain.
    fn ranks(&self) -> Vec<usize> {
        let carried = |rank: &usize| self.machine.links.network.carries_rank(*rank);
        if let Some(rank) = self.constraint.rank() {
            return vec![rank].into_iter().filter(carried).collect();
        }
        let dimension = self.system.spaces.iter().map(|space| space.dimension()).max().unwrap_or(0);
        self.bounds
            .ranks
            .iter()
            .copied()
            .filter(|rank| *rank + 1 >= dimension && *rank <= dimension)
            .filter(carried)
            .collect()
    }

    /// What one `place` line can say at this rank: for each family the place where it has all indices of the line. With it
    /// how many lines are left out.
    fn lines(&self, rank: usize) -> (Vec<Vec<Option<Matrix>>>, u64) {
        if self.constraint.places.iter().any(Option::is_some) {
            return (vec![self.constraint.places.clone()], 0);
        }
        let families = &self.system.families;
        let Some(largest) = families.iter().rev().max_by_key(|family| family.indices.len()) else { return (vec![], 0) };
        let names = &largest.indices;
        let line = |place: &Matrix| {
            let rows: Vec<Affine> = place.rows().iter().map(|row| Affine::from_row(names, row)).collect();
            families.iter().map(|family| super::constraint::place_of(family, &rows)).collect()
        };
        let all = candidates::places(names.len(), rank, self.bounds.bound);
        let plain =
            |place: &&Matrix| place.rows().iter().all(|row| row.iter().filter(|entry| **entry != 0).count() == 1);
        let few = self.system.spaces.len() <= self.limits.spaces;
        let lines: Vec<Vec<Option<Matrix>>> = all.iter().filter(|place| few || plain(place)).map(line).collect();
        let left_out = all.len() - lines.len();
        (lines, left_out as u64)
    }

    /// The box for the steps: a latency of more than one makes room for steps as much longer.
    fn steps(&self) -> (i64, i64) {
        let (low, high) = self.bounds.steps;
        (low, high + self.machine.links.latency - 1)
    }
}

/// The sizes, made smaller where there would be too many points to count, and the points.
fn countable(system: &SpaceSystem, sizes: &Bindings) -> Checked<(Bindings, Vec<Vec<Vector>>)> {
    let mut sizes = sizes.clone();
    loop {
        let count = |space: &crate::recurrence::Space| space.domain.set.count(space.indices(), &sizes);
        let total = system.spaces.iter().try_fold(0u64, |sum, space| sum.checked_add(count(space)?));
        if total.is_some_and(|total| total <= MOST_POINTS as u64) {
            break;
        }
        let Some(largest) = sizes.values_mut().max().filter(|size| **size > 1) else {
            return Diagnostic::new(format!("the spaces of `{}` are not bounded at these sizes", system.kernel))
                .alone();
        };
        *largest = (*largest / 2).min(64);
    }
    let points = |space: &crate::recurrence::Space| space.domain.set.points(space.indices(), &sizes);
    let all: Option<Vec<Vec<Vector>>> = system.spaces.iter().map(points).collect();
    let all = all.ok_or_else(|| vec![Diagnostic::new(format!("the spaces of `{}` are not bounded", system.kernel))])?;
    Ok((sizes, all))
}

/// Runs the search. The result does not depend on the number of threads.
pub fn search_system(problem: &SystemProblem, progress: &(dyn Fn(usize, usize) + Sync)) -> SystemSurvey {
    search_keeping(problem, false, progress)
}

/// [`search_system`], with every legal design kept beside the front.
pub fn search_system_wholly(problem: &SystemProblem, progress: &(dyn Fn(usize, usize) + Sync)) -> SystemSurvey {
    search_keeping(problem, true, progress)
}

fn search_keeping(problem: &SystemProblem, keep: bool, progress: &(dyn Fn(usize, usize) + Sync)) -> SystemSurvey {
    let edges = edges(problem.system, &problem.choices);
    let (placements, left_out) = placements(problem, &edges);
    let (system, choices, network) = (problem.system, &problem.choices, problem.machine.links.network);
    let forms = Forms { system, choices, edges: &edges, network, most: problem.limits.dataflows };
    let done = std::sync::atomic::AtomicUsize::new(0);
    let surveys: Vec<SystemSurvey> = placements
        .par_iter()
        .map(|placement| {
            let survey = search_placement(problem, &forms, placement, keep);
            progress(1 + done.fetch_add(1, std::sync::atomic::Ordering::Relaxed), placements.len());
            survey
        })
        .collect();
    let start = SystemSurvey { left_out, ..SystemSurvey::default() };
    surveys.into_iter().fold(start, SystemSurvey::merge)
}

/// The placements of all ranks and lines, and the lines that are left out or cut short.
fn placements(problem: &SystemProblem, edges: &[Edge]) -> (Vec<Placement>, LeftOut) {
    let (system, network, bound) = (problem.system, problem.machine.links.network, problem.bounds.bound);
    let (most, given) = (problem.limits.placements, problem.constraint.rank().is_some());
    let strict = strict_operands(system, &problem.choices);
    let (mut placements, mut left_out) = (vec![], LeftOut::default());
    for rank in problem.ranks() {
        let (lines, slanted) = problem.lines(rank);
        left_out.slanted += slanted;
        for fixed in lines {
            let strict = strict.clone();
            let (found, crowded) = Places { system, edges, rank, bound, network, fixed, given, strict, most }.all();
            placements.extend(found);
            left_out.crowded += u64::from(crowded);
        }
    }
    (placements, left_out)
}

fn search_placement(problem: &SystemProblem, forms: &Forms, placement: &Placement, keep: bool) -> SystemSurvey {
    let mut survey = SystemSurvey { maps: 1, keep, ..SystemSurvey::default() };
    let (all, beyond) = forms.all(placement);
    survey.left_out.dataflows = beyond;
    if !all.first().is_none_or(|parts| problem.room.holds(parts)) {
        survey.oversized = 1;
        return survey;
    }
    for parts in all {
        let design = SystemDesign::new(problem.system, parts);
        match joined_handoffs(problem, &design) {
            Ok(handoffs) => search_form(problem, &design, &handoffs, &mut survey),
            Err(why) => {
                survey.unreachable.get_or_insert(why);
            }
        }
    }
    survey.legal = u64::from(survey.designs > 0);
    survey
}

/// The handoffs of a dataflow, where one array carries them and everything that is computed.
pub(super) fn joined_handoffs(problem: &SystemProblem, design: &SystemDesign) -> Checked<Vec<Handoff>> {
    let network = problem.machine.links.network;
    let handoffs = design.handoffs_among(network, &problem.takers)?;
    check_ways(network, &design.ways(&handoffs)).map_err(|problem| vec![problem])?;
    Ok(handoffs)
}

/// The shortest steps of one dataflow, and all within the box where they are few.
fn search_form(problem: &SystemProblem, design: &SystemDesign, handoffs: &[Handoff], survey: &mut SystemSurvey) {
    let Some(mut conditions) = conditions(problem, design, handoffs) else { return };
    let mut timed = conditions.within(design, problem.steps()).unwrap_or_default();
    let shortest = conditions.shortest(design, false).ok();
    let shortest = shortest.map(|parts| on_links(problem, design, handoffs, &mut conditions, &parts).unwrap_or(parts));
    let apart = shortest.as_ref().and_then(|parts| apart(problem, design, &conditions, parts));
    timed.extend(apart.filter(|parts| !timed.contains(parts)));
    let before = survey.designs;
    for parts in timed {
        add_all(legal(problem, &parts, handoffs, survey), survey);
    }
    let Some(shortest) = shortest else { return survey.add_stuck(design.parts.clone()) };
    if survey.designs == before && !problem.constraint.fixes_a_step() {
        add_in_turns(problem, (design, handoffs, &conditions), &shortest, survey);
    }
    if survey.designs == before && survey.refused.is_none() {
        let timed = SystemDesign::new(problem.system, shortest);
        let fold = problem.constraint.fold.as_ref().and_then(|(factors, _)| Fold::by(factors).into_iter().next());
        survey.refused = Some((tally::nearest_inputs(problem, &timed, handoffs), fold.unwrap_or_default()));
    }
}

/// The designs with the shortest legal steps under which spaces take turns.
fn add_in_turns(problem: &SystemProblem, laid: Laid, shortest: &[Part], survey: &mut SystemSurvey) {
    let found = |tried: &Tried| legal(problem, &tried.parts, &tried.handoffs, survey);
    let taken = |tried: &Tried| Some(found(tried)).filter(|found| !found.is_empty());
    let (taken, are_more) = take_turns(problem, laid, shortest, taken);
    survey.left_out.beside += u64::from(are_more);
    add_all(taken.unwrap_or_default(), survey);
}

/// The designs with these steps, every best way to move the inputs with its folds; none where two points meet.
fn legal(problem: &SystemProblem, parts: &[Part], handoffs: &[Handoff], survey: &SystemSurvey) -> Vec<SystemFound> {
    let timed = SystemDesign::new(problem.system, parts.to_vec());
    let priced = tally::price(problem, &timed, handoffs);
    let apart = || problem.meetings.are_none(&timed) && words_are_apart(&timed, &problem.machine.links, handoffs);
    if priced.is_empty() || !apart() {
        return vec![];
    }
    let folded = |(cost, parts): (Cost, Vec<Part>)| {
        let design = SystemDesign::new(problem.system, parts);
        let folds = folds(problem, &design, handoffs, &cost, |cost| !survey.keep && survey.beats(cost));
        folds.into_iter().map(move |(cost, fold)| SystemFound { cost, parts: design.parts.clone(), fold })
    };
    priced.into_iter().flat_map(folded).collect()
}

/// Adds legal designs.
fn add_all(found: Vec<SystemFound>, survey: &mut SystemSurvey) {
    survey.designs += found.len() as u64;
    found.into_iter().for_each(|found| survey.add(found));
}

/// What the steps of a dataflow must satisfy, with what the schedule fixes.
pub(super) fn conditions(problem: &SystemProblem, design: &SystemDesign, handoffs: &[Handoff]) -> Option<Conditions> {
    let mut conditions = Conditions::new(design, handoffs, &problem.machine.links, &problem.known)?;
    for (space, step) in problem.constraint.steps.iter().enumerate() {
        if let Some((step, _)) = step {
            conditions.fix(space, step, space);
        }
    }
    Some(conditions)
}

/// Why a dataflow has no steps: the laws that clash. `None` where it has some.
pub fn why_stuck(problem: &SystemProblem, parts: &[Part]) -> Option<Stuck> {
    let design = SystemDesign::new(problem.system, parts.to_vec());
    let handoffs = design.handoffs_among(problem.machine.links.network, &problem.takers).ok()?;
    conditions(problem, &design, &handoffs)?.shortest(&design, true).err()
}

/// A design that does what the schedule says and breaks a law of each clash: the case to show.
pub fn nearest(problem: &SystemProblem, parts: &[Part]) -> Option<Vec<Part>> {
    let design = SystemDesign::new(problem.system, parts.to_vec());
    let handoffs = design.handoffs_among(problem.machine.links.network, &problem.takers).ok()?;
    let mut left = conditions(problem, &design, &handoffs)?;
    let parts = loop {
        let laws = match left.shortest(&design, true) {
            Ok(parts) => break parts,
            Err(Stuck::Clash(laws)) => laws,
            Err(Stuck::Undecided(_)) => return None,
        };
        left.forget(laws.iter().find(|law| !matches!(law, Law::Given(_) | Law::Span(_)))?);
    };
    Some(tally::nearest_inputs(problem, &SystemDesign { parts, ..design }, &handoffs))
}
