//! Measures a cluster: how long messages, ops, words of memory and leaves take.
//!
//! In: whose leaves at which tiles, and a [`Host`] that runs programs with two workers. Out: a [`Cluster`] for predictions, whose
//! numbers are medians, and the [`Figure`]s they come from. What is measured is what runs do: messages, ops and memory are those of
//! small programs on the real back end, leaves are called as workers call them. How much is done at a time is fixed, never how
//! long. The model is that of `predict`.

use super::{Execution, Settings, execute, predict};
use crate::leaf::{Effort, LeafBackend};
use ndarray::ArrayD;
use std::time::Duration;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics};
use systole_base::integer::{Bindings, name};
use systole_base::machine::Cluster;
use systole_equations::recurrence::Distribution;
use systole_program::array;
use systole_program::array::{Program, Tensors};

mod leaves;

#[cfg(feature = "mpi")]
mod ranks;

#[cfg(feature = "mpi")]
pub use ranks::Ranks;

/// So many workers run each program.
pub const WORKERS: usize = 2;

/// What is to be measured.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Whose leaves.
    pub libraries: Vec<LeafBackend>,
    /// The sides of tiles.
    pub sides: Vec<u64>,
    /// Of how many runs each number is the median, at least 1, and how much of a leaf is one.
    pub effort: Effort,
}

impl Wanted {
    /// How many figures there are at most.
    pub fn most_figures(&self) -> usize {
        TRANSPORT + leaves::most_figures(self)
    }
}

/// So many figures are about messages, operations and memory.
const TRANSPORT: usize = 5;

/// A number that was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Its key in a machine file, such as `cluster.alpha`.
    pub key: String,
    /// What it is measured at, and in what.
    pub at: At,
    /// The median of all runs.
    pub median: f64,
    /// Its least and its greatest value.
    pub ends: [f64; 2],
}

/// What a number is measured at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// Seconds, wherever.
    Once,
    /// 10^9 applications of scalar functions a second, with tiles of this side.
    Side(u64),
    /// A share of a whole, so many MiB after a tile was touched last.
    Mib(u64),
}

/// Who runs programs with [`WORKERS`] workers, and how it refuses.
pub trait Host {
    /// Why it could not.
    type Fault;

    /// Runs a program; how long its workers took, the same for everybody who calls it.
    ///
    /// # Errors
    /// What the run does wrong.
    fn run(
        &mut self,
        program: &Program,
        sizes: &Bindings,
        inputs: &Tensors,
        distribution: Distribution,
    ) -> Result<Duration, Self::Fault>;

    /// Goes on where everybody can.
    ///
    /// # Errors
    /// Where somebody cannot.
    fn settle<T>(&mut self, mine: Checked<T>) -> Result<T, Self::Fault>;
}

/// The workers are threads of this process.
#[derive(Clone, Copy, Debug)]
pub struct Threads;

impl Host for Threads {
    type Fault = Diagnostics;

    fn run(
        &mut self,
        program: &Program,
        sizes: &Bindings,
        inputs: &Tensors,
        distribution: Distribution,
    ) -> Checked<Duration> {
        let settings = Settings { workers: WORKERS, distribution: Some(distribution), ..Settings::default() };
        let Execution { elapsed, .. } = execute(program, sizes, inputs, &settings)?;
        Ok(elapsed)
    }

    fn settle<T>(&mut self, mine: Checked<T>) -> Checked<T> {
        mine
    }
}

/// Hears of a key, what it is measured at, and the values of all runs; gives their median.
type Note<'n> = dyn FnMut(&str, At, Vec<f64>) -> f64 + 'n;

/// Measures everything; `tell` hears each figure when it is there.
///
/// # Errors
/// Runs that cannot be; sides of tiles that are 0 or do not fit.
pub fn calibrate<H: Host>(host: &mut H, wanted: &Wanted, tell: &mut dyn FnMut(&Figure)) -> Result<Cluster, H::Fault> {
    host.settle(check(wanted))?;
    let mut note = |key: &str, at: At, values: Vec<f64>| {
        let figure = figure(key, at, values);
        tell(&figure);
        figure.median
    };
    let mut cluster = Cluster::default();
    measure_transport(host, wanted.effort.runs, &mut cluster, &mut note)?;
    leaves::measure(host, wanted, &mut cluster, &mut note)?;
    Ok(cluster)
}

/// Everything but the leaves.
fn measure_transport<H: Host>(
    host: &mut H,
    runs: usize,
    cluster: &mut Cluster,
    note: &mut Note<'_>,
) -> Result<(), H::Fault> {
    cluster.operation = note("cluster.operation", At::Once, operation(host, runs)?);
    let op = cluster.operation;
    cluster.message = note("cluster.alpha", At::Once, messages(host, op, (1, 4000), runs)?);
    let large = messages(host, op, (LARGE, 100), runs)?;
    let transit = median(&large);
    cluster.taken = note("cluster.gamma", At::Once, taken(host, transit, runs)?);
    // What goes to and fro is taken in before it goes back.
    let byte = |seconds: &f64| ((seconds - cluster.message) / (8 * LARGE) as f64 - cluster.taken).max(0.0);
    cluster.byte = note("cluster.beta", At::Once, large.iter().map(byte).collect());
    cluster.memory = note("cluster.memory", At::Once, memory(host, runs)?);
    Ok(())
}

fn check(wanted: &Wanted) -> Checked<()> {
    if wanted.effort.runs == 0 {
        return Diagnostic::usage("a median is of 1 run at least").help("say --runs 9").alone();
    }
    match wanted.sides.iter().find(|side| !(LEAST_SIDE..=MOST_SIDE).contains(*side)) {
        Some(side) => {
            let fault = Diagnostic::usage(format!("a tile of side {side} cannot be measured"));
            fault.help(format!("sides are from {LEAST_SIDE} to {MOST_SIDE}, such as --tile 32,64,128,256")).alone()
        }
        None => Ok(()),
    }
}

/// The smallest side of a tile that is measured: of one element there is no factor, and no loop to take time.
const LEAST_SIDE: u64 = 2;

/// The largest side of a tile that is measured.
const MOST_SIDE: u64 = 2048;

/// Four digits: more is chance.
fn rounded(rate: f64) -> f64 {
    format!("{rate:.3e}").parse().unwrap_or(rate)
}

fn median(values: &[f64]) -> f64 {
    figure("", At::Once, values.to_vec()).median
}

fn figure(key: &str, at: At, mut values: Vec<f64>) -> Figure {
    values.sort_by(f64::total_cmp);
    let value = |position: usize| values.get(position).copied().unwrap_or(0.0);
    let last = values.len().saturating_sub(1);
    Figure { key: key.to_owned(), at, median: rounded(value(last / 2)), ends: [value(0), value(last)] }
}

/// The elements of a large message: 1 MiB.
const LARGE: i64 = 1 << 17;

/// Seconds of a message of so many elements, of each run: half the time of going to and fro, without starting up and without ops,
/// of which none is beside another. Where the machine was so busy that few took longer than many, nothing is known of starting up,
/// and all of the time of the many counts.
fn messages<H: Host>(host: &mut H, op: f64, (elements, rounds): (i64, i64), runs: usize) -> Result<Vec<f64>, H::Fault> {
    let program = host.settle(program("echo.pe", include_str!("echo.pe")))?;
    let mut seconds = |rounds: i64| {
        let sizes = [("N", elements), ("R", rounds)];
        let ops = host.settle(ops(&program, &sizes))?;
        Ok((run(host, &program, &sizes, &[elements])? - op * ops).max(0.0))
    };
    let mut found = vec![];
    for _ in 0..runs {
        let (few, many) = (seconds(rounds / 10)?, seconds(rounds)?);
        let (seconds, rounds) = if many > few { (many - few, rounds - rounds / 10) } else { (many, rounds) };
        found.push(seconds / (2 * rounds) as f64);
    }
    Ok(found)
}

/// How many large messages a worker takes in: few and many.
const TAKEN: [i64; 2] = [12, 44];

/// The most work between two messages, in functions of a tile.
const MOST_WORK: f64 = 1000.0;

/// Seconds of a byte of a message that hold up the worker it comes to, of each run: how much longer workers take that have to take in
/// what they send each other than those that keep it, without starting up. No tile is sent twice, so that it is not nearer to them
/// than in a run. None of the time goes by in waiting: the work between two messages takes twice their `transit`.
fn taken<H: Host>(host: &mut H, transit: f64, runs: usize) -> Result<Vec<f64>, H::Fault> {
    let program = host.settle(program("listen.pe", include_str!("listen.pe")))?;
    let [few, many] = TAKEN;
    let mut seconds = |rounds: i64, work: i64, distribution: Distribution| {
        let all = rounds * LARGE;
        run_distributed(host, &program, &[("R", rounds), ("T", all), ("W", work)], &[all], distribution)
    };
    let function =
        (seconds(few, 11, Distribution::Block)? - seconds(few, 1, Distribution::Block)?).max(0.0) / (10 * few) as f64;
    let work = (2.0 * transit / function).ceil().clamp(1.0, MOST_WORK) as i64;
    let mut longer =
        |rounds: i64| Ok(seconds(rounds, work, Distribution::Cyclic)? - seconds(rounds, work, Distribution::Block)?);
    let bytes = (8 * LARGE * (many - few)) as f64;
    (0..runs).map(|_| Ok((longer(many)? - longer(few)?).max(0.0) / bytes)).collect()
}

/// The side of the matrix that is copied: 50 MiB, more than an allocator keeps from run to run, so that memory is new as in a run
/// that a process begins with.
const COPIED: i64 = 2560;

/// Seconds of a byte that is loaded or stored, of each run.
fn memory<H: Host>(host: &mut H, runs: usize) -> Result<Vec<f64>, H::Fault> {
    let program = host.settle(program("copy.pe", include_str!("copy.pe")))?;
    let bytes = 2 * 8 * COPIED * COPIED / WORKERS as i64;
    let seconds = |host: &mut H| run(host, &program, &[("N", COPIED)], &[COPIED, COPIED]);
    (0..runs).map(|_| Ok(seconds(host)? / bytes as f64)).collect()
}

/// How many tiles are passed on.
const PASSED: i64 = 20_000;

/// Seconds of an op, of each run.
fn operation<H: Host>(host: &mut H, runs: usize) -> Result<Vec<f64>, H::Fault> {
    let program = host.settle(program("relay.pe", include_str!("relay.pe")))?;
    let sizes = [("N", WORKERS as i64), ("R", PASSED)];
    let ops = host.settle(ops(&program, &sizes))? / WORKERS as f64;
    (0..runs).map(|_| Ok(run(host, &program, &sizes, &[WORKERS as i64])? / ops)).collect()
}

/// How many ops a run has on all workers, as a prediction counts them.
fn ops(program: &Program, sizes: &[(&str, i64)]) -> Checked<f64> {
    let settings = Settings { workers: WORKERS, ..Settings::default() };
    let prediction = predict(program, &bindings(sizes), &settings, &Cluster::default())?;
    Ok(prediction.ops as f64)
}

fn program(name: &str, text: &str) -> Checked<Program> {
    array::parse(name, text)
}

fn bindings(sizes: &[(&str, i64)]) -> Bindings {
    sizes.iter().map(|(parameter, size)| (name(parameter), *size)).collect()
}

/// Seconds of a run on an input `X` of this shape.
fn run<H: Host>(host: &mut H, program: &Program, sizes: &[(&str, i64)], shape: &[i64]) -> Result<f64, H::Fault> {
    run_distributed(host, program, sizes, shape, Distribution::Block)
}

/// The same with PEs distributed in some way.
fn run_distributed<H: Host>(
    host: &mut H,
    program: &Program,
    sizes: &[(&str, i64)],
    shape: &[i64],
    distribution: Distribution,
) -> Result<f64, H::Fault> {
    let shape: Vec<usize> = shape.iter().map(|side| usize::try_from(*side).unwrap_or(0)).collect();
    let inputs: Tensors = [(name("X"), ArrayD::from_elem(shape, 0.5))].into_iter().collect();
    Ok(host.run(program, &bindings(sizes), &inputs, distribution)?.as_secs_f64())
}
