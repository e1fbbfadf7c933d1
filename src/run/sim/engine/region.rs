//! Some PEs of a run, with the wires between them.
//!
//! A region sweeps: each of its blocks in which some PE can go on does the ops of its class in the order of the code, each
//! for all PEs that stand there, and does so once or a few times. So all PEs make as many rounds of a loop in a sweep,
//! and those that are a step apart in the schedule stay a step apart and run side by side. Since every wait is for one definite event, neither the result nor
//! any count depends on the order of the blocks, the ops or the sweeps.

use super::block::Block;
use super::cable::{RECEIVER, SENDER};
use super::lanes::{LANES, Lanes};
use super::lines::Line;
use super::mail::Mail;
use super::profile::Profile;
use super::step::Step;
use super::tiles::Tiles;
use super::wires::{Link, Wires};
use crate::shared::{Memory, MemoryTraffic};
use crate::sim::Order;
use crate::sim::durations::Durations;
use crate::sim::observe::Observer;
use systole_base::cancel::Token;
use systole_base::cell::Cell;
use systole_program::array::{Code, Trouble};

/// What all regions read.
pub(super) struct Shared<'a> {
    pub code: &'a Code,
    pub memory: Memory,
    /// Of a program over tiles.
    pub tiles: Option<Tiles<'a>>,
    /// For each channel.
    pub links: Vec<Link>,
    /// For each bus.
    pub bus_latencies: Vec<u64>,
    /// Where some work takes time.
    pub durations: Option<Durations>,
    /// How many operations a step of a PE holds.
    pub cell: Cell,
    pub order: Order,
    /// Who may end the run.
    pub token: Token,
    /// How often a block does its ops before it is another's turn.
    pub turns: u64,
}

impl Shared<'_> {
    /// The words of an input.
    pub fn input(&self, array: usize) -> &[f64] {
        match &self.tiles {
            None => self.memory.input(array),
            Some(tiles) => tiles.input(array),
        }
    }

    /// Stores a word; whether this is the first time.
    pub fn store(&self, array: usize, address: usize, value: f64) -> Result<bool, Trouble> {
        match &self.tiles {
            None => Ok(self.memory.store(array, address, value)),
            Some(tiles) => self.memory.store_tile(array, address, &tiles.tile(value)),
        }
    }

    /// What an observer is shown of a word.
    #[inline(always)]
    pub fn shown<O: Observer>(&self, value: f64) -> f64 {
        match &self.tiles {
            Some(tiles) if O::WATCHES => tiles.first_element(value),
            _ => value,
        }
    }
}

/// What is counted, each kind in the order of the program.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// Ops done.
    pub instructions: u64,
    /// For each `let`.
    pub computed: Vec<u64>,
    /// For each array.
    pub traffic: Vec<MemoryTraffic>,
    /// For each channel.
    pub sent: Vec<u64>,
    /// For each channel.
    pub received: Vec<u64>,
    /// For each channel, the most words that held a slot of a wire at one time.
    pub depth: Vec<u32>,
    /// For each bus.
    pub driven: Vec<u64>,
    /// For each bus.
    pub heard: Vec<u64>,
}

impl Tally {
    /// Nothing counted yet.
    pub fn new(shared: &Shared<'_>) -> Tally {
        let (channels, buses) = (shared.links.len(), shared.bus_latencies.len());
        Tally {
            instructions: 0,
            computed: vec![0; shared.code.operations.len()],
            traffic: vec![MemoryTraffic::default(); shared.code.arrays.len()],
            sent: vec![0; channels],
            received: vec![0; channels],
            depth: vec![0; channels],
            driven: vec![0; buses],
            heard: vec![0; buses],
        }
    }
}

/// The far end of a wire is in another region.
pub(super) const NO_SEAT: u32 = u32::MAX;

/// What a wire joins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plug {
    /// The seats of its sender and its receiver, or [`NO_SEAT`].
    pub seats: [u32; 2],
    /// Its number in the wiring of the whole run.
    pub wire: u32,
}

/// What the blocks of a region share.
#[derive(Debug)]
pub(super) struct Surroundings {
    pub wires: Wires,
    /// For each wire.
    pub plugs: Vec<Plug>,
    pub lines: Vec<Line>,
    pub mail: Mail,
    pub tally: Tally,
    pub profile: Profile,
    /// Seats of PEs that may try again.
    pub woken: Vec<u32>,
    /// Clocks of a block's PEs before the op at hand, where they are needed.
    pub before: Lanes<u64>,
}

impl Surroundings {
    /// No wires and no lines yet.
    pub fn new(shared: &Shared<'_>) -> Surroundings {
        Surroundings {
            wires: Wires::default(),
            plugs: vec![],
            lines: vec![],
            mail: Mail::default(),
            tally: Tally::new(shared),
            profile: Profile::default(),
            woken: vec![],
            before: [0; LANES],
        }
    }

    #[cold]
    pub fn wake_sender(&mut self, wire: usize) {
        self.woken.push(self.plugs[wire].seats[SENDER]);
    }

    #[cold]
    pub fn wake_receiver(&mut self, wire: usize) {
        self.woken.push(self.plugs[wire].seats[RECEIVER]);
    }
}

/// What the program did wrong, which PE did it, at which op and clock.
pub(in crate::sim) struct Failure {
    pub pe: usize,
    pub counter: usize,
    pub clock: u64,
    pub trouble: Trouble,
}

/// Some PEs and what joins them.
#[derive(Debug)]
pub(super) struct Region {
    pub blocks: Vec<Block>,
    pub around: Surroundings,
    /// One bit for each block in which some PE can go on.
    ready: Vec<u64>,
}

impl Region {
    /// A region in which everyone can begin.
    pub fn new(blocks: Vec<Block>, around: Surroundings) -> Region {
        let mut region = Region { ready: vec![0; blocks.len().div_ceil(LANES)], blocks, around };
        (0..region.blocks.len()).for_each(|block| region.set_ready(block));
        region
    }

    fn set_ready(&mut self, block: usize) {
        self.ready[block / LANES] |= 1 << (block % LANES);
    }

    /// Whether some PE can go on, or there is news from another region.
    pub fn is_ready(&self) -> bool {
        self.ready.iter().any(|word| *word != 0) || self.around.mail.has_come()
    }

    /// Gives every block with a PE that can go on its turn. Letters leave as soon as nothing more is to be expected for them.
    pub fn sweep<O: Observer>(&mut self, shared: &Shared<'_>, observer: &mut O) -> Result<(), Failure> {
        self.around.read_letters(shared).map_err(|trouble| Failure { pe: 0, counter: 0, clock: 0, trouble })?;
        self.wake();
        let mut next = self.next_ready(shared.order, None);
        while let Some(block) = next {
            self.take_turn(block, shared, observer)?;
            self.around.write_early_letters(block);
            next = self.next_ready(shared.order, Some(block));
        }
        self.around.write_letters();
        Ok(())
    }

    /// The next block, in the host's order, in which some PE can go on.
    fn next_ready(&self, order: Order, last: Option<usize>) -> Option<usize> {
        let count = self.blocks.len();
        match order {
            Order::FirstIn => self.first_ready_from(last.map_or(0, |last| last + 1)),
            Order::LastIn => {
                (0..last.unwrap_or(count)).rev().find(|block| self.ready[block / LANES] >> (block % LANES) & 1 == 1)
            }
        }
    }

    fn first_ready_from(&self, block: usize) -> Option<usize> {
        let (word, bit) = (block / LANES, block % LANES);
        let first = (word, self.ready.get(word)? & (u64::MAX << bit));
        let rest = self.ready.iter().copied().enumerate().skip(word + 1);
        let (word, bits) = std::iter::once(first).chain(rest).find(|(_, bits)| *bits != 0)?;
        Some(word * LANES + bits.trailing_zeros() as usize)
    }

    /// While the neighbours' words and slots last, a block goes on: what it works on is at hand.
    fn take_turn<O: Observer>(&mut self, block: usize, shared: &Shared<'_>, observer: &mut O) -> Result<(), Failure> {
        for _ in 0..shared.turns {
            self.visit(block, shared, observer)?;
            self.wake();
            if !self.blocks[block].is_ready() {
                self.ready[block / LANES] &= !(1 << (block % LANES));
                return Ok(());
            }
        }
        self.set_ready(block);
        Ok(())
    }

    fn visit<O: Observer>(&mut self, number: usize, shared: &Shared<'_>, observer: &mut O) -> Result<(), Failure> {
        let block = &mut self.blocks[number];
        for at in 0..shared.code.classes[block.class].ops.len() {
            let mask = std::mem::take(&mut block.standing[at]);
            if mask == 0 {
                continue;
            }
            let step = Step { block, number, at, mask, around: &mut self.around, shared, observer };
            if let Err((lane, trouble)) = step.run() {
                let (pe, clock) = (block.pes[lane] as usize, block.clock[lane]);
                return Err(Failure { pe, counter: at, clock, trouble });
            }
        }
        Ok(())
    }

    /// For each channel the most words that held a slot of a wire at one time, at the end of a run: what was not received
    /// holds its slot for ever.
    pub fn depths(&self, code: &Code) -> Vec<u64> {
        let mut depths: Vec<u64> = self.around.tally.depth.iter().map(|depth| u64::from(*depth)).collect();
        for block in &self.blocks {
            for (port, wires) in code.classes[block.class].ports.iter().zip(&block.ports).filter(|(port, _)| port.sends)
            {
                let wires = (0..block.pes.len()).filter_map(|lane| wires.wire(lane));
                let held = wires.map(|wire| u64::from(self.around.wires.held(wire))).max();
                depths[port.channel] = depths[port.channel].max(held.unwrap_or(0));
            }
        }
        depths
    }

    /// All words that somebody holds, or may hold.
    pub fn words(&self) -> impl Iterator<Item = f64> {
        let registers = self.blocks.iter().flat_map(|block| &block.registers).flatten().copied();
        let kept = self.blocks.iter().flat_map(|block| block.kept.values()).map(|(_, value)| *value);
        let around = &self.around;
        registers
            .chain(kept)
            .chain(around.wires.values())
            .chain(around.lines.iter().flat_map(Line::values))
            .chain(around.mail.values())
    }

    /// Lets those who were woken try again.
    pub fn wake(&mut self) {
        while let Some(seat) = self.around.woken.pop() {
            if seat != NO_SEAT {
                let (block, lane) = (seat as usize / LANES, seat as usize % LANES);
                self.blocks[block].wake(lane);
                self.set_ready(block);
            }
        }
    }
}
