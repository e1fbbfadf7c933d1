//! A cycle-accurate run of a per-PE program.
//!
//! In: a [`Program`], sizes, input arrays and [`Settings`]. Out: an [`Outcome`]: output arrays, cycles, counters, and a
//! deadlock where there is one. Every PE has its own clock; channels carry time stamps; the result does not depend on the
//! order in which the host runs the PEs. A word is a number or a tile. Nothing here knows of recurrences. Paper: Cyclotron
//! section 9.1.
//!
//! **Seeing a run.** Whatever wants to see a run, and not its counts alone, is an `Observer`. Its events come in the
//! host's order; those of one PE, and of one end of a wire, come in the order of time. The recorder sorts by PE and by
//! wire, so traces are the same in whatever order the host runs the PEs. Spans are not joined: one busy span is one
//! `tick`, hence one step of the schedule, or what an operation or a load of it needs.
//!
//! **Energy** is a sum over counts, so equal counts are equal energies. Counts are exact and always kept.

use crate::leaf::Leaves;
use crate::shared::Deadlock;
use std::collections::BTreeMap;
use systole_base::cancel::Token;
use systole_base::cell::Cell;
use systole_base::diagnostic::{Checked, Diagnostic, MessageCode, about};
use systole_base::integer::{Bindings, Name};
use systole_base::machine::{Bandwidth, Times};
use systole_program::array;
use systole_program::array::{Channel, Program, Tensors};

mod counters;

mod steps;

mod durations;

mod engine;

pub mod fit;

pub mod first_wait;

pub mod lateness;

pub mod observe;

pub mod report;

pub mod trace;

mod trouble;

pub use counters::{BusCounters, ChannelCounters, Counters, PeCounters};
use engine::Engine;
use observe::Observer;
use trouble::{explain, explain_meeting};

/// The timing of a machine. How long links and buses take, and what is `None` here, is as the program says: for others see
/// [`array::on_links`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Cycles from a receive until the sender may use the slot again; 0 is a register read and written in one cycle.
    pub response: u64,
    /// How many words a channel holds, at least 1.
    pub capacity: Option<u64>,
    /// How many words these channels hold, by name, whatever is said of all; each at least 1.
    pub capacities: BTreeMap<Name, u64>,
    /// How many words enter a channel in a cycle; `None` for as many as are sent.
    pub bandwidth: Option<Bandwidth>,
    /// How long the work of a PE takes.
    pub times: Times,
    /// How many operations a step of a PE holds; `None` for as many as the program says.
    pub cell: Option<Cell>,
    /// How many threads the host may use, at least 1. They change no result; small arrays use one.
    pub threads: usize,
    /// A run of more instructions than this, over all PEs, is refused.
    pub most_instructions: u64,
    /// A run that holds more bytes than this for tiles, those of the inputs aside, is refused.
    pub most_tile_bytes: u64,
    /// Who may end the run, which is refused then.
    pub token: Token,
    /// The order in which the host runs PEs that could run; it changes no result, which tests check.
    #[doc(hidden)]
    pub order: Order,
    /// Fewer PEs than this are not worth a thread.
    #[doc(hidden)]
    pub least_region: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            response: 1,
            capacity: None,
            capacities: BTreeMap::new(),
            bandwidth: None,
            times: Times::default(),
            cell: None,
            threads: 1,
            most_instructions: 100_000_000_000,
            most_tile_bytes: array::MEMORY_LIMIT,
            token: Token::default(),
            order: Order::FirstIn,
            least_region: 1024,
        }
    }
}

impl Settings {
    /// How many words a channel holds.
    pub fn capacity_of(&self, channel: &Channel) -> u64 {
        self.capacities.get(&channel.name).copied().or(self.capacity).unwrap_or(channel.depth)
    }
}

impl Settings {
    /// Into how many regions an array of so many PEs is cut.
    fn regions(&self, pes: usize) -> usize {
        self.threads.min(pes / self.least_region.max(1)).max(1)
    }
}

/// Which of the PEs that can go on run next.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Those that stand first in the array.
    #[default]
    FirstIn,
    /// Those that stand last in the array.
    LastIn,
}

/// What a run gave.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The output arrays; after a deadlock, elements that were not stored are 0.
    pub outputs: Tensors,
    /// The largest final clock.
    pub cycles: u64,
    /// Cycles before the first step of the schedule, in which the first words come that are asked for ahead.
    pub lead: u64,
    /// Cycles of a step of the schedule: 1, where no work takes longer.
    pub step: u64,
    /// Whether a step is longer than its work, because a PE may have too few loads outstanding.
    pub is_short_of_loads: bool,
    /// PEs that ran at least one instruction.
    pub pes: u64,
    /// Everything that was counted.
    pub counters: Counters,
    /// Who waits for whom, where the run could not go on.
    pub deadlock: Option<Deadlock>,
}

impl Outcome {
    /// How many cycles so many steps of the schedule take, if nobody is late.
    pub fn cycles_of(&self, steps: u64) -> u64 {
        self.lead.saturating_add(self.step.saturating_mul(steps))
    }

    /// The share of the cycles of the PEs that ran in which they were busy; 0 for a run of no cycles.
    pub fn utilisation(&self) -> f64 {
        match (self.pes, self.cycles) {
            (0, _) | (_, 0) => 0.0,
            (pes, cycles) => self.counters.busy() as f64 / (pes as f64 * cycles as f64),
        }
    }
}

/// Runs a program.
///
/// # Errors
/// A program that is not valid, sizes or inputs or settings that do not fit it, an instruction that does what it must not
/// (with the PE and the element), two words on one bus in one cycle, an output element that is never stored. A deadlock is no error but an
/// outcome.
pub fn simulate(program: &Program, sizes: &Bindings, inputs: &Tensors, settings: &Settings) -> Checked<Outcome> {
    simulate_observed(program, sizes, inputs, settings, &mut ())
}

/// Runs a program before an observer.
///
/// # Errors
/// As for [`simulate`].
pub fn simulate_observed<O: Observer>(
    program: &Program,
    sizes: &Bindings,
    inputs: &Tensors,
    settings: &Settings,
    observer: &mut O,
) -> Checked<Outcome> {
    about(MessageCode::Run, run(program, sizes, inputs, settings, observer))
}

fn run<O: Observer>(
    program: &Program,
    sizes: &Bindings,
    inputs: &Tensors,
    settings: &Settings,
    observer: &mut O,
) -> Checked<Outcome> {
    check_settings(settings)?;
    let code = array::compile(program, sizes)?;
    let leaves = program.is_over_tiles().then(|| Leaves::new(program, sizes)).transpose()?;
    let code = (&code, leaves.as_ref());
    let mut engine = Engine::new(program, code, inputs, settings, observer)?;
    if engine.regions() > 1 && engine.run_in_parallel()?.is_err() {
        // Which of several faults is met first depends on the threads; alone, the host always meets the same.
        engine = Engine::new(program, code, inputs, &Settings { threads: 1, ..settings.clone() }, observer)?;
    }
    if engine.regions() == 1 {
        engine.run(observer).map_err(|stop| vec![explain(program, &engine, stop)])?;
    }
    conclude(program, engine)
}

/// Reads off a run that has ended.
fn conclude(program: &Program, engine: Engine<'_>) -> Checked<Outcome> {
    if let Some(meeting) = engine.meeting(program) {
        return Err(vec![explain_meeting(program, &engine, &meeting)]);
    }
    let stuck = !engine.is_finished();
    let deadlock = stuck.then(|| Deadlock::find(program, engine.code(), engine.standings())).flatten();
    if deadlock.is_none() {
        engine.memory().check_stored()?;
    }
    let counters = Counters::collect(program, &engine);
    let (cycles, pes) = (engine.cycles(), counters.active_pes());
    let (lead, step, is_short_of_loads) = engine.pace();
    let outputs = engine.into_memory().into_outputs();
    Ok(Outcome { outputs, cycles, lead, step, is_short_of_loads, pes, counters, deadlock })
}

fn check_settings(settings: &Settings) -> Checked<()> {
    let general = [("the capacity of a channel".to_owned(), settings.capacity)];
    let named = settings.capacities.iter().map(|(name, value)| (format!("the capacity of `{name}`"), Some(*value)));
    let zero = general.into_iter().chain(named).filter(|(_, value)| *value == Some(0));
    let faults: Vec<Diagnostic> =
        zero.map(|(what, _)| Diagnostic::new(format!("{what} is 0; it must be at least 1"))).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}
