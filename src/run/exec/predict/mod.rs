//! How long a run would take: the same workers, with words that hold nothing, by a clock that is moved on.
//!
//! In: what `execute` takes but for the arrays, and the times of a [`Cluster`]. Out: a [`Prediction`]. The workers are those of
//! real runs: they give PEs turns in the same order, fill packets and spend credits in the same way, and find the same deadlocks.
//! What differs is that each has a clock of its own, and that time passes by a list alone (`account.rs`):
//!
//! 1. Each op takes the interpreter's time for one.
//! 2. A call of a leaf takes the time of what it will do at its tile coordinates, at the rates of the machine file: between those of
//!    tiles in the cache and those of tiles in memory, by the reuse distances of its tiles (`cache.rs`).
//! 3. A tile that is loaded or stored takes the time of its bytes, and so does one that a leaf begins, not working onto another. What is
//!    loaded or begun is in memory until a leaf has touched it; what came from another worker is in the cache. In a run that is
//!    repeated it is where the run before has left it.
//! 4. A packet of n bytes that leaves a worker at t is there at `t + alpha + beta n`; the bytes of its next one leave after these.
//!    Sending holds up nobody; who takes a packet in is held up by `gamma n`.
//! 5. A worker with something to do does it; who has nothing to do goes on when the first packet is there.
//!
//! No element is computed, so the cost is that of the schedule. What is left out: the start of threads, who else fills a cache
//! that several workers share, and links that several pairs of workers share. Paper: LogP and its kin; Cyclotron section 9.
//!
//! Workers go on in the order of their clocks, so a prediction has one result. What a call will do is read off its
//! bounds (`leaf::forecast`), once for all calls whose boxes differ by a shift, split into the calls of a library as a
//! real call is. What ranks send in part or not again, threads share: `Settings::apart` says which of the two a
//! prediction is for. Tests hold the counts to those of runs on every tiled kernel, and times to a plain model in unit
//! steps. The simulator is no part of this: it has steps of one length for all PEs, and no workers.

use super::footprint::Footprint;
use super::plan::Plan;
use super::sharing::owners::Owners;
use super::workers::word::Word;
use super::workers::worker::Report;
use super::{Counts, Settings, count, standings};
use crate::leaf::{LeafBackend, Tile, Work};
use crate::shared::{Deadlock, explain_fault};
use account::{Account, Book};
use network::Network;
use std::collections::BTreeSet;
use std::rc::Rc;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::Bindings;
use systole_base::machine::{Cluster, LIBRARIES, Rate, TASKS};
use systole_base::scalar::Precision;
use systole_program::array;
use systole_program::array::{Code, Program};

mod account;

mod cache;

mod ghost;

mod shapes;

mod network;

mod ways;

pub use ways::{Choices, least_seconds, weigh};

/// What a run would be like.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// From the start of the workers to the end of the last.
    pub seconds: f64,
    /// The share of all workers' time in which they have nothing to do, from 0 to 1.
    pub waiting: f64,
    /// What would be counted.
    pub counts: Counts,
    /// Ops of the interpreter, those that had to wait included.
    pub ops: u64,
    /// What the rank would hold at most that holds most, or the process of all threads.
    pub memory: Footprint,
    /// Who would wait for whom, where the run could not go on.
    pub deadlock: Option<Deadlock>,
}

/// Predicts a run; the last one, where there are several on the same operands, which then come out of memory only as far as all that
/// a run touches has no room in the cache.
///
/// # Errors
/// As for [`execute`](super::execute), without what depends on arrays; rates that the cluster lacks.
pub fn predict(program: &Program, sizes: &Bindings, settings: &Settings, cluster: &Cluster) -> Checked<Prediction> {
    settings.check()?;
    check_measured(settings)?;
    let code = array::compile_shared(program, sizes, settings.workers)?;
    let book = Book::new(program, sizes, settings.leaves, cluster)?;
    match program.is_over_tiles() {
        true => predict_words::<Tile>(program, &code, settings, book),
        false => predict_words::<f64>(program, &code, settings, book),
    }
}

/// Refuses to predict runs whose elements or leaves are not those that rates are measured with.
///
/// # Errors
/// Single precision, native leaves.
pub fn check_measured(settings: &Settings) -> Checked<()> {
    if settings.leaves == LeafBackend::Native {
        return Diagnostic::usage("machine files have no rates of native leaves")
            .help("leave out `--machine`, or say `--leaves loops`, which has the same bits and is slower")
            .alone();
    }
    if settings.precision == Precision::Double {
        return Ok(());
    }
    let message = format!(
        "the times of a machine file are of double precision, and this run is of {}",
        settings.precision.keyword()
    );
    Diagnostic::usage(message).help("leave out `--machine`, or say `--precision double`").alone()
}

fn predict_words<W: Word>(program: &Program, code: &Code, settings: &Settings, book: Book) -> Checked<Prediction> {
    let owners = settings.owners(program, &code.grid, settings.workers)?;
    let plan = Plan::new(program, code, &owners, settings.workers, settings);
    let plan = if W::IS_SHARED && settings.apart { plan.apart(program) } else { plan };
    let book = Rc::new(book);
    let run = |accounts: &[Account]| {
        let reports = Network::<W>::new(&plan, accounts).run();
        reports.map_err(|fault| vec![explain_fault(program, code, &fault)])
    };
    let mut accounts: Vec<Account> = (0..settings.workers).map(|_| Account::new(Rc::clone(&book))).collect();
    let mut reports = run(&accounts)?;
    if settings.repeat > 1 {
        accounts = accounts.iter().map(Account::again).collect();
        reports = run(&accounts)?;
    }
    book.check_rates()?;
    Ok(Prediction { memory: largest::<W>(&plan, settings), ..conclude((program, code), &owners, reports, &accounts) })
}

/// The most that one process would hold.
fn largest<W: Word>(plan: &Plan<'_>, settings: &Settings) -> Footprint {
    match settings.apart {
        true => Footprint::of_ranks::<W>(plan).into_iter().max_by_key(Footprint::total).unwrap_or_default(),
        false => Footprint::of_threads::<W>(plan),
    }
}

fn conclude(
    (program, code): (&Program, &Code),
    owners: &Owners,
    reports: Vec<Report>,
    accounts: &[Account],
) -> Prediction {
    let seconds = accounts.iter().map(Account::now).fold(0.0, f64::max);
    let busy: f64 = accounts.iter().map(Account::busy).sum();
    let all = seconds * accounts.len() as f64;
    let work = accounts.iter().fold(Work::default(), |sum, account| sum.plus(&account.work()));
    let counts = Counts { work, ..count(code, owners, &reports) };
    Prediction {
        seconds,
        waiting: if all > 0.0 { (1.0 - busy / all).clamp(0.0, 1.0) } else { 0.0 },
        counts,
        ops: accounts.iter().map(Account::ops).sum(),
        memory: Footprint::default(),
        deadlock: Deadlock::find(program, code, standings(reports)),
    }
}

/// The message for rates that are not known, by their positions, where leaves are run by a library.
fn unknown_rates(missing: &BTreeSet<(usize, usize)>, asked: usize, cluster: &Cluster) -> Vec<Diagnostic> {
    let keys: Vec<String> =
        missing.iter().map(|(library, task)| format!("`{}.{}`", LIBRARIES[*library], TASKS[*task])).collect();
    let is_measured = |library: &usize| cluster.rates[*library].iter().any(|rate| *rate != Rate::Unknown);
    let measured: Vec<&str> = (0..LIBRARIES.len()).filter(is_measured).map(|library| LIBRARIES[library]).collect();
    let has = if measured.is_empty() { "none".to_owned() } else { format!("those of {}", measured.join(", ")) };
    let fault = Diagnostic::new(format!(
        "the machine file does not say the rate of {}, which `--leaves {}` needs; it has {has}",
        keys.join(", "),
        LIBRARIES[asked]
    ));
    let needed: BTreeSet<&str> = missing.iter().map(|(library, _)| LIBRARIES[*library]).collect();
    let needed = needed.into_iter().collect::<Vec<_>>().join(",");
    let other = measured.iter().find(|other| **other != LIBRARIES[asked]);
    let other = other.map_or_else(String::new, |other| format!("say `--leaves {other}`, or "));
    vec![
        fault
            .help(format!("{other}measure this cluster with `systole calibrate --leaves {needed}`, or write the keys")),
    ]
}
