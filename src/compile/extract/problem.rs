//! What is searched, and how: one of two strategies behind one search.
//!
//! In: the spaces of a kernel, what the e-graph offers for each, bounds, a machine, sizes, what a schedule fixes. Out: a
//! [`Survey`]. Where all maps of a kernel can be looked at they are ([`enumerate`]); where spaces hand each other values, or PEs
//! are folded, steps are solved for ([`solve`]). Where both apply their best costs agree, which the tests hold.

use super::{Constraint, Found, Limits, Stuck, Survey, enumerate, solve};
use crate::cost::{Cost, Region};
use crate::mapping::candidates::Bounds;
use crate::mapping::clock::sides;
use crate::mapping::{Design, SpaceDesign};
use crate::rewrite::Choices;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics};
use systole_base::integer::Bindings;
use systole_base::machine::Machine;
use systole_equations::recurrence::Space;
use systole_equations::recurrence::spaces::SpaceSystem;

/// Spaces of more points than this are not counted point by point.
const MOST_CHECKED: u64 = 100_000;

/// How a search goes about its work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Every map of the one space is looked at.
    Enumerate,
    /// Places are enumerated, and the steps of all spaces are solved for together.
    #[default]
    Solve,
}

/// What is asked of a search.
#[derive(Clone)]
pub struct Question<'a> {
    /// The spaces.
    pub system: &'a SpaceSystem,
    /// What the e-graph offers for each.
    pub choices: &'a [Choices],
    /// The maps to look at.
    pub bounds: Bounds,
    /// The machine.
    pub machine: &'a Machine,
    /// The sizes at which designs are costed; legality does not depend on them.
    pub sizes: &'a Bindings,
    /// What the schedule fixes.
    pub constraint: Constraint,
    /// How far to go where not all maps are looked at.
    pub limits: Limits,
}

/// What is searched.
pub struct Problem<'a> {
    system: &'a SpaceSystem,
    task: Task<'a>,
}

enum Task<'a> {
    Enumerate(Box<enumerate::Task<'a>>),
    Solve(Box<solve::Task<'a>>),
}

impl<'a> Question<'a> {
    /// The strategy that suits it.
    pub fn strategy(&self) -> Strategy {
        let is_folded = self.limits.fold > 1 || self.constraint.fold.is_some();
        let keeps = || self.system.only_space().is_some_and(|space| self.constraint.keeps_partial_results(space));
        let has_bus = || self.system.only_space().is_some_and(|space| self.constraint.asks_for_one_bus(space));
        // Where rows are no box, a vector as time has no closed weights, but rounds: asked for, or all there is in the arrays looked at.
        let is_open = self.constraint.only_place().is_none();
        let is_plain = |space: &Space| match self.constraint.rounds() {
            Some(rounds) => rounds == 0,
            None => !is_open || self.bounds.ranks.iter().any(|rank| rank + 1 >= space.dimension()),
        };
        let is_ragged = |space: &Space| !is_plain(space) && sides(space).is_none();
        match self.system.only_space() {
            Some(space) if !is_folded && !keeps() && !has_bus() && !is_ragged(space) => Strategy::Enumerate,
            _ => Strategy::Solve,
        }
    }
}

impl<'a> Problem<'a> {
    /// Sets a problem up for the strategy that suits it.
    ///
    /// # Errors
    /// Restrictions that leave nothing, spaces that are not bounded, sizes too large to count at, and what no strategy can do.
    pub fn new(question: Question<'a>) -> Checked<Problem<'a>> {
        let strategy = question.strategy();
        Problem::by(strategy, question)
    }

    /// Sets a problem up for a strategy.
    ///
    /// # Errors
    /// As for [`Problem::new`]; several spaces cannot be enumerated.
    pub fn by(strategy: Strategy, question: Question<'a>) -> Checked<Problem<'a>> {
        check_boundary(strategy, &question)?;
        let Question { system, choices, bounds, machine, sizes, constraint, limits } = question;
        let left = || constraint.restrict(system, choices).map(|left| left.into_iter().next());
        let task = match (strategy, system.only_space()) {
            (Strategy::Enumerate, Some(space)) => {
                let choices = left()?.ok_or_else(|| not_one(system))?;
                let mut task = enumerate::Task::new(space, choices, bounds, machine, sizes, constraint)?;
                task.budget = limits.budget;
                Task::Enumerate(Box::new(task))
            }
            (Strategy::Enumerate, None) => return Err(not_one(system)),
            (Strategy::Solve, _) => {
                let mut task = solve::Task::new(system, choices, bounds, machine, sizes, constraint)?;
                task.limits = limits;
                Task::Solve(Box::new(task))
            }
        };
        Ok(Problem { system, task })
    }

    /// The spaces.
    pub fn system(&self) -> &'a SpaceSystem {
        self.system
    }

    /// The strategy.
    pub fn strategy(&self) -> Strategy {
        match self.task {
            Task::Enumerate(_) => Strategy::Enumerate,
            Task::Solve(_) => Strategy::Solve,
        }
    }

    /// The sizes at which designs are costed.
    pub fn sizes(&self) -> &Bindings {
        match &self.task {
            Task::Enumerate(task) => &task.sizes,
            Task::Solve(task) => &task.sizes,
        }
    }

    /// What the schedule fixes.
    pub fn constraint(&self) -> &Constraint {
        match &self.task {
            Task::Enumerate(task) => &task.constraint,
            Task::Solve(task) => &task.constraint,
        }
    }

    /// How far the search goes; `None` where all maps are looked at.
    pub fn limits(&self) -> Option<&Limits> {
        self.solved().map(|task| &task.limits)
    }

    /// What is solved for, where steps are.
    pub fn solved(&self) -> Option<&solve::Task<'a>> {
        match &self.task {
            Task::Enumerate(_) => None,
            Task::Solve(task) => Some(task),
        }
    }

    /// Whether a search that found nothing looked at all that its schedule allows, so that there is no design: the places are given,
    /// nothing was left out, and either values have no links there, or the times are given too and every dataflow fails whatever its
    /// steps are.
    pub fn rules_out(&self, survey: &Survey) -> bool {
        let (constraint, is_whole) = (self.constraint(), survey.left_out.is_nothing() && !survey.is_stopped);
        if !is_whole || constraint.places.iter().any(Option::is_none) {
            return false;
        }
        match &self.task {
            Task::Enumerate(_) => constraint.only_step().is_some(),
            Task::Solve(task) => {
                let is_timed = constraint.rounds.iter().all(Option::is_some);
                survey.maps == 0 || (is_timed && fails_at_all_steps(task, survey))
            }
        }
    }

    /// A design that was found, as one to prove.
    pub fn design(&self, found: &Found) -> Design<'a> {
        let Constraint { boundary_io, rooms, .. } = self.constraint();
        Design { boundary_io: *boundary_io, rooms: rooms.clone(), ..found.design(self.system) }
    }
}

/// Whether no dataflow of a search that found nothing has steps that may be legal. Where one has some that are not, others may be,
/// unless there are no others.
fn fails_at_all_steps(task: &solve::Task, survey: &Survey) -> bool {
    let is_only = survey.refused.is_none() || task.constraint.only_step().is_some();
    let is_decided = |parts: &Vec<SpaceDesign>| !matches!(solve::why_stuck(task, parts), Some(Stuck::Undecided(_)));
    is_only && survey.stuck.iter().all(is_decided)
}

/// Several spaces are not enumerated.
fn not_one(system: &SpaceSystem) -> Diagnostics {
    vec![Diagnostic::new(format!("the maps of `{}` cannot be enumerated: it has more than one space", system.kernel))]
}

/// Refuses `io boundary` where it is not looked at.
fn check_boundary(strategy: Strategy, question: &Question) -> Checked<()> {
    let (system, constraint) = (question.system, &question.constraint);
    if strategy == Strategy::Enumerate || !constraint.boundary_io {
        return Ok(());
    }
    let said = Diagnostic::new("`io boundary` is for arrays that are not folded, and have no bus from memory");
    let said = match constraint.span {
        Some(span) => said.label(&system.source, span, "in this schedule"),
        None => said,
    };
    said.help("leave the fold and the bus out, or `io boundary`").alone()
}

/// Sets a problem up and searches it. Where no map of one space is a design on this machine, and no schedule says where or when, its
/// times are solved for as those of several spaces are: in rounds, on fewer PEs.
///
/// # Errors
/// As for [`Problem::new`].
pub fn search_every_way<'a>(
    question: Question<'a>,
    all: bool,
    progress: &(dyn Fn(usize, usize) -> bool + Sync),
) -> Checked<(Problem<'a>, Survey)> {
    let is_open = !question.constraint.fixes_the_array() && question.constraint.given.is_none();
    let in_rounds = (question.strategy() == Strategy::Enumerate && is_open).then(|| question.clone());
    let problem = Problem::new(question)?;
    let survey = search(&problem, all, progress);
    let Some(question) = in_rounds.filter(|_| survey.designs == 0) else { return Ok((problem, survey)) };
    let solved = Problem::by(Strategy::Solve, question).ok();
    let solved = solved.map(|solved| (search(&solved, all, progress), solved)).filter(|(found, _)| found.designs > 0);
    // Where nothing is solved for either, what stands in the way is said of the maps.
    Ok(match solved {
        Some((found, solved)) => {
            let is_stopped = found.is_stopped || survey.is_stopped;
            (solved, Survey { is_stopped, ..found })
        }
        None => (problem, survey),
    })
}

/// Runs the search; `all` also keeps every legal design beside the front. `progress` hears how many of how many places are done,
/// and says whether to go on; where it always does the result does not depend on the number of threads. Where the schedule is
/// a whole design nothing is looked for: the front is that design, which nobody has counted.
pub fn search(problem: &Problem, all: bool, progress: &(dyn Fn(usize, usize) -> bool + Sync)) -> Survey {
    if let Some(given) = &problem.constraint().given {
        let mut survey = Survey { strategy: problem.strategy(), ..Survey::default() };
        survey.front.add(Found { cost: Cost::default(), parts: given.parts.clone(), fold: given.fold.clone() });
        return survey;
    }
    match &problem.task {
        Task::Enumerate(task) => enumerate::search(task, all, progress),
        Task::Solve(task) => solve::search(task, all, progress),
    }
}

/// Counts a design again, point by point, with no code of the search's. Spaces too large for that are left alone, and so is a design that
/// a schedule gives whole: there is no count to hold it to.
///
/// # Errors
/// The law that is broken, or both counts.
pub fn verify(problem: &Problem, found: &Found) -> Result<(), String> {
    if problem.constraint().given.is_some() {
        return Ok(());
    }
    match &problem.task {
        Task::Solve(task) => solve::verify(task, found),
        Task::Enumerate(task) => {
            let (space, sizes) = (task.space, &task.sizes);
            let region = Region::new(&space.domain.set, space.indices(), sizes);
            if region.is_none_or(|region| region.count() > MOST_CHECKED) {
                return Ok(());
            }
            let cost = enumerate::verify(space, task.machine, sizes, found)?;
            let differ = || format!("the search counts {:?}, the checker {cost:?}", found.cost);
            if cost == found.cost { Ok(()) } else { Err(differ()) }
        }
    }
}
