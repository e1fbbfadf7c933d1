//! The stages in their order, shared by all commands that start from a kernel.

use super::arguments::{KernelArguments, SpaceArguments};
use super::output::Output;
use super::{Failure, files, inputs, show};
use crate::cost::{Machine, Objective, Region};
use crate::diagnostic::{Checked, Diagnostic, nearest};
use crate::extract::{self, Constraint, Found, Problem, Survey};
use crate::integer::Bindings;
use crate::mapping::candidates::Bounds;
use crate::mapping::{Design, Network, SpaceTimeMap, is_in_time};
use crate::recurrence::{self, RecurrenceSystem, Schedule, Space};
use crate::rewrite::{self, Choices, Dataflow, Lowered, Transport};
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
}

/// Runs the search.
pub fn search(loaded: &Loaded, arguments: &SpaceArguments, all: bool, output: &Output) -> Checked<Searched> {
    let setting = Setting::new(loaded, arguments)?;
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
    Ok(Searched { machine, sizes, constraint, survey, front, elapsed })
}

fn with_threads<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> Checked<T> {
    let Some(threads) = threads else { return Ok(work()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.clamp(1, 1024)).build();
    pool.map(|pool| pool.install(work))
        .map_err(|error| Diagnostic::new(format!("cannot start threads: {error}")).into())
}

/// Everything the flags say about a search.
pub struct Setting {
    /// The machine with the command line's changes.
    pub machine: Machine,
    /// The sizes costed.
    pub sizes: Bindings,
    /// What the schedule fixes.
    pub constraint: Constraint,
    choices: Choices,
    bounds: Bounds,
    objective: Objective,
}

impl Setting {
    /// Reads the flags.
    pub fn new(loaded: &Loaded, arguments: &SpaceArguments) -> Checked<Setting> {
        let space = &loaded.space;
        let schedule = arguments.schedule.as_deref().map(|name| schedule(&loaded.system, name)).transpose()?;
        let constraint = schedule.map_or_else(|| Ok(Constraint::default()), |s| Constraint::from_schedule(space, s))?;
        Ok(Setting {
            machine: machine(arguments, constraint.network)?,
            sizes: inputs::sizes(&arguments.size, &loaded.system.parameters, Some(8))?,
            choices: restrict_by_flags(loaded, arguments, &constraint)?,
            constraint,
            bounds: bounds(space, arguments)?,
            objective: keyword(
                &arguments.objective,
                "objective",
                Objective::from_keyword,
                &Objective::ALL.map(|o| o.1),
            )?,
        })
    }

    fn problem<'a>(&'a self, space: &'a Space) -> Checked<Problem<'a>> {
        let (bounds, constraint) = (self.bounds.clone(), self.constraint.clone());
        Problem::new(space, &self.choices, bounds, &self.machine, &self.sizes, constraint)
    }

    /// The design that a schedule with place and time describes even when it is wrong: what it leaves open is chosen to be
    /// in time where that is possible. `None` where place or time is open.
    pub fn forced<'a>(&self, space: &'a Space) -> Checked<Option<Design<'a>>> {
        let (Some(place), Some(step)) = (&self.constraint.place, &self.constraint.step) else { return Ok(None) };
        let choices = self.constraint.restrict(space, &self.choices)?;
        let map = SpaceTimeMap { place: place.clone(), step: step.clone() };
        let in_time = |along: &Vec<i64>| is_in_time(&map.delay(along), 1);
        let chain = choices.chains.iter().find(|chain| chain.directions.iter().all(in_time));
        let stream = |choice: &&Transport| matches!(choice, Transport::Stream(along) if in_time(along));
        let transports =
            choices.transports.iter().map(|offered| offered.iter().find(stream).or(offered.first()).cloned());
        let chain = chain.or(choices.chains.first()).cloned();
        let (Some(transports), Some(chain)) = (transports.collect(), chain) else { return Ok(None) };
        let dataflow = Dataflow { transports, chain };
        Ok(Some(Design { space, dataflow, map, boundary_io: self.constraint.boundary_io }))
    }
}

/// The schedule of this name.
pub fn schedule<'a>(system: &'a RecurrenceSystem, name: &str) -> Checked<&'a Schedule> {
    let found = system.schedules.iter().find(|schedule| &*schedule.name == name);
    found.ok_or_else(|| {
        let known: Vec<&str> = system.schedules.iter().map(|schedule| &*schedule.name).collect();
        let near = nearest(name, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        let help = near.unwrap_or_else(|| match known.is_empty() {
            true => "the file has no schedules".to_owned(),
            false => format!("the file has {}", known.join(", ")),
        });
        vec![Diagnostic::new(format!("`{}` has no schedule `{name}`", system.name)).help(help)]
    })
}

/// The machine of the flags; where they name neither a machine nor a network, on the network of the schedule.
fn machine(arguments: &SpaceArguments, scheduled: Option<Network>) -> Checked<Machine> {
    let mut machine = files::machine(arguments.machine.as_deref())?;
    if let (Some(network), None) = (scheduled, &arguments.machine) {
        machine.links.network = network;
    }
    if let Some(network) = &arguments.network {
        machine.links.network = keyword(network, "network", Network::from_keyword, &Network::ALL.map(|n| n.1))?;
    }
    match arguments.latency {
        Some(latency @ 1..=1_000_000) => machine.links.latency = latency,
        Some(latency) => {
            return Diagnostic::new(format!("a link cannot take {latency} cycles")).help("from 1 to 1000000").alone();
        }
        None => {}
    }
    Ok(machine)
}

fn keyword<T>(word: &str, what: &str, find: impl Fn(&str) -> Option<T>, known: &[&str]) -> Checked<T> {
    find(word).ok_or_else(|| {
        let near = nearest(word, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        let help = near.unwrap_or_else(|| format!("known: {}", known.join(", ")));
        vec![Diagnostic::new(format!("`{word}` is not a known {what}")).help(help)]
    })
}

fn bounds(space: &Space, arguments: &SpaceArguments) -> Checked<Bounds> {
    let mut bounds = Bounds::for_dimension(space.dimension());
    if !arguments.rank.is_empty() {
        bounds.ranks = arguments.rank.clone();
    }
    if let Some(rank) = bounds.ranks.iter().find(|rank| **rank >= space.dimension().max(1)) {
        let most = space.dimension().saturating_sub(1);
        let message = format!("an array of rank {rank} leaves no dimension of `{}` for time", space.kernel);
        return Diagnostic::new(message).help(format!("ranks are 0 to {most}")).alone();
    }
    if !(1..=3).contains(&arguments.bound) {
        return Diagnostic::new("the bound on places is out of range").help("--bound is 1, 2 or 3").alone();
    }
    bounds.bound = arguments.bound;
    bounds.steps = steps(&arguments.steps)?;
    Ok(bounds)
}

fn steps(text: &str) -> Checked<(i64, i64)> {
    let parts = text.split_once("..").and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    match parts {
        Some((low, high)) if low <= high && low >= -9 && high <= 9 => Ok((low, high)),
        _ => Diagnostic::new(format!("`{text}` is not a range of steps"))
            .help("write --steps -2..2, within -9..9")
            .alone(),
    }
}

/// The choices left by `--transports` and `--reuse`; what the schedule names is kept whatever the flags say.
fn restrict_by_flags(loaded: &Loaded, arguments: &SpaceArguments, constraint: &Constraint) -> Checked<Choices> {
    let mut choices = loaded.choices.clone();
    let words = ["stream", "broadcast", "prefetch", "feed"];
    for word in &arguments.transports {
        keyword(word, "transport", |word| words.contains(&word).then_some(()), &words)?;
    }
    let forward = keyword(
        &arguments.reuse,
        "kind of reuse",
        |word| (word == "forward").then_some(true).or((word == "both").then_some(false)),
        &["both", "forward"],
    )?;
    let positive = |along: &Vec<i64>| !forward || crate::integer::lexicographic_sign(along) > 0;
    let kind = |choice: &Transport| match choice {
        Transport::Stream(along) => positive(along).then_some("stream"),
        Transport::Broadcast(_) => Some("broadcast"),
        Transport::Prefetch => Some("prefetch"),
        Transport::Feed => Some("feed"),
    };
    let asked = |word: &str| arguments.transports.is_empty() || arguments.transports.iter().any(|asked| asked == word);
    for (operand, offered) in loaded.space.operands.iter().zip(&mut choices.transports) {
        if constraint.transports.iter().all(|(tensor, ..)| *tensor != operand.tensor) {
            offered.retain(|choice| kind(choice).is_some_and(asked));
        }
    }
    if constraint.transports.iter().all(|(tensor, ..)| *tensor != loaded.space.output) {
        choices.chains.retain(|chain| chain.directions.iter().all(positive));
    }
    Ok(choices)
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
    if let Some(design) = setting.forced(&loaded.space)? {
        let proofs = prove(&design, &searched.machine, limit)?;
        let refuted = messages(&loaded.space, searched.constraint.span, &proofs);
        if !refuted.is_empty() {
            return Ok(refuted);
        }
    }
    Ok(vec![show::nothing_found(loaded, searched)])
}
