//! The stages in their order, shared by all commands that start from a kernel.

use super::arguments::{KernelArguments, SpaceArguments};
use super::border::{self, Border};
use super::output::Output;
use super::setting::Setting;
use super::{Failure, files, show};
use crate::cost::{Machine, Region};
use crate::diagnostic::{Checked, Diagnostic};
use crate::extract::{self, Constraint, Found, Survey};
use crate::integer::Bindings;
use crate::mapping::Design;
use crate::recurrence::{self, RecurrenceSystem, Space};
use crate::rewrite::{self, Choices, Lowered};
use crate::smt::{self, Discharged, Verdict};
use crate::span::Source;
use crate::{syntax, timing};
use std::path::Path;
use std::time::{Duration, Instant};

/// A kernel with everything the e-graph offers for it.
pub struct Loaded {
    /// The system.
    pub system: RecurrenceSystem,
    /// Its space.
    pub space: Space,
    /// The saturated e-graph.
    pub lowered: Lowered,
    /// What it offers.
    pub choices: Choices,
}

/// The text of a kernel: a file, or an einsum.
pub fn source(kernel: &str) -> Checked<std::sync::Arc<Source>> {
    if kernel.contains("->") { syntax::einsum(kernel) } else { files::read(Path::new(kernel)) }
}

/// Text to saturated e-graph.
pub fn load(arguments: &KernelArguments) -> Checked<Loaded> {
    let system = recurrence::load(&source(&arguments.kernel)?)?;
    let space = recurrence::one_space(&system)?;
    let rules = rewrite::load_rules(arguments.rules.as_deref())?;
    let lowered = rewrite::saturate(&space, &rules, &rewrite::Limits::default())?;
    let choices = lowered.choices()?;
    Ok(Loaded { system, space, lowered, choices })
}

/// A search with its setting.
pub struct Searched {
    /// The machine with the command line's changes.
    pub machine: Machine,
    /// The sizes costed.
    pub sizes: Bindings,
    /// What the schedule fixed.
    pub constraint: Constraint,
    /// What was seen.
    pub survey: Survey,
    /// The front, best first.
    pub front: Vec<Found>,
    /// How long it took.
    pub elapsed: Duration,
    /// How the schedule's `io` is kept to.
    pub border: Border,
}

/// Runs the search. With `io boundary`, designs that the systolizing scheme covers come before all others.
pub fn search(loaded: &Loaded, arguments: &SpaceArguments, all: bool, output: &Output) -> Checked<Searched> {
    let setting = Setting::new(loaded, arguments)?;
    if !setting.constraint.boundary_io {
        return search_with(loaded, arguments, setting, all, output);
    }
    let mut free = Setting::new(loaded, arguments)?;
    free.constraint.boundary_io = false;
    let mut searched = search_with(loaded, arguments, free, all, output)?;
    match border::covered(loaded, std::mem::take(&mut searched.front), &searched.constraint) {
        Ok(front) => Ok(Searched { front, border: Border::Loads, ..searched }),
        // Who names a way to load asks for the scheme.
        Err(reasons) if !searched.constraint.loading.is_empty() && !reasons.is_empty() => Err(reasons),
        Err(reasons) => {
            let strict = search_with(loaded, arguments, setting, all, output)?;
            Ok(Searched { border: Border::Ports(reasons), ..strict })
        }
    }
}

fn search_with(
    loaded: &Loaded,
    arguments: &SpaceArguments,
    setting: Setting,
    all: bool,
    output: &Output,
) -> Checked<Searched> {
    let bar = output.progress("search");
    let progress = |done: usize, total: usize| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    };
    let start = Instant::now();
    let problem = setting.problem(&loaded.space)?;
    let survey = with_threads(arguments.threads, || extract::search(&problem, all, &progress))?;
    let elapsed = start.elapsed();
    bar.finish_and_clear();
    drop(problem);
    let front = survey.front.clone().sorted(setting.objective);
    let Setting { machine, sizes, constraint, .. } = setting;
    Ok(Searched { machine, sizes, constraint, survey, front, elapsed, border: Border::Anywhere })
}

/// Runs work on so many threads; one a core where the number is not given.
pub fn with_threads<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> Checked<T> {
    let Some(threads) = threads else { return Ok(work()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.clamp(1, 1024)).build();
    pool.map(|pool| pool.install(work))
        .map_err(|error| Diagnostic::new(format!("cannot start threads: {error}")).into())
}

/// A design of the front as a design to prove.
pub fn design<'a>(space: &'a Space, found: &Found, boundary_io: bool) -> Design<'a> {
    Design { space, dataflow: found.dataflow.clone(), map: found.map.clone(), boundary_io }
}

/// All obligations of a design, discharged.
pub fn prove(design: &Design, machine: &Machine, limit: u64) -> Checked<Vec<Discharged>> {
    let obligations = timing::obligations(design, &machine.links)?;
    Ok(smt::discharge_all(&obligations, Duration::from_millis(limit)))
}

/// The worst of many verdicts.
pub fn verdict(proofs: &[Discharged]) -> super::Verdict {
    let any = |test: fn(&Verdict) -> bool| proofs.iter().any(|proof| test(&proof.verdict));
    if any(|verdict| matches!(verdict, Verdict::Refuted(_))) {
        super::Verdict::Refuted
    } else if any(|verdict| matches!(verdict, Verdict::Unknown(_))) {
        super::Verdict::Unknown
    } else {
        super::Verdict::Good
    }
}

/// A proved design.
pub struct Winner {
    /// Its place on the front.
    pub index: usize,
    /// The design as the search found it.
    pub found: Found,
    /// Its proofs.
    pub proofs: Vec<Discharged>,
    /// The name of its proof record, under which it stands in the e-graph.
    pub record: String,
}

impl Winner {
    /// The winner as a design.
    pub fn design<'a>(&self, space: &'a Space, searched: &Searched) -> Design<'a> {
        design(space, &self.found, searched.constraint.boundary_io)
    }
}

/// The best design of the front that is proved, entered into the e-graph as a `sched` node; a refuted one is passed over,
/// with a message.
///
/// # Errors
/// Nothing on the front is proved, or the front is empty: then why. Or the checker counts otherwise than the search.
pub fn prove_best(
    loaded: &mut Loaded,
    searched: &Searched,
    arguments: &SpaceArguments,
    limit: u64,
    output: &Output,
) -> Result<Winner, Failure> {
    let mut last = vec![];
    for (index, found) in searched.front.iter().enumerate() {
        let design = design(&loaded.space, found, searched.constraint.boundary_io);
        let proofs = prove(&design, &searched.machine, limit)?;
        match verdict(&proofs) {
            super::Verdict::Good => {
                confirm(&loaded.space, searched, found)?;
                let record = record(loaded, found, &proofs);
                return Ok(Winner { index, found: found.clone(), proofs, record });
            }
            super::Verdict::Unknown => {
                let diagnostics = messages(&loaded.space, searched.constraint.span, &proofs);
                return Err(Failure { diagnostics, verdict: super::Verdict::Unknown });
            }
            super::Verdict::Refuted => last = messages(&loaded.space, searched.constraint.span, &proofs),
        }
        output.error(&format!("design {index} of the front is refuted; trying the next"));
    }
    let diagnostics = if last.is_empty() { why_nothing(loaded, searched, arguments, limit)? } else { last };
    Err(diagnostics.into())
}

/// Spaces of more points than this are not counted point by point.
const MOST_POINTS: u64 = 100_000;

/// Has the separate checker count the design again, point by point.
fn confirm(space: &Space, searched: &Searched, found: &Found) -> Checked<()> {
    let region = Region::new(&space.domain.set, space.indices(), &searched.sizes);
    if region.is_none_or(|region| region.count() > MOST_POINTS) {
        return Ok(());
    }
    let counted = extract::verify(space, &searched.machine, &searched.sizes, found);
    match counted {
        Ok(cost) if cost == found.cost => Ok(()),
        Ok(cost) => Diagnostic::new("the search and its checker count differently")
            .note(format!("search  {:?}", found.cost))
            .note(format!("checker {cost:?}"))
            .help("this is a defect of systole: please report the kernel and the flags")
            .alone(),
        Err(why) => Diagnostic::new(format!("the checker refuses the design that the search found: {why}"))
            .help("this is a defect of systole: please report the kernel and the flags")
            .alone(),
    }
}

/// Enters a proved design into the e-graph; the union's reason is the name of the proof record.
fn record(loaded: &mut Loaded, found: &Found, proofs: &[Discharged]) -> String {
    let name = format!("proved-by-{}-obligations", proofs.len());
    let (place, step) = show::rows(&loaded.space, &found.map);
    loaded.lowered.record(&found.dataflow, &place, &step, &name);
    name
}

/// The messages of all obligations that are not proved.
pub fn messages(space: &Space, span: Option<crate::span::Span>, proofs: &[Discharged]) -> Vec<Diagnostic> {
    proofs.iter().filter_map(|proof| smt::refutation_message(space, span, proof)).collect()
}

/// Why the search found nothing: for a schedule with place and time, its refuted obligations; else what stood in the way.
pub fn why_nothing(
    loaded: &Loaded,
    searched: &Searched,
    arguments: &SpaceArguments,
    limit: u64,
) -> Checked<Vec<Diagnostic>> {
    let setting = Setting::new(loaded, arguments)?;
    let mut said = vec![];
    if let Some(design) = setting.forced(&loaded.space)? {
        let proofs = prove(&design, &searched.machine, limit)?;
        said = messages(&loaded.space, searched.constraint.span, &proofs);
    }
    if said.is_empty() {
        said.push(show::nothing_found(loaded, searched));
    }
    if let Border::Ports(reasons) = &searched.border {
        said.extend(reasons.iter().cloned());
    }
    Ok(said)
}
