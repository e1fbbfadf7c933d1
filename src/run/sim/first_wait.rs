//! Who waits first in a run, for what and how long.
//!
//! In: the events of a run. Out: its first wait. In the time of its own links a program that keeps to its schedule never waits, so a
//! wait tells of a point that begins before what it takes is there, or before there is room for what it gives.

use super::observe::{Event, Observer};
use systole_base::integer::Vector;
use systole_program::array::{Code, Wiring};

/// What a PE waits for; channels and buses are positions in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Awaited {
    /// A word of this channel.
    Word(usize),
    /// A word on this bus.
    Bus(usize),
    /// A slot of this channel.
    Slot(usize),
}

/// One wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstWait {
    /// The coordinates of the PE.
    pub pe: Vector,
    /// For what.
    pub awaited: Awaited,
    /// Since which cycle.
    pub from: u64,
    /// Until which.
    pub to: u64,
}

/// Watches a run.
#[derive(Clone, Debug, Default)]
pub struct FirstWaits {
    points: Vec<Vector>,
    /// The channel of each wire, and the bus of each line.
    channels: Vec<usize>,
    buses: Vec<usize>,
    /// The first wait so far, of those of one cycle that of the first PE.
    first: Option<(u64, usize, Awaited, u64)>,
}

impl FirstWaits {
    /// The first wait of a run that is over.
    pub fn first(&self) -> Option<FirstWait> {
        let (from, pe, awaited, to) = self.first?;
        Some(FirstWait { pe: self.points.get(pe)?.clone(), awaited, from, to })
    }
}

impl Observer for FirstWaits {
    fn begin(&mut self, code: &Code, wiring: &Wiring) {
        self.points = code.pes.iter().map(|pe| code.grid.point(pe.position)).collect();
        self.channels = wiring.wires.iter().map(|wire| wire.channel).collect();
        self.buses.clone_from(&wiring.lines);
    }

    fn see(&mut self, event: Event) {
        let wait = match event {
            Event::Starved { pe, wire, from, to } => (from, pe, Awaited::Word(self.channels[wire]), to),
            Event::Unheard { pe, line, from, to } => (from, pe, Awaited::Bus(self.buses[line]), to),
            Event::Stalled { pe, wire, from, to } => (from, pe, Awaited::Slot(self.channels[wire]), to),
            _ => return,
        };
        if self.first.is_none_or(|first| wait < first) {
            self.first = Some(wait);
        }
    }
}
