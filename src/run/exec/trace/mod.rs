//! What all workers of a run did when, by real clocks.
//!
//! In: a lane of each worker. Out: a [`Timeline`], written as trace events for Perfetto and chrome://tracing with one track a
//! worker. Threads share a clock; the clocks of ranks start together at a barrier, so they are as far apart as its ends.
//!
//! Each worker notes what it does when (`tape`): runs of PEs, leaves, waits, packets handed to the transport and
//! received, receives posted ahead; at most 65,536 moments a worker. How much of their time workers wait, send and
//! receive is counted in every run. A rank that has something to do receives a tile when its packet is there, and that
//! is receiving; one that has nothing to do waits for it.

mod tape;

pub use tape::{Activity, Lane, MOST_MOMENTS, Moment};

pub(super) use tape::Tape;

use crate::shared::event::{Entry, EventFile};
use serde_json::json;
use std::io;
use std::io::Write;
use std::time::Duration;
use systole_program::array::{Code, Grid, Program, show_point};

/// The process of all tracks.
const WORKERS: usize = 1;

/// The first thread; lower numbers are those of processes, which viewers give to main threads.
const FIRST_THREAD: usize = 10;

/// What all workers did.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// One of each worker.
    pub lanes: Vec<Lane>,
    kernel: String,
    elapsed: Duration,
    /// What each `let` computes.
    names: Vec<String>,
    grid: Grid,
    /// The position in the grid of each PE.
    positions: Vec<usize>,
}

impl Timeline {
    /// The timeline of a run that took so long.
    pub(super) fn new(program: &Program, code: &Code, lanes: Vec<Lane>, elapsed: Duration) -> Timeline {
        let leaf = |leaf: &usize| program.leaves.get(*leaf).map_or("leaf", |leaf| &*leaf.name);
        let name = |calls: Vec<&str>| if calls.is_empty() { "let".to_owned() } else { calls.join(", ") };
        let names = code.calls().iter().map(|calls| name(calls.keys().map(leaf).collect())).collect();
        let has_moments = lanes.iter().any(|lane| !lane.moments.is_empty());
        let positions = if has_moments { code.pes.iter().map(|pe| pe.position).collect() } else { vec![] };
        Timeline { lanes, kernel: program.kernel.to_string(), elapsed, names, grid: code.grid.clone(), positions }
    }

    /// The share of all workers' time that is lost to waiting, from 0 to 1.
    pub fn waiting(&self) -> f64 {
        self.share(|lane| lane.waited)
    }

    /// The share of all workers' time in which they handed packets to the transport, from 0 to 1.
    pub fn sending(&self) -> f64 {
        self.share(|lane| lane.sent)
    }

    /// The share of all workers' time in which they took in packets that had come, and the tiles of these, from 0 to 1.
    pub fn receiving(&self) -> f64 {
        self.share(|lane| lane.received)
    }

    fn share(&self, part: impl Fn(&Lane) -> u64) -> f64 {
        let all = self.elapsed.as_nanos() as f64 * self.lanes.len() as f64;
        let parts = self.lanes.iter().map(part).sum::<u64>() as f64;
        if all > 0.0 { (parts / all).min(1.0) } else { 0.0 }
    }

    /// Writes trace events (JSON object format); `kind` is what a worker is, such as `rank`.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_chrome(&self, kind: &str, to: &mut impl Write) -> io::Result<()> {
        let mut events = EventFile::begin(to)?;
        for (number, lane) in self.lanes.iter().enumerate() {
            let (track, name) = ((WORKERS, FIRST_THREAD + number), format!("{kind} {number}"));
            let named = Entry::new("M", "__metadata", "thread_name", track, 0.0).argument("name", name);
            events.push(&named)?;
            lane.moments.iter().try_for_each(|moment| self.write_moment(track, moment, &mut events))?;
        }
        events.end(&json!({
            "kernel": self.kernel,
            "seconds": self.elapsed.as_secs_f64(),
            "waiting": self.waiting(),
            "sending": self.sending(),
            "receiving": self.receiving(),
            "left out": self.lanes.iter().map(|lane| lane.left_out).sum::<u64>(),
            "version": env!("CARGO_PKG_VERSION"),
        }))
    }

    fn write_moment<W: Write>(
        &self,
        track: (usize, usize),
        moment: &Moment,
        events: &mut EventFile<'_, W>,
    ) -> io::Result<()> {
        let (from, length) = (microseconds(moment.from), microseconds(moment.to.saturating_sub(moment.from)));
        let span = |name| Entry { dur: Some(length), ..Entry::new("X", "activity", name, track, from) };
        let entry = match moment.activity {
            Activity::Turns => span("turns"),
            Activity::Leaf { operation, pe } => {
                let name = self.names.get(operation).map_or("let", |name| &**name);
                let point = self.positions.get(pe).map(|position| show_point(&self.grid.point(*position)));
                span(name).argument("pe", point.unwrap_or_default())
            }
            Activity::Wait => span("waiting"),
            Activity::Send { to, size } => span("send").argument("to", to).argument("words", size),
            Activity::Deliver { size } => span("deliver").argument("words", size),
            Activity::Post { receives } => {
                let instant = Entry { s: Some("t"), ..Entry::new("i", "activity", "receives posted", track, from) };
                instant.argument("receives", receives)
            }
        };
        events.push(&entry)
    }
}

/// Nanoseconds as the format counts.
fn microseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1000.0
}
