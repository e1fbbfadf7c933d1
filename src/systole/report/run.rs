//! A run for the page: the array, its film, its counters, its deadlock.
//!
//! In: a program, the outcome of its run, and what a [`Recorder`] kept. Out: a [`Run`]; what was too much to keep is
//! named in `left_out`.

use super::heat::Heat;
use super::listing::{ListingClass, listing};
use super::record::Film;
use super::recorder::{Recorder, grid_of, is_drawn};
use super::waits::Waits;
use serde::Serialize;
use systole_program::array::Program;
use systole_run::sim::{Counters, Outcome, PeCounters};

/// The PEs whose counters are listed at most.
const MOST_PES: usize = 1024;

/// Where the PEs of an array are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Array {
    /// The smallest coordinates.
    pub first: Vec<i64>,
    /// How many values each coordinate has.
    pub extents: Vec<usize>,
    /// The PEs.
    pub pes: Vec<Vec<i64>>,
}

/// Where the cycles of a PE went, and its class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PeRow {
    /// The name of its class.
    pub class: String,
    /// Cycles at work.
    pub busy: u64,
    /// Cycles of waiting for a slot.
    pub stalled: u64,
    /// Cycles of waiting for a word.
    pub starved: u64,
    /// All other cycles.
    pub idle: u64,
}

/// A channel and what went over all its wires.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChannelRow {
    /// Its name.
    pub name: String,
    /// Receiver minus sender.
    pub offset: Vec<i64>,
    /// Cycles of a hop, as the program declares them.
    pub latency: u64,
    /// How many pairs of PEs it joins.
    pub wires: u64,
    /// Words sent.
    pub words: u64,
    /// Words never received.
    pub undelivered: u64,
    /// The most words that held a slot of one wire at one time.
    pub used: u64,
    /// The depth that the program declares.
    pub declared: u64,
}

/// A bus and what went over it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BusRow {
    /// Its name.
    pub name: String,
    /// Words driven.
    pub driven: u64,
    /// Words heard, once for each listener.
    pub heard: u64,
}

/// What went through the memory ports of an array of numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryRow {
    /// Its name.
    pub name: String,
    /// Elements loaded.
    pub loaded: u64,
    /// Elements prefetched.
    pub prefetched: u64,
    /// Elements stored.
    pub stored: u64,
}

/// A run as the page shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Run {
    /// Its length in cycles.
    pub cycles: u64,
    /// The PEs; none listed where they are too many.
    pub array: Array,
    /// The counters of each listed PE.
    pub rows: Vec<PeRow>,
    /// All channels.
    pub channels: Vec<ChannelRow>,
    /// All buses.
    pub buses: Vec<BusRow>,
    /// All arrays of numbers.
    pub memory: Vec<MemoryRow>,
    /// How often each function was applied.
    pub operations: Vec<(&'static str, u64)>,
    /// How busy the PEs were.
    pub heat: Option<Heat>,
    /// Cycle by cycle, where the array is small enough.
    pub film: Option<Film>,
    /// The deadlock it ended in.
    pub deadlock: Option<Waits>,
    /// The lines of the program, class by class; none where they are too many.
    pub program: Vec<ListingClass>,
    /// What is not shown, and why.
    pub left_out: Vec<String>,
}

impl Run {
    /// The run of a program that a recorder watched.
    pub fn new(program: &Program, outcome: &Outcome, recorder: Recorder) -> Run {
        let counters = &outcome.counters;
        let points: Vec<&[i64]> = counters.pes.iter().map(|pe| &pe.point[..]).collect();
        let (first, extents) = grid_of(&points);
        let film = recorder.finish(outcome.cycles);
        let listed = counters.pes.len() <= MOST_PES;
        let pes = if listed { points.iter().map(|point| point.to_vec()).collect() } else { vec![] };
        Run {
            cycles: outcome.cycles,
            left_out: left_out(outcome, film.as_ref(), &extents),
            array: Array { first, extents, pes },
            rows: counters.pes.iter().filter(|_| listed).map(|pe| pe_row(program, pe)).collect(),
            channels: channels(program, counters),
            buses: buses(counters),
            memory: memory(counters),
            operations: counters.operations.iter().map(|(function, count)| (function.keyword(), *count)).collect(),
            heat: Heat::of(outcome),
            film,
            deadlock: outcome.deadlock.as_ref().map(Waits::of),
            program: listing(program),
        }
    }
}

fn pe_row(program: &Program, pe: &PeCounters) -> PeRow {
    PeRow {
        class: program.classes.get(pe.class).map(|class| class.name.to_string()).unwrap_or_default(),
        busy: pe.busy,
        stalled: pe.stalled,
        starved: pe.starved,
        idle: pe.idle_before + pe.idle_between + pe.idle_after,
    }
}

fn channels(program: &Program, counters: &Counters) -> Vec<ChannelRow> {
    let row = |(channel, counter): (&systole_program::array::Channel, &systole_run::sim::ChannelCounters)| ChannelRow {
        name: channel.name.to_string(),
        offset: channel.offset.clone(),
        latency: channel.latency,
        wires: counter.wires,
        words: counter.words,
        undelivered: counter.undelivered,
        used: counter.max_depth,
        declared: counter.declared_depth,
    };
    program.channels.iter().zip(&counters.channels).map(row).collect()
}

fn buses(counters: &Counters) -> Vec<BusRow> {
    let row = |bus: &systole_run::sim::BusCounters| BusRow {
        name: bus.name.to_string(),
        driven: bus.driven,
        heard: bus.heard,
    };
    counters.buses.iter().map(row).collect()
}

fn memory(counters: &Counters) -> Vec<MemoryRow> {
    let row = |(name, traffic): &(systole_base::integer::Name, systole_run::shared::MemoryTraffic)| MemoryRow {
        name: name.to_string(),
        loaded: traffic.loaded,
        prefetched: traffic.prefetched,
        stored: traffic.stored,
    };
    counters.memory.iter().map(row).collect()
}

/// What the bounds leave out, in words.
fn left_out(outcome: &Outcome, film: Option<&Film>, extents: &[usize]) -> Vec<String> {
    let mut said = vec![];
    let sides = extents.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ");
    match film {
        None if !is_drawn(extents) => said.push(format!(
            "An array of {sides} PEs is not drawn cycle by cycle (at most 32 × 32, or a row of 128); its heat map and its \
             counters cover the whole run."
        )),
        None => said.push("The run has too many words in its first cycle to be drawn.".to_owned()),
        Some(film) if film.cycles < outcome.cycles => said.push(format!(
            "The first {} of {} cycles are drawn; the heat map and the counters cover the whole run.",
            film.cycles, outcome.cycles
        )),
        Some(_) => {}
    }
    if outcome.counters.pes.len() > MOST_PES {
        said.push(format!("The counters of single PEs are listed for at most {MOST_PES} PEs."));
    }
    if extents.len() > 2 {
        said.push("Arrays of more than two dimensions have no heat map.".to_owned());
    }
    said
}
