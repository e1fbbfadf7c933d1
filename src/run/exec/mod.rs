//! A program run for real: its PEs shared among workers, threads of this process or ranks of MPI.
//!
//! In: a [`Program`], sizes, input arrays and [`Settings`]. Out: an [`Execution`]: output arrays, what was counted, and a
//! deadlock where there is one. There are no clocks: `at` and `tick` are skipped. A word is a number or a tile (`workers/word.rs`).
//! Paper: Cyclotron sections 9.2 and 10.
//!
//! **Why the number of workers changes nothing.** Let each channel have one writer and one reader, receives and sends that
//! wait until there is a word or a slot, control flow that no word decides, and a capacity that is the declared one wherever
//! the two PEs run. Then the PEs are a Kahn network in which each channel of capacity `c` has a twin of credits that runs
//! the other way and begins with `c` of them. Such a network has one history: which words go over which channel, and where
//! each PE ends or waits for ever, are the same for every order of execution in which nobody who can go on is left out. So
//! outputs, and deadlocks, are those of the simulator, for any number of workers and any owners; and a program that does not
//! deadlock at its proved depths does not deadlock here. That none does is proved of its design, for all sizes: `no-deadlock`
//! (`timing/no_deadlock.rs`). What the law needs of the code: wires keep order and capacity across
//! workers (`workers/wires.rs`); a worker that is idle holds nothing back (`workers/outbox.rs`); the end of a run is seen if and only if
//! nobody can go on and nothing is under way (`threads.rs`). A bus keeps every word for whoever asks later, so it is a channel
//! without end to each listener, and never makes its driver wait. Words that a PE loads from the home of another worker come over
//! a channel whose writer waits for nothing but room (`workers/supplies.rs`), and a home takes in every result.

use crate::leaf::{Element, Leaves, Tile, Work};
use crate::shared::{Deadlock, Fault, Memory, Standing, explain_fault};
use std::time::Duration;
use systole_base::diagnostic::{Checked, MessageCode, about};
use systole_base::integer::Bindings;
use systole_base::scalar::Precision;
use systole_program::array;
use systole_program::array::elements::{Sinks, Sources, publish_all, sources_of};
use systole_program::array::{Code, Program, Tensors};

mod settings;

pub use settings::Settings;

mod sharing;

pub use sharing::broadcast::Broadcast;
pub use sharing::owners::Owners;
pub use sharing::shares::{MOST_WORKERS, Shares, Things, numbering_obligation, owner_obligations};

mod plan;

mod workers;

mod trace;

pub use trace::{Activity, Lane, MOST_MOMENTS, Moment, Timeline};

mod host;

pub use host::{available_memory, started_together};

mod footprint;

pub use footprint::{Footprint, Held, MOST_NAMED, Usage, show_bytes};

mod run_time;

pub use run_time::{RunTime, usual};

mod arrays;

mod threads;

mod predict;

pub use predict::{Choices, Prediction, check_measured, least_seconds, predict, weigh};

#[cfg(feature = "mpi")]
mod ranks;

mod calibrate;

#[cfg(feature = "mpi")]
pub use calibrate::Ranks;
pub use calibrate::{At, Figure, Host, Threads, WORKERS, Wanted, calibrate};

#[cfg(feature = "mpi")]
pub use ranks::{Files, Stopped, World, execute_on_ranks};

use footprint::check_footprints;
use plan::Plan;
use run_time::Watch;
use trace::Tape;
use workers::word::Stored;
use workers::worker::Report;

/// What a run gave.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The output arrays; after a deadlock, elements that were not stored are 0. None where they went elsewhere, in parts.
    pub outputs: Tensors,
    /// Who waits for whom, where the run could not go on.
    pub deadlock: Option<Deadlock>,
    /// What was counted.
    pub counts: Counts,
    /// The memory of each rank, or that of all threads together.
    pub memory: Vec<Usage>,
    /// What each worker did when; without moments where they were not asked for.
    pub timeline: Timeline,
    /// From the start of the workers to the end of the last; without reading the program and the arrays. That of the last run.
    pub elapsed: Duration,
    /// The time of each run, in their order.
    pub taken: Vec<RunTime>,
}

/// What was counted in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// How many workers stand along each axis of the grid.
    pub arrangement: Vec<usize>,
    /// PEs with a class.
    pub pes: u64,
    /// Applications of scalar functions.
    pub operations: u64,
    /// Calls of leaves.
    pub calls: u64,
    /// What these did.
    pub work: Work,
    /// Words and drives from one worker to another.
    pub words: u64,
    /// How many of them were named, since they came back to a worker that had sent them; none between threads.
    pub returned: u64,
    /// How many elements went with the others: of a tile those that somebody reads there. A number, or a tile of one number, is one.
    pub elements: u64,
    /// Packets from one worker to another; their number is chance.
    pub packets: u64,
}

/// Runs a program on threads, one for each worker.
///
/// # Errors
/// A program that is not valid, sizes or inputs or settings that do not fit it, an instruction that does what it must not
/// (with the PE and the element), an output element that is never stored. A deadlock is no error but an outcome.
pub fn execute(program: &Program, sizes: &Bindings, inputs: &Tensors, settings: &Settings) -> Checked<Execution> {
    let done = match settings.precision {
        Precision::Double => run_for::<f64>(program, sizes, inputs, settings),
        Precision::Single => run_for::<f32>(program, sizes, inputs, settings),
    };
    about(MessageCode::Run, done)
}

/// Runs a program on threads, with inputs and outputs in parts. Sinks are published once all is well; after a deadlock nothing
/// is written.
///
/// # Errors
/// As for [`execute`]; those of the sources and sinks.
pub fn execute_in_parts(
    program: &Program,
    sizes: &Bindings,
    (sources, sinks): (&mut Sources<'_>, &mut Sinks<'_>),
    settings: &Settings,
) -> Checked<Execution> {
    let done = match settings.precision {
        Precision::Double => run_in_parts::<f64>(program, sizes, (sources, sinks), settings),
        Precision::Single => run_in_parts::<f32>(program, sizes, (sources, sinks), settings),
    };
    about(MessageCode::Run, done)
}

fn run_for<E: Element>(
    program: &Program,
    sizes: &Bindings,
    inputs: &Tensors,
    settings: &Settings,
) -> Checked<Execution> {
    let (execution, memory) = run::<E>(program, sizes, &mut sources_of(inputs), settings)?;
    Ok(Execution { outputs: memory.into_outputs(), ..execution })
}

fn run_in_parts<E: Element>(
    program: &Program,
    sizes: &Bindings,
    (sources, sinks): (&mut Sources<'_>, &mut Sinks<'_>),
    settings: &Settings,
) -> Checked<Execution> {
    let (execution, memory) = run::<E>(program, sizes, sources, settings)?;
    if execution.deadlock.is_none() {
        memory.write_outputs(sinks)?;
        publish_all(sinks)?;
    }
    Ok(execution)
}

/// What a run gave, and the memory that its threads shared.
type Ended<E> = (Execution, Memory<E>);

fn run<E: Element>(
    program: &Program,
    sizes: &Bindings,
    sources: &mut Sources<'_>,
    settings: &Settings,
) -> Checked<Ended<E>> {
    settings.check()?;
    let code = array::compile_shared(program, sizes, 1)?;
    match program.is_over_tiles() {
        true => {
            let leaves = Leaves::with_backend(program, sizes, settings.leaves)?;
            run_words::<Tile<E>>(program, &code, sources, settings, &leaves)
        }
        false => run_words::<E>(program, &code, sources, settings, &()),
    }
}

fn run_words<W: Stored>(
    program: &Program,
    code: &Code,
    sources: &mut Sources<'_>,
    settings: &Settings,
    operations: &W::Operations,
) -> Checked<Ended<W::Element>> {
    let mut attempt = |settings: &Settings| attempt::<W>(program, code, sources, settings, operations);
    match attempt(settings)? {
        Ok(ended) => Ok(ended),
        Err(fault) if settings.workers == 1 => Err(vec![explain_fault(program, code, &fault)]),
        Err(fault) => {
            // Which of several faults is met first depends on the threads; alone, a worker always meets the same.
            let alone = attempt(&Settings { workers: 1, ..settings.clone() })?;
            Err(vec![explain_fault(program, code, &alone.err().unwrap_or(fault))])
        }
    }
}

fn attempt<W: Stored>(
    program: &Program,
    code: &Code,
    sources: &mut Sources<'_>,
    settings: &Settings,
    operations: &W::Operations,
) -> Checked<Result<Ended<W::Element>, Fault>> {
    let owners = settings.owners(program, &code.grid, settings.workers)?;
    let plan = Plan::new(program, code, &owners, settings.workers, settings);
    let stated = Footprint::of_threads::<W>(&plan);
    check_footprints(&[("the process".to_owned(), stated, Some(settings.most_bytes()))])?;
    let before = host::resident();
    let mut memory = Memory::read(code, sources)?;
    let (reports, taken, work) = match repeat::<W>(&plan, &mut memory, operations, settings)? {
        Ok(ended) => ended,
        Err(fault) => return Ok(Err(fault)),
    };
    // Threads share whole arrays.
    let channels = reports.iter().map(|report| report.held.channels).sum();
    let held = Held { inputs: stated.inputs, outputs: stated.outputs, channels };
    let usage = vec![Usage { stated, held, before, peak: host::peak() }];
    let mut execution = conclude((program, code), &owners, reports, usage, taken);
    execution.counts.work = work;
    if execution.deadlock.is_none() {
        memory.check_stored()?;
    }
    Ok(Ok((execution, memory)))
}

/// What the workers of the last run did, the time of each run, and what the leaves of the last did.
type Repeated = (Vec<Report>, Vec<RunTime>, Work);

/// Runs a plan on threads as often as is asked for; what is stored is that of the last run. After a deadlock there is no other run.
fn repeat<W: Stored>(
    plan: &Plan<'_>,
    memory: &mut Memory<W::Element>,
    operations: &W::Operations,
    settings: &Settings,
) -> Checked<Result<Repeated, Fault>> {
    let mut taken = vec![];
    loop {
        let (before, watch) = (W::work(operations), Watch::start());
        let reports = match threads::run::<W>(plan, memory, operations, &Tape::new(watch.start, settings.trace))? {
            Ok(reports) => reports,
            Err(fault) => return Ok(Err(fault)),
        };
        taken.push(watch.stop());
        if taken.len() >= settings.repeat || !reports.iter().all(Report::has_ended) {
            return Ok(Ok((reports, taken, W::work(operations).since(&before))));
        }
        memory.forget_outputs();
    }
}

/// What all workers together did.
fn conclude(
    (program, code): (&Program, &Code),
    owners: &Owners,
    mut reports: Vec<Report>,
    memory: Vec<Usage>,
    taken: Vec<RunTime>,
) -> Execution {
    let elapsed = taken.last().map_or(Duration::ZERO, |last| last.wall);
    let lanes = reports.iter_mut().map(|report| std::mem::take(&mut report.lane)).collect();
    let timeline = Timeline::new(program, code, lanes, elapsed);
    let counts = count(code, owners, &reports);
    let deadlock = Deadlock::find(program, code, standings(reports));
    Execution { outputs: Tensors::new(), deadlock, counts, memory, timeline, elapsed, taken }
}

/// Where each PE stands, in the order of the code.
fn standings(reports: Vec<Report>) -> Vec<Standing> {
    let mut standings: Vec<(usize, Standing)> = reports.into_iter().flat_map(|report| report.standings).collect();
    standings.sort_by_key(|(pe, _)| *pe);
    standings.into_iter().map(|(_, standing)| standing).collect()
}

fn count(code: &Code, owners: &Owners, reports: &[Report]) -> Counts {
    let functions = code.operations.iter().map(|functions| functions.iter().map(|(_, count)| count).sum());
    let calls = code.calls();
    let calls = calls.iter().map(|leaves| leaves.values().sum());
    Counts {
        arrangement: owners.arrangement().to_vec(),
        pes: code.pes.len() as u64,
        operations: total(reports, functions),
        calls: total(reports, calls),
        work: Work::default(),
        words: reports.iter().map(|report| report.words).sum(),
        returned: reports.iter().map(|report| report.returned).sum(),
        elements: reports.iter().map(|report| report.elements).sum(),
        packets: reports.iter().map(|report| report.packets).sum(),
    }
}

/// How often something was done that each `let` does so many times.
fn total(reports: &[Report], each: impl Iterator<Item = u64>) -> u64 {
    let times = |operation: usize| reports.iter().filter_map(|report| report.computed.get(operation)).sum::<u64>();
    each.enumerate().map(|(operation, each)| each * times(operation)).sum()
}
