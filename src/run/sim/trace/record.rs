//! What a trace keeps of each PE, wire and line.
//!
//! Each list has the order of one clock: that of the PE, or of one end of the wire. The events of a line come from many
//! PEs, in the host's order, and are sorted when the run is over.

/// What a PE does in a cycle of its clock that is not idle; wires and lines are those of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Activity {
    Busy,
    /// Waits for a slot of the wire.
    Stalled(usize),
    /// Waits for a word of the wire.
    Starved(usize),
    /// Waits for a word of the line.
    Unheard(usize),
}

/// An activity and the cycles it takes, cut to the window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub activity: Activity,
    pub from: u64,
    pub to: u64,
}

/// An element that passed a memory port.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub stores: bool,
    pub array: usize,
    pub address: usize,
    pub clock: u64,
    pub value: f64,
}

/// One PE.
#[derive(Clone, Debug, Default)]
pub(super) struct PeRecord {
    pub spans: Vec<Span>,
    pub accesses: Vec<Access>,
    /// From its first busy or waiting cycle to its last, of the whole run.
    pub active: Option<(u64, u64)>,
}

impl PeRecord {
    /// Notes that the PE was busy or waited, inside the window or not.
    pub fn extend(&mut self, from: u64, to: u64) {
        let first = self.active.map_or(from, |(first, _)| first);
        self.active = Some((first, to));
    }
}

/// A word that took its slot in the window; `number` counts the words of its wire from 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    pub number: u64,
    pub clock: u64,
    pub value: f64,
}

/// A word taken out, its slot free in the window or later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Receipt {
    pub number: u64,
    pub clock: u64,
}

/// One wire.
#[derive(Clone, Debug, Default)]
pub(super) struct WireRecord {
    pub sent: u64,
    pub received: u64,
    /// How many words hold a slot when the window begins.
    pub depth_before: u64,
    /// The last word sent before the window.
    pub value_before: Option<f64>,
    pub words: Vec<Word>,
    pub receipts: Vec<Receipt>,
}

impl WireRecord {
    /// The word of a receipt, where it was sent in the window.
    pub fn word_of(&self, receipt: &Receipt) -> Option<&Word> {
        let position = receipt.number.checked_sub(self.words.first()?.number)?;
        self.words.get(usize::try_from(position).ok()?)
    }
}

/// A word put on a line, or read off it.
#[derive(Clone, Copy, Debug)]
pub(super) struct BusEvent {
    pub drives: bool,
    pub pe: usize,
    pub clock: u64,
    pub value: f64,
}

/// One line of a bus.
#[derive(Clone, Debug, Default)]
pub(super) struct LineRecord {
    pub spoken: Vec<BusEvent>,
    /// The last word driven before the window.
    pub before: Option<BusEvent>,
}

impl LineRecord {
    /// Keeps the later of two words driven before the window; of one clock, that of the later PE.
    pub fn note_before(&mut self, spoken: BusEvent) {
        if self.before.is_none_or(|last| (last.clock, last.pe) <= (spoken.clock, spoken.pe)) {
            self.before = Some(spoken);
        }
    }
}
