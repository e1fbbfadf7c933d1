//! Text to a proved design of several spaces.

use super::setting::Setting;
use super::{refusal, show};
use crate::cost::Machine;
use crate::diagnostic::{Checked, Diagnostic};
use crate::driver::arguments::{KernelArguments, SpaceArguments};
use crate::driver::output::Output;
use crate::driver::{Failure, Verdict, pipeline};
use crate::extract::{self, SystemFound, SystemLimits, SystemSurvey, verify_system};
use crate::integer::Bindings;
use crate::mapping::SystemDesign;
use crate::recurrence::spaces::{SpaceSystem, cut_spaces};
use crate::recurrence::{self, RecurrenceSystem};
use crate::rewrite::{self, Choices, LoweredSystem, Scheduled};
use crate::smt::{self, Discharged};
use crate::span::Span;
use crate::timing;
use std::time::{Duration, Instant};

/// A kernel with everything the e-graph offers for its spaces.
pub struct Loaded {
    /// The equations.
    pub system: RecurrenceSystem,
    /// Their spaces.
    pub cut: SpaceSystem,
    /// The saturated e-graph.
    pub lowered: LoweredSystem,
    /// What it offers for each space.
    pub choices: Vec<Choices>,
}

/// Text to saturated e-graph.
pub fn load(arguments: &KernelArguments) -> Checked<Loaded> {
    let system = recurrence::load(&pipeline::source(&arguments.kernel)?)?;
    let cut = cut_spaces(&system)?;
    let rules = rewrite::load_rules(arguments.rules.as_deref())?;
    let lowered = rewrite::saturate_system(&cut, &rules, &rewrite::Limits::default())?;
    let choices = lowered.choices()?;
    Ok(Loaded { system, cut, lowered, choices })
}

/// A search with its setting.
pub struct Searched {
    /// The machine with the command line's changes.
    pub machine: Machine,
    /// The sizes asked for.
    pub sizes: Bindings,
    /// The sizes at which designs were costed: smaller where there are too many points to count.
    pub counted: Bindings,
    /// Where the schedule, or its time, stands in the source.
    pub span: Option<Span>,
    /// How far the search went.
    pub limits: SystemLimits,
    /// What was seen.
    pub survey: SystemSurvey,
    /// The front, best first.
    pub front: Vec<SystemFound>,
    /// How long it took.
    pub elapsed: Duration,
}

/// Runs the search.
pub fn search(loaded: &Loaded, arguments: &SpaceArguments, output: &Output) -> Checked<Searched> {
    let setting = Setting::new(loaded, arguments)?;
    let bar = output.progress("search");
    let progress = |done: usize, total: usize| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    };
    let start = Instant::now();
    let problem = setting.problem(loaded)?;
    let survey = pipeline::with_threads(arguments.threads, || extract::search_system(&problem, &progress))?;
    let (elapsed, counted, limits) = (start.elapsed(), problem.sizes.clone(), problem.limits);
    bar.finish_and_clear();
    drop(problem);
    let front = survey.sorted(setting.objective);
    let span = setting.constraint.span;
    Ok(Searched { span, machine: setting.machine, sizes: setting.sizes, counted, limits, survey, front, elapsed })
}

/// A design of the front as a design to prove.
pub fn design<'a>(loaded: &'a Loaded, found: &SystemFound) -> SystemDesign<'a> {
    SystemDesign { system: &loaded.cut, parts: found.parts.clone() }
}

/// A proved design.
pub struct Winner {
    /// Its place on the front.
    pub index: usize,
    /// The design as the search found it.
    pub found: SystemFound,
    /// Its proofs.
    pub proofs: Vec<Discharged>,
    /// The name of its proof record, under which it stands in the e-graph.
    pub record: String,
}

/// The best design of the front that is proved; a refuted one is passed over, with a message.
///
/// # Errors
/// Nothing on the front is proved, or the front is empty: then why. Or the checker refuses what the search found.
pub fn prove_best(
    loaded: &mut Loaded,
    searched: &Searched,
    arguments: &SpaceArguments,
    limit: u64,
    output: &Output,
) -> Result<Winner, Failure> {
    let mut last = vec![];
    for (index, found) in searched.front.iter().enumerate() {
        let proofs = prove(&design(loaded, found), &searched.machine, limit)?;
        match pipeline::verdict(&proofs) {
            Verdict::Good => {
                confirm(loaded, arguments, found)?;
                let record = format!("proved-by-{}-obligations", proofs.len());
                let texts = show::texts(loaded, found);
                loaded.lowered.record(&scheduled(found, &texts), &record);
                return Ok(Winner { index, found: found.clone(), proofs, record });
            }
            Verdict::Unknown => {
                let diagnostics = refusal::messages(loaded, searched.span, &proofs);
                return Err(Failure { diagnostics, verdict: Verdict::Unknown });
            }
            Verdict::Refuted => last = refusal::messages(loaded, searched.span, &proofs),
        }
        output.error(&format!("design {index} of the front is refuted; trying the next"));
    }
    if last.is_empty() {
        last = refusal::nothing_found(loaded, searched, &Setting::new(loaded, arguments)?, limit);
    }
    Err(last.into())
}

/// The parts with the texts of their places and steps.
pub fn scheduled<'a>(found: &'a SystemFound, texts: &'a [(String, String)]) -> Vec<Scheduled<'a>> {
    let parts = found.parts.iter().zip(texts);
    parts.map(|(part, (place, step))| Scheduled { dataflow: &part.dataflow, place, step }).collect()
}

/// All obligations of a design, discharged.
pub fn prove(design: &SystemDesign, machine: &Machine, limit: u64) -> Checked<Vec<Discharged>> {
    let obligations = timing::system_obligations(design, &machine.links)?;
    Ok(smt::discharge_all(&obligations, Duration::from_millis(limit)))
}

/// Has the separate checker look at the design, point by point.
fn confirm(loaded: &Loaded, arguments: &SpaceArguments, found: &SystemFound) -> Checked<()> {
    let setting = Setting::new(loaded, arguments)?;
    let problem = setting.problem(loaded)?;
    verify_system(&problem, found).map_err(|why| {
        let message = format!("the checker refuses the design that the search found: {why}");
        vec![Diagnostic::new(message).help("this is a defect of systole: please report the kernel and the flags")]
    })
}
