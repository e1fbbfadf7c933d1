//! The whole compiler as one call: equations in, a proved design and its program out. Nothing is printed.
//!
//! In: the text of a kernel, and [`Options`]. Out: a [`Compiled`]: the front, the best design that is proved, its proofs, its
//! program for all sizes, and the chain of rules that leads to it. The command does the same with tiles, forms and the
//! systolizing scheme besides, and writes into the program how PEs are distributed to workers.

use crate::cost::{Cost, Objective};
use crate::emit::emit;
use crate::extract::{
    Constraint, Found, Inquiry, Limits, Partition, Problem, Question, SHARES_BOTH_WAYS, Survey, TriedPartition,
    best_division, both_ways, is_better_both_ways, is_better_divided, search_every_way, undivided, verify,
};
use crate::mapping::candidates::Bounds;
use crate::mapping::{Design, Rooms};
use crate::rewrite::{self, Choices, Lowered, Step, load_rules, saturate};
use crate::smt::{Discharged, Verdict, discharge_all, refutation_message};
use crate::timing::obligations;
use std::sync::Arc;
use std::time::Duration;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, refused};
use systole_base::integer::{Bindings, Name};
use systole_base::machine::Machine;
use systole_base::refusal::Refusal;
use systole_base::span::Source;
use systole_equations::recurrence::spaces::{SpaceSystem, spaces_of, spaces_under};
use systole_equations::recurrence::{RecurrenceSystem, Schedule, check_assumed, load};
use systole_program::array::{Program, store_obligations};

/// A size that is not given.
const USUAL_SIZE: i64 = 4;

/// What is asked of the compiler.
#[derive(Clone, Debug)]
pub struct Options {
    /// The schedule of the file that is kept to; with none everything is searched.
    pub schedule: Option<String>,
    /// The machine.
    pub machine: Machine,
    /// The sizes at which designs are costed; those that are left out are 4.
    pub sizes: Bindings,
    /// What is best.
    pub objective: Objective,
    /// How long the proof of one obligation may take.
    pub limit: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            schedule: None,
            machine: Machine::default(),
            sizes: Bindings::new(),
            objective: Objective::Systolic,
            limit: Duration::from_secs(10),
        }
    }
}

/// What the compiler found.
pub struct Compiled {
    /// The equations.
    pub equations: RecurrenceSystem,
    /// Their spaces.
    pub spaces: SpaceSystem,
    /// The Pareto front, best first.
    pub front: Vec<Found>,
    /// Which of them is proved, and has the program.
    pub winner: usize,
    /// The proofs of everything that was asked of it, for all sizes.
    pub proofs: Vec<Discharged>,
    /// Outputs of which it cannot be stated for all sizes that each element is stored once; each run looks.
    pub unstated: Vec<Name>,
    /// Its program, for all sizes.
    pub program: Program,
    boundary_io: bool,
    rooms: Rooms,
    lowered: Lowered,
}

impl Compiled {
    /// The design that is proved.
    pub fn design(&self) -> Design<'_> {
        let (boundary_io, rooms) = (self.boundary_io, self.rooms.clone());
        Design { boundary_io, rooms, ..self.front[self.winner].design(&self.spaces) }
    }

    /// The steps from the equations to the dataflow of each space, each under a rule.
    pub fn explain(&mut self) -> Vec<Step> {
        let parts = self.front[self.winner].parts.iter().enumerate();
        parts.flat_map(|(space, part)| self.lowered.explain(space, &part.dataflow)).collect()
    }
}

/// Compiles a kernel: saturates its equations, searches, proves the best design that can be proved, has the separate checker count it
/// again, and writes its program.
///
/// # Errors
/// What is wrong with the text; a schedule that is not there or cannot be kept to; no design found; what refutes the last design where
/// none on the front is proved; what the solver did not decide of the first that is not refuted.
pub fn compile(source: &Arc<Source>, options: &Options) -> Checked<Compiled> {
    let equations = load(source)?;
    let schedule = options.schedule.as_deref().map(|name| equations.asked_schedule(name)).transpose()?;
    let spaces = match schedule {
        Some(schedule) => spaces_under(&equations, schedule)?,
        None => spaces_of(&equations)?,
    };
    let sizes: Bindings = spaces.parameters.filled(&options.sizes, USUAL_SIZE);
    check_assumed(&equations, &sizes)?;
    let whole = Saturated::new(spaces, None)?;
    let says_where = schedule.is_some_and(Schedule::says_where);
    let best = if says_where { None } else { divided(schedule, &whole, (&sizes, options))? };
    let best = streamed_both_ways(schedule, best.unwrap_or(whole), (&sizes, options))?;
    let Saturated { spaces, lowered, choices, partition, seen } = best;
    let asked =
        Asked { system: &spaces, choices: &choices, partition: partition.as_ref(), schedule, sizes: &sizes, options };
    let (problem, survey) = match seen {
        Some(survey) => (Problem::by(survey.strategy, asked.question()?)?, survey),
        None => asked.search(Limits::usual())?,
    };
    let front = asked.found(&problem, &survey)?;
    let (boundary_io, rooms) = (problem.constraint().boundary_io, problem.constraint().rooms.clone());
    let (winner, proofs, unstated, program) = first_proved(&problem, &front, options).map_err(of_front)?;
    Ok(Compiled { equations, spaces, front, winner, proofs, unstated, program, boundary_io, rooms, lowered })
}

/// The spaces of a kernel, divided in some way or not, with what the rules offer for each.
struct Saturated {
    spaces: SpaceSystem,
    lowered: Lowered,
    choices: Vec<Choices>,
    partition: Option<Partition>,
    /// What was seen of it where it was compared with other ways to cut the kernel.
    seen: Option<Survey>,
}

impl Saturated {
    fn new(spaces: SpaceSystem, partition: Option<Partition>) -> Checked<Saturated> {
        let lowered = saturate(&spaces, &load_rules(None)?, &rewrite::Limits::default())?;
        let choices = lowered.choices()?;
        Ok(Saturated { spaces, lowered, choices, partition, seen: None })
    }

    fn asked<'a>(&'a self, schedule: Option<&'a Schedule>, sizes: &'a Bindings, options: &'a Options) -> Asked<'a> {
        let Saturated { spaces: system, choices, partition, .. } = self;
        Asked { system, choices, partition: partition.as_ref(), schedule, sizes, options }
    }
}

/// The best way to divide a kernel that is larger than the array of the machine; nothing where it fits, or is better as it is.
fn divided(
    schedule: Option<&Schedule>,
    whole: &Saturated,
    (sizes, options): (&Bindings, &Options),
) -> Checked<Option<Saturated>> {
    let asked = whole.asked(schedule, sizes, options);
    let ways = Partition::all(&whole.spaces, &options.machine, sizes, &Partition::RANKS);
    // They share the budget.
    let limits = Limits::usual().share_of_a_way(ways.len() as u64);
    let best = best_division(ways, options.objective, |partition| {
        let Some(spaces) = partition.divide(&whole.spaces) else { return Ok(None) };
        let mut divided = Saturated::new(spaces, Some(partition.clone()))?;
        let (found, survey) = {
            let (problem, survey) = divided.asked(schedule, sizes, options).search(limits)?;
            let best = survey.sorted(options.objective).first().map(|found| (found.cost, problem.sizes().clone()));
            (best, survey)
        };
        divided.seen = Some(survey);
        Ok(found.map(|(cost, counted)| (cost, counted, divided)))
    })?;
    let Some((TriedPartition { cost, counted, found, .. }, _)) = best else { return Ok(None) };
    let as_it_is = undivided(&asked.question()?, options.objective, &counted, &|_, _| true)?;
    Ok(Some(found).filter(|_| is_better_divided(options.objective, &cost, as_it_is.as_ref())))
}

/// The spaces cut where values are computed, so that these stream both ways, where one way leads to no array and both to a better
/// design; else as they are.
fn streamed_both_ways(
    schedule: Option<&Schedule>,
    mut whole: Saturated,
    (sizes, options): (&Bindings, &Options),
) -> Checked<Saturated> {
    if schedule.is_some() || whole.partition.is_some() || whole.spaces.read_on_both_sides().is_empty() {
        return Ok(whole);
    }
    let best = |spaces: &Saturated, limits: Limits| -> Checked<(Option<Cost>, Survey)> {
        let (_, survey) = spaces.asked(None, sizes, options).search(limits)?;
        Ok((survey.sorted(options.objective).first().map(|found| found.cost), survey))
    };
    let (before, survey) = best(&whole, Limits::usual())?;
    let cut = both_ways(&whole.spaces, &survey);
    whole.seen = Some(survey);
    let Some(cut) = cut else { return Ok(whole) };
    let Ok(mut streamed) = Saturated::new(cut, None) else { return Ok(whole) };
    let (found, survey) = best(&streamed, Limits::usual().share(SHARES_BOTH_WAYS))?;
    streamed.seen = Some(survey);
    Ok(if is_better_both_ways(options.objective, found.as_ref(), before.as_ref()) { streamed } else { whole })
}

/// What the search is asked.
struct Asked<'a> {
    system: &'a SpaceSystem,
    choices: &'a [Choices],
    partition: Option<&'a Partition>,
    schedule: Option<&'a Schedule>,
    sizes: &'a Bindings,
    options: &'a Options,
}

impl<'a> Asked<'a> {
    fn question(&self) -> Checked<Question<'a>> {
        let constraint = match self.schedule {
            Some(schedule) => self.constrain(schedule)?,
            None => self.constrained(Constraint::none(self.system)),
        };
        Ok(self.question_with(constraint))
    }

    fn question_with(&self, constraint: Constraint) -> Question<'a> {
        let Asked { system, choices, sizes, options, .. } = *self;
        let (mut bounds, limits, machine) = (Bounds::for_system(system), Limits::usual(), &options.machine);
        if self.partition.is_some() {
            bounds.steps = Partition::steps(bounds.steps);
        }
        Question { system, choices, bounds, machine, sizes, constraint, limits }
    }

    /// What a schedule fixes.
    fn constrain(&self, schedule: &Schedule) -> Checked<Constraint> {
        let constraint = Constraint::from_schedule(self.system, schedule)?;
        if let Some((tensor, _, span)) = constraint.loading.first() {
            return Diagnostic::new(format!("`{tensor}` is loaded through the array by the systolizing scheme alone"))
                .label(&self.system.source, *span, "asks for it")
                .help("emit such a schedule by `systole emit`, or leave the line out")
                .alone();
        }
        Ok(self.constrained(constraint))
    }

    /// The same with what lies along the axes of the array.
    fn constrained(&self, mut constraint: Constraint) -> Constraint {
        if let Some(partition) = self.partition {
            partition.constrain(self.system, &mut constraint);
        }
        constraint
    }

    fn search(&self, limits: Limits) -> Checked<(Problem<'a>, Survey)> {
        let blamed = |why| self.inquire(Constraint::none(self.system), |inquiry| inquiry.blame(why));
        let searched = |question| search_every_way(Question { limits, ..question }, false, &|_, _| true);
        self.question().and_then(searched).map_err(blamed)
    }

    /// The front, best first.
    fn found(&self, problem: &Problem, survey: &Survey) -> Checked<Vec<Found>> {
        let front = survey.sorted(self.options.objective);
        if front.is_empty() {
            let constraint = problem.constraint().clone();
            let refusal =
                self.inquire(constraint, |inquiry| inquiry.refusal(problem, survey, (&[survey.looked_at()], &[])));
            return nothing_found(problem, survey, refusal).alone();
        }
        Ok(front)
    }

    /// Asks why nothing is found.
    fn inquire<T>(&self, constraint: Constraint, ask: impl FnOnce(&Inquiry) -> T) -> T {
        let (question, network) = (self.question_with(constraint), self.options.machine.links.network);
        let constrain = |schedule: &Schedule| self.constrain(schedule);
        let progress = |_, _| true;
        ask(&Inquiry {
            question,
            schedule: self.schedule,
            constrain: &constrain,
            unscheduled: network,
            progress: &progress,
        })
    }
}

/// That there is no design, and why.
fn nothing_found(problem: &Problem, survey: &Survey, refusal: Refusal) -> Diagnostic {
    let said = Diagnostic::new(refusal.message(&problem.system().kernel)).note(survey.looked_at());
    let said = match problem.constraint().span {
        Some(span) => said.label(&problem.system().source, span, "with what this schedule fixes"),
        None => said,
    };
    said.help("`systole search` says what stands in the way").refuses(refusal)
}

/// The best design of the front that is proved, with its proofs, the outputs of which stores are not stated, and its program.
fn first_proved(
    problem: &Problem,
    front: &[Found],
    options: &Options,
) -> Checked<(usize, Vec<Discharged>, Vec<Name>, Program)> {
    let (mut refuted, mut unproved) = (vec![], None);
    for (number, found) in front.iter().enumerate() {
        let design = problem.design(found);
        let emitted = emit(&design, &options.machine.links);
        let proved = emitted.and_then(|program| Ok((prove(&design, &program, options)?, program)));
        let ((proofs, unstated), program) = match proved {
            Ok(proved) => proved,
            // Of another design all claims may be stated.
            Err(why) => {
                unproved.get_or_insert(why);
                continue;
            }
        };
        let is_refuted = |proof: &Discharged| matches!(proof.verdict, Verdict::Refuted(_));
        if proofs.iter().all(|proof| proof.verdict == Verdict::Proved) {
            verify(problem, found)
                .map_err(|why| vec![Diagnostic::new(format!("the checker refuses the design: {why}"))])?;
            return Ok((number, proofs, unstated, program));
        }
        refuted = messages(problem, &proofs);
        if !proofs.iter().any(is_refuted) {
            break;
        }
    }
    Err(unproved.unwrap_or(refuted))
}

/// Why no design of the front is taken: others may be beyond it.
fn of_front(problems: Diagnostics) -> Diagnostics {
    refused(Refusal::beyond("only the designs of the front are proved"), problems)
}

/// Everything that must hold of a design, and of what its program stores; and the outputs of which the latter cannot be stated.
fn prove(design: &Design, program: &Program, options: &Options) -> Checked<(Vec<Discharged>, Vec<Name>)> {
    let mut stated = obligations(design, &options.machine.links)?;
    let (stored, unstated) = store_obligations(program);
    stated.extend(stored);
    Ok((discharge_all(&stated, options.limit), unstated))
}

/// What is not proved, in the words of the source.
fn messages(problem: &Problem, proofs: &[Discharged]) -> Diagnostics {
    let Some(space) = problem.system().spaces.first() else { return vec![] };
    let line_of = |proof: &Discharged| problem.constraint().line_of(&proof.obligation);
    proofs.iter().filter_map(|proof| refutation_message(space, line_of(proof), proof)).collect()
}
