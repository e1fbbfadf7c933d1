//! A cycle-accurate run of a per-PE program.
//!
//! In: a [`Program`], sizes, input arrays and [`Settings`]. Out: an [`Outcome`]: output arrays, cycles, counters, and a
//! deadlock where there is one. Every PE has its own clock; channels carry time stamps; the result does not depend on the
//! order in which the host runs the PEs. Nothing here knows of recurrences. Paper: Cyclotron section 9.1.

use crate::array::{self, Channel, Program, Tensors};
use crate::diagnostic::{Checked, Diagnostic};
use crate::integer::{Bindings, Name};
use std::collections::BTreeMap;

mod ahead;

mod counters;

mod deadlock;

mod diagnosis;

mod engine;

pub mod fit;

mod line;

mod memory;

pub mod npy;

pub mod observe;

pub mod report;

pub mod trace;

mod trouble;

mod waits;

mod wire;

pub use counters::{BusCounters, ChannelCounters, Counters, PeCounters};
pub use deadlock::{Blocked, Cause, Deadlock, Peer, PeerState};
pub use memory::MemoryTraffic;
use observe::Observer;

/// The timing of a machine. What is `None` is as the program says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Cycles from a send to the word's visibility, at least 1.
    pub latency: Option<u64>,
    /// Cycles from a receive until the sender may use the slot again; 0 is a register read and written in one cycle.
    pub response: u64,
    /// How many words a channel holds, at least 1.
    pub capacity: Option<u64>,
    /// How many words these channels hold, by name, whatever is said of all; each at least 1.
    pub capacities: BTreeMap<Name, u64>,
    /// Cycles from a drive to the hearing; 0 is a wire.
    pub bus_latency: Option<u64>,
    /// The order in which the host runs PEs that could run; it changes no result, which tests check.
    #[doc(hidden)]
    pub order: Order,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            latency: None,
            response: 1,
            capacity: None,
            capacities: BTreeMap::new(),
            bus_latency: None,
            order: Order::FirstIn,
        }
    }
}

impl Settings {
    /// How many words a channel holds.
    pub fn capacity_of(&self, channel: &Channel) -> u64 {
        self.capacities.get(&channel.name).copied().or(self.capacity).unwrap_or(channel.depth)
    }
}

/// Which PE of the work list runs next.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The one that has been on it longest.
    #[default]
    FirstIn,
    /// The one that came last.
    LastIn,
}

/// What a run gave.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The output arrays; after a deadlock, elements that were not stored are 0.
    pub outputs: Tensors,
    /// The largest final clock.
    pub cycles: u64,
    /// PEs that ran at least one instruction.
    pub pes: u64,
    /// Everything that was counted.
    pub counters: Counters,
    /// Who waits for whom, where the run could not go on.
    pub deadlock: Option<Deadlock>,
}

impl Outcome {
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
/// (with the PE and the element), an output element that is never stored. A deadlock is no error but an outcome.
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
    check_settings(settings)?;
    let code = array::compile(program, sizes)?;
    let mut engine = engine::Engine::new(program, &code, inputs, settings)?;
    engine.run(observer).map_err(|failure| vec![trouble::explain(program, &engine, &failure)])?;
    let deadlock = Deadlock::find(program, &engine);
    if deadlock.is_none() {
        engine.world.memory.check_stored()?;
    }
    let counters = Counters::collect(program, &engine);
    let (cycles, pes) = (engine.cycles(), counters.active_pes());
    Ok(Outcome { outputs: engine.world.memory.into_outputs(), cycles, pes, counters, deadlock })
}

fn check_settings(settings: &Settings) -> Checked<()> {
    let general = [("latency", settings.latency), ("capacity", settings.capacity)];
    let general = general.map(|(name, value)| (format!("the {name} of a channel"), value));
    let named = settings.capacities.iter().map(|(name, value)| (format!("the capacity of `{name}`"), Some(*value)));
    let zero = general.into_iter().chain(named).filter(|(_, value)| *value == Some(0));
    let faults: Vec<Diagnostic> =
        zero.map(|(what, _)| Diagnostic::new(format!("{what} is 0; it must be at least 1"))).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}
