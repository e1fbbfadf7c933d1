//! What a run counts, always and exactly.

use super::engine::Engine;
use crate::shared::MemoryTraffic;
use std::collections::BTreeMap;
use systole_base::integer::Name;
use systole_base::scalar::Function;
use systole_program::array::Program;

/// Everything that was counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counters {
    /// For each PE with a class, in row-major order of the grid.
    pub pes: Vec<PeCounters>,
    /// For each channel, in the order of the program.
    pub channels: Vec<ChannelCounters>,
    /// For each bus, in the order of the program.
    pub buses: Vec<BusCounters>,
    /// For each array, in the order of the program.
    pub memory: Vec<(Name, MemoryTraffic)>,
    /// How often each function was applied.
    pub operations: BTreeMap<Function, u64>,
    /// How often each leaf was called.
    pub calls: BTreeMap<Name, u64>,
    /// How many PEs were busy in the cycle in which the most were.
    pub fullest: u64,
}

/// Where the cycles of one PE went: `busy + stalled + starved + idle_before + idle_between + idle_after` is the length of
/// the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeCounters {
    /// Its coordinates.
    pub point: Vec<i64>,
    /// The position of its class in the program.
    pub class: usize,
    /// Whether it ran at least one instruction.
    pub active: bool,
    /// Cycles in `tick`.
    pub busy: u64,
    /// Cycles in which it waited for a slot to send.
    pub stalled: u64,
    /// Cycles in which it waited for a word, from a channel or a bus.
    pub starved: u64,
    /// Cycles it let pass (`at`) before it first computed, ticked or waited.
    pub idle_before: u64,
    /// Cycles it let pass (`at`) after that.
    pub idle_between: u64,
    /// Cycles from its last clock to the end of the run.
    pub idle_after: u64,
}

/// All wires of one channel together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelCounters {
    /// Its name.
    pub name: Name,
    /// How many pairs of PEs it joins.
    pub wires: u64,
    /// Words sent.
    pub words: u64,
    /// Words sent and never received.
    pub undelivered: u64,
    /// The most words that held a slot at one time, over all wires.
    pub max_depth: u64,
    /// The depth that the program declares.
    pub declared_depth: u64,
}

/// All lines of one bus together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusCounters {
    /// Its name.
    pub name: Name,
    /// Words driven.
    pub driven: u64,
    /// Words heard, once for each listener.
    pub heard: u64,
}

impl Counters {
    /// Words sent over channels.
    pub fn messages(&self) -> u64 {
        self.channels.iter().map(|channel| channel.words).sum()
    }

    /// Cycles in `tick`, over all PEs.
    pub fn busy(&self) -> u64 {
        self.pes.iter().map(|pe| pe.busy).sum()
    }

    /// Cycles in which a send waited, over all PEs.
    pub fn stalled(&self) -> u64 {
        self.pes.iter().map(|pe| pe.stalled).sum()
    }

    /// Cycles in which a receive waited, over all PEs.
    pub fn starved(&self) -> u64 {
        self.pes.iter().map(|pe| pe.starved).sum()
    }

    /// PEs that ran at least one instruction.
    pub fn active_pes(&self) -> u64 {
        self.pes.iter().filter(|pe| pe.active).count() as u64
    }

    /// Reads the counters off a run that has ended.
    pub(super) fn collect(program: &Program, engine: &Engine<'_>) -> Counters {
        let names = program.arrays.iter().map(|array| array.name.clone());
        Counters {
            pes: collect_pes(engine),
            channels: collect_channels(program, engine),
            buses: collect_buses(program, engine),
            memory: names.zip(engine.traffic()).collect(),
            operations: collect_operations(engine),
            calls: collect_calls(program, engine),
            fullest: engine.fullest(),
        }
    }
}

fn collect_pes(engine: &Engine<'_>) -> Vec<PeCounters> {
    let cycles = engine.cycles();
    let mut counters: Vec<PeCounters> = vec![PeCounters::default(); engine.code().pes.len()];
    for meter in engine.meters() {
        let placed = engine.code().pes[meter.pe];
        counters[meter.pe] = PeCounters {
            point: engine.code().grid.point(placed.position),
            class: placed.class,
            active: meter.active,
            busy: meter.busy,
            stalled: meter.stalled,
            starved: meter.starved,
            idle_before: meter.idle_before,
            idle_between: meter.idle_between,
            idle_after: cycles - meter.clock,
        };
    }
    counters
}

fn collect_channels(program: &Program, engine: &Engine<'_>) -> Vec<ChannelCounters> {
    let counted = program.channels.iter().zip(engine.channels());
    let counters = counted.map(|(channel, [wires, sent, received, depth])| ChannelCounters {
        name: channel.name.clone(),
        wires,
        words: sent,
        undelivered: sent - received,
        max_depth: depth,
        declared_depth: channel.depth,
    });
    counters.collect()
}

fn collect_buses(program: &Program, engine: &Engine<'_>) -> Vec<BusCounters> {
    let [driven, heard] = engine.bus_words();
    let counted = program.buses.iter().zip(driven.into_iter().zip(heard));
    counted.map(|(bus, (driven, heard))| BusCounters { name: bus.name.clone(), driven, heard }).collect()
}

fn collect_operations(engine: &Engine<'_>) -> BTreeMap<Function, u64> {
    let mut counts = BTreeMap::new();
    for (functions, times) in engine.code().operations.iter().zip(engine.computed()) {
        for (function, each) in functions {
            *counts.entry(*function).or_insert(0) += each * times;
        }
    }
    counts
}

fn collect_calls(program: &Program, engine: &Engine<'_>) -> BTreeMap<Name, u64> {
    let mut counts = BTreeMap::new();
    for (calls, times) in engine.code().calls().iter().zip(engine.computed()) {
        for (leaf, each) in calls {
            *counts.entry(program.leaves[*leaf].name.clone()).or_insert(0) += each * times;
        }
    }
    counts
}
