//! Runs all PEs of a program, each with its own clock, until every one is done or none can go on.
//!
//! In: code, inputs, settings. Out: what each PE did when, counted. PEs of one class share their instructions, so they are
//! run side by side in blocks of 64 ([`block`]): an op is decoded once and done for all that stand at it ([`step`]).
//! Where there are several threads the PEs are cut into as many regions ([`split`]), which sweep at the same time
//! ([`rounds`]) and write letters to each other ([`mail`]). Since every wait is for one definite event, neither
//! the result nor any count depends on the order or on the number of threads. Contract: a Kahn network with time stamps,
//! Cyclotron section 9.1.
//!
//! PEs a step apart in the schedule stay a step apart, so most lanes are busy in every sweep; a PE that must wait is
//! parked. The wires at one port of a block make a cable, with their rings rotated so that what comes next stands in
//! one row. So nearly all transfers are a few plain loops over numbers side by side (`at_once`), and only what is in
//! the way goes by the rules one at a time (`wires`). A thread waits only for the letters of its neighbours' last
//! sweep, which leave as soon as the blocks at the border have been swept. To run further ahead would not pay, because
//! PEs without words or slots are parked. All threads meet where nobody has work, and once in a thousand sweeps for the
//! sake of limits.
//!
//! `tests/sim/work_list.rs` is the plain engine that all of this is held to.
//!
//! In a program over tiles registers and wires hold *handles*: quiet NaNs with the number of a tile (`tiles`). So words
//! move as numbers do, and what computes, stores or shows one looks it up. All regions add to the same tiles; between
//! sweeps those that no register, wire or line holds are dropped. A leaf is one `let`, so the cycles are those of the
//! schedule of tiles.

use super::Settings;
use super::durations::Durations;
use super::observe::Observer;
use crate::leaf::Leaves;
use crate::shared::Memory;
use ledger::Ledger;
pub(super) use region::Failure;
use region::{Region, Shared};
pub(super) use results::Meeting;
use systole_base::diagnostic::Checked;
use systole_program::array::{Code, Program, Tensors, Wiring};
use tiles::Tiles;
use wires::Link;

mod lanes;

mod scalars;

mod tiles;

mod pace;

mod ports;

mod cable;

mod wires;

mod lines;

mod letters;

mod rows;

mod mail;

mod own;

mod asked;

mod profile;

mod block;

mod region;

mod step;

mod progress;

mod elements;

mod at_once;

mod transfer;

mod bus;

mod cut;

mod split;

mod ledger;

mod rounds;

mod results;

/// More rounds than this a block does not run ahead.
const MOST_TURNS: u64 = 8;

/// A whole run.
pub(super) struct Engine<'a> {
    shared: Shared<'a>,
    regions: Vec<Region>,
    /// How many wires each channel has.
    wires: Vec<u64>,
    ledger: Ledger,
}

/// Why a run was broken off.
pub(super) enum Stop {
    /// The program does what it must not.
    Failure(Failure),
    /// It takes more instructions than it may, which is so many.
    Budget(u64),
    /// Its tiles take so many bytes, more than they may, which is so many.
    Memory([usize; 2]),
    /// It was cancelled.
    Cancelled,
}

/// Where the cycles of one PE went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meter {
    pub pe: usize,
    pub active: bool,
    pub clock: u64,
    pub busy: u64,
    pub stalled: u64,
    pub starved: u64,
    pub idle_before: u64,
    pub idle_between: u64,
}

impl<'a> Engine<'a> {
    /// All PEs before their first instruction. An observed run has one region.
    ///
    /// # Errors
    /// Inputs that do not fit the program.
    pub fn new<O: Observer>(
        program: &Program,
        (code, leaves): (&'a Code, Option<&'a Leaves>),
        inputs: &Tensors,
        settings: &Settings,
        observer: &mut O,
    ) -> Checked<Engine<'a>> {
        let links = program.channels.iter().map(|channel| Link {
            capacity: settings.capacity_of(channel),
            latency: channel.latency,
            response: settings.response,
            bandwidth: settings.bandwidth,
        });
        let mut shared = Shared {
            code,
            memory: Memory::new(code, inputs)?,
            tiles: None,
            links: links.collect(),
            bus_latencies: program.buses.iter().map(|bus| bus.latency).collect(),
            durations: Some(Durations::of(program, code, &settings.times)).filter(|durations| !durations.are_none()),
            cell: settings.cell.unwrap_or(program.cell),
            order: settings.order,
            token: settings.token.clone(),
            turns: 1,
        };
        if let Some(leaves) = leaves {
            shared.tiles = Some(Tiles::new(code, leaves, &mut shared.memory, settings.most_tile_bytes));
        }
        let wiring = Wiring::of(program, code);
        observer.begin(code, &wiring);
        let count = if O::WATCHES { 1 } else { settings.regions(code.pes.len()) };
        // Tiles that nobody holds are dropped between turns only.
        shared.turns = if leaves.is_some() { 1 } else { turns(&shared.links) };
        let regions = split::split(&shared, &wiring, count);
        let mut wires = vec![0; program.channels.len()];
        wiring.wires.iter().for_each(|wire| wires[wire.channel] += 1);
        let ledger = Ledger { most_instructions: settings.most_instructions, ..Ledger::default() };
        Ok(Engine { shared, regions, wires, ledger })
    }

    /// How many regions sweep at the same time.
    pub fn regions(&self) -> usize {
        self.regions.len()
    }

    /// Runs until no PE can go on.
    pub fn run<O: Observer>(&mut self, observer: &mut O) -> Result<(), Stop> {
        let Engine { shared, regions, ledger, .. } = self;
        let mut regions: Vec<&mut Region> = regions.iter_mut().collect();
        while regions[0].is_ready() {
            regions[0].sweep(shared, observer).map_err(Stop::Failure)?;
            ledger.check(shared, &mut regions)?;
        }
        ledger.fold(&mut regions, None);
        Ok(())
    }

    /// Runs with a thread for each region until no PE can go on.
    ///
    /// # Errors
    /// Where threads cannot be had; and [`Stop`], whose PE is one of those that fail, not always the first.
    pub fn run_in_parallel(&mut self) -> Checked<Result<(), Stop>> {
        let Engine { shared, regions, ledger, .. } = self;
        if let Err(stop) = rounds::run(regions, shared, ledger)? {
            return Ok(Err(stop));
        }
        ledger.fold(&mut regions.iter_mut().collect::<Vec<&mut Region>>(), None);
        Ok(Ok(()))
    }
}

/// How many rounds a block may run ahead of its neighbours before it is their turn: half as many as every channel has
/// slots. With more, a neighbour that is a round behind finds no slot in every other turn; and between regions words and
/// slots take one sweep there and one back.
fn turns(links: &[Link]) -> u64 {
    let slots = links.iter().map(|link| link.capacity).min().unwrap_or(MOST_TURNS);
    (slots / 2).clamp(1, MOST_TURNS)
}
