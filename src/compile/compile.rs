//! The whole compiler as one call: equations in, a proved design and its program out. Nothing is printed.
//!
//! In: the text of a kernel, and [`Options`]. Out: a [`Compiled`]: the front, the best design that is proved, its proofs, its
//! program for all sizes, and the chain of rules that leads to it. The command does the same with tiles, forms and ports
//! besides; stage by stage it is what the modules of this package offer.

use crate::cost::Objective;
use crate::emit::emit;
use crate::extract::{Constraint, Found, Limits, Problem, Question, search};
use crate::mapping::Design;
use crate::mapping::candidates::Bounds;
use crate::rewrite::{self, Lowered, Step, load_rules, saturate};
use crate::smt::{Discharged, Verdict, discharge_all, refutation_message};
use crate::timing::obligations;
use std::sync::Arc;
use std::time::Duration;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics};
use systole_base::integer::{Bindings, Name};
use systole_base::machine::Machine;
use systole_base::span::Source;
use systole_equations::recurrence::spaces::{SpaceSystem, spaces_of};
use systole_equations::recurrence::{RecurrenceSystem, Space, load};
use systole_program::array::{Program, store_obligations};

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
    lowered: Lowered,
}

impl Compiled {
    /// The design that is proved.
    pub fn design(&self) -> Design<'_> {
        let found = &self.front[self.winner];
        Design { fold: found.fold.clone(), ..Design::new(&self.spaces, found.parts.clone()) }
    }

    /// The steps from the equations to the dataflow of each space, each under a rule.
    pub fn explain(&mut self) -> Vec<Step> {
        let parts = self.front[self.winner].parts.iter().enumerate();
        parts.flat_map(|(space, part)| self.lowered.explain(space, &part.dataflow)).collect()
    }
}

/// Compiles a kernel: saturates its equations, searches, proves the best design that can be proved, and writes its program.
///
/// # Errors
/// What is wrong with the text; a schedule that is not there or cannot be kept to; no legal design; or, where none on the front
/// is proved, what refutes the last one.
pub fn compile(source: &Arc<Source>, options: &Options) -> Checked<Compiled> {
    let equations = load(source)?;
    let spaces = spaces_of(&equations)?;
    let lowered = saturate(&spaces, &load_rules(None)?, &rewrite::Limits::default())?;
    let (front, constraint) =
        (found(&equations, &spaces, &lowered, options)?, constraint(&equations, &spaces, options)?);
    let mut refuted = vec![];
    for winner in 0..front.len() {
        let found = &front[winner];
        let boundary_io = constraint.boundary_io;
        let parts = found.parts.clone();
        let design = Design { fold: found.fold.clone(), boundary_io, ..Design::new(&spaces, parts) };
        let program = emit(&design, &options.machine.links)?;
        let (proofs, unstated) = prove(&design, &program, options)?;
        if proofs.iter().all(|proof| proof.verdict == Verdict::Proved) {
            return Ok(Compiled { equations, spaces, front, winner, proofs, unstated, program, lowered });
        }
        refuted = messages(&spaces, &constraint, &proofs);
    }
    Err(refuted)
}

/// The front, best first.
fn found(
    equations: &RecurrenceSystem,
    system: &SpaceSystem,
    lowered: &Lowered,
    options: &Options,
) -> Checked<Vec<Found>> {
    let sizes: Bindings = system.parameters.iter().map(|size| (size.clone(), 4)).chain(options.sizes.clone()).collect();
    let (choices, machine) = (lowered.choices()?, &options.machine);
    let dimension = system.spaces.iter().map(Space::dimension).max().unwrap_or(0);
    let (bounds, limits) = (Bounds::for_dimension(dimension), Limits::default());
    let (constraint, sizes, choices) = (constraint(equations, system, options)?, &sizes, &choices);
    let problem = Problem::new(Question { system, choices, bounds, machine, sizes, constraint, limits })?;
    let survey = search(&problem, false, &|_, _| {});
    let front = survey.sorted(options.objective);
    if front.is_empty() {
        return Diagnostic::new(format!("no design of `{}` was found among {} maps", system.kernel, survey.maps))
            .help("`systole search` says what stands in the way")
            .alone();
    }
    Ok(front)
}

/// What the schedule fixes.
fn constraint(equations: &RecurrenceSystem, system: &SpaceSystem, options: &Options) -> Checked<Constraint> {
    let Some(name) = &options.schedule else { return Ok(Constraint::none(system)) };
    match equations.schedules.iter().find(|schedule| *schedule.name == **name) {
        Some(schedule) => Constraint::from_schedule(system, schedule),
        None => Diagnostic::new(format!("`{}` has no schedule `{name}`", equations.name)).alone(),
    }
}

/// Everything that must hold of a design, and of what its program stores; and the outputs of which the latter cannot be stated.
fn prove(design: &Design, program: &Program, options: &Options) -> Checked<(Vec<Discharged>, Vec<Name>)> {
    let mut stated = obligations(design, &options.machine.links)?;
    let (stored, unstated) = store_obligations(program);
    stated.extend(stored);
    Ok((discharge_all(&stated, options.limit), unstated))
}

/// What is not proved, in the words of the source.
fn messages(system: &SpaceSystem, constraint: &Constraint, proofs: &[Discharged]) -> Diagnostics {
    let Some(space) = system.spaces.first() else { return vec![] };
    proofs.iter().filter_map(|proof| refutation_message(space, constraint.span, proof)).collect()
}
