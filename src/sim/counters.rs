//! What a run counts, always and exactly.

use super::engine::Engine;
use super::memory::MemoryTraffic;
use crate::array::Program;
use crate::integer::Name;
use crate::recurrence::Function;
use std::collections::BTreeMap;

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
        Counters {
            pes: collect_pes(engine),
            channels: collect_channels(program, engine),
            buses: collect_buses(program, engine),
            memory: collect_memory(program, engine),
            operations: collect_operations(engine),
        }
    }
}

fn collect_pes(engine: &Engine<'_>) -> Vec<PeCounters> {
    let cycles = engine.cycles();
    let placed = engine.code.pes.iter().zip(&engine.runners);
    let count = placed.map(|(placed, runner)| PeCounters {
        point: engine.code.grid.point(placed.position),
        class: placed.class,
        active: runner.active,
        busy: runner.meter.busy,
        stalled: runner.meter.stalled,
        starved: runner.meter.starved,
        idle_before: runner.meter.idle_before,
        idle_between: runner.meter.idle_between,
        idle_after: cycles - runner.meter.clock,
    });
    count.collect()
}

fn collect_channels(program: &Program, engine: &Engine<'_>) -> Vec<ChannelCounters> {
    let blank = program.channels.iter().map(|channel| ChannelCounters {
        name: channel.name.clone(),
        wires: 0,
        words: 0,
        undelivered: 0,
        max_depth: 0,
        declared_depth: channel.depth,
    });
    let mut counters: Vec<ChannelCounters> = blank.collect();
    for (joint, wire) in engine.world.wiring.wires.iter().zip(&engine.world.wires) {
        let counter = &mut counters[joint.channel];
        counter.wires += 1;
        counter.words += wire.words();
        counter.undelivered += wire.undelivered();
        counter.max_depth = counter.max_depth.max(wire.depth());
    }
    counters
}

fn collect_buses(program: &Program, engine: &Engine<'_>) -> Vec<BusCounters> {
    let blank = program.buses.iter().map(|bus| BusCounters { name: bus.name.clone(), driven: 0, heard: 0 });
    let mut counters: Vec<BusCounters> = blank.collect();
    for (bus, line) in engine.world.wiring.lines.iter().zip(&engine.world.lines) {
        counters[*bus].driven += line.driven();
        counters[*bus].heard += line.heard();
    }
    counters
}

fn collect_memory(program: &Program, engine: &Engine<'_>) -> Vec<(Name, MemoryTraffic)> {
    let names = program.arrays.iter().map(|array| array.name.clone());
    names.zip(engine.world.memory.traffic.iter().copied()).collect()
}

fn collect_operations(engine: &Engine<'_>) -> BTreeMap<Function, u64> {
    let mut counts = BTreeMap::new();
    for (functions, times) in engine.code.operations.iter().zip(&engine.world.computed) {
        for (function, each) in functions {
            *counts.entry(*function).or_insert(0) += each * times;
        }
    }
    counts
}
