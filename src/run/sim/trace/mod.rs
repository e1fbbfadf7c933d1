//! Traces of a run for people to look at: what each PE does in each cycle, and what lies on each wire.
//!
//! In: the events of a run, kept by a [`Recorder`] within a [`Window`] of cycles. Out: a [`Trace`], written as trace events
//! for Perfetto and chrome://tracing, or as waveforms. A trace depends on the run alone, not on the order in which the
//! host ran the PEs, and the same run gives the same bytes.
//!
//! A PE that waits for ever is drawn as blocked from its clock to the end of the trace, which is one cycle past the last
//! clock of the run, or the end of the window. These waits are in no counter: no cycle of the run passes in them.

mod curve;

mod window;

pub use window::Window;

mod plan;

mod record;

mod recorder;

pub use recorder::Recorder;

mod chrome;

mod vcd;

use crate::shared::{Blocked, Deadlock};
use curve::{Curve, depth};
use plan::{Plan, WireName};
use record::{LineRecord, PeRecord, Receipt, WireRecord, Word};
use std::collections::BTreeMap;
use std::io;
use std::io::Write;
use systole_base::integer::Name;

/// What happened in a window of a run.
#[derive(Clone, Debug)]
pub struct Trace {
    kernel: Name,
    plan: Plan,
    /// Ends with the run, if not before.
    window: Window,
    /// The length of the run.
    cycles: u64,
    response: u64,
    pes: Vec<PeRecord>,
    wires: Vec<WireRecord>,
    lines: Vec<LineRecord>,
    /// The PEs that wait for ever, and for what.
    blocked: BTreeMap<usize, Blocked>,
}

impl Trace {
    /// Writes trace events (JSON object format), a cycle as a microsecond.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_chrome(&self, to: &mut impl Write) -> io::Result<()> {
        chrome::write(self, to)
    }

    /// Writes a value change dump (IEEE 1364), a cycle as a microsecond.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_vcd(&self, to: &mut impl Write) -> io::Result<()> {
        vcd::write(self, to)
    }

    /// The cycles of a PE's last wait, in the window.
    fn last_wait(&self, pe: usize) -> Option<(u64, u64)> {
        self.window.cut(self.blocked.get(&pe)?.clock?, u64::MAX)
    }

    /// From the first cycle of a PE that is not idle to the last, in the window.
    fn active(&self, pe: usize) -> Option<(u64, u64)> {
        let (first, last) = match (self.pes[pe].active, self.blocked.get(&pe)) {
            (Some((first, _)), Some(_)) => (first, u64::MAX),
            (None, Some(blocked)) => (blocked.clock?, u64::MAX),
            (active, None) => active?,
        };
        self.window.cut(first, last)
    }

    /// Whether a clock lies in a PE's active cycles.
    fn is_active(&self, pe: usize, clock: u64) -> bool {
        self.active(pe).is_some_and(|(from, to)| from <= clock && clock < to)
    }

    /// The words that left and reached a PE in its active cycles, wire by wire.
    fn passages(&self) -> impl Iterator<Item = (&WireName, &Word, &Receipt)> {
        self.plan.wires.iter().zip(&self.wires).flat_map(|(named, record)| {
            let pairs = record.receipts.iter().filter_map(|receipt| Some((record.word_of(receipt)?, receipt)));
            let seen = pairs.filter(|(word, receipt)| {
                self.is_active(named.sender, word.clock) && self.is_active(named.receiver, receipt.clock)
            });
            seen.map(move |(word, receipt)| (named, word, receipt))
        })
    }

    /// How many words hold a slot of a wire.
    fn depth(&self, wire: usize) -> Curve<u64> {
        depth(&self.wires[wire], self.window, self.response)
    }
}

/// The PEs of a deadlock by their position in the run.
fn blocked_pes(plan: &Plan, deadlock: Option<&Deadlock>) -> BTreeMap<usize, Blocked> {
    let positions: BTreeMap<&[i64], usize> =
        plan.pes.iter().enumerate().map(|(pe, named)| (named.point.as_slice(), pe)).collect();
    let blocked = deadlock.into_iter().flat_map(|deadlock| &deadlock.blocked);
    blocked.filter_map(|blocked| Some((*positions.get(blocked.pe.as_slice())?, blocked.clone()))).collect()
}
