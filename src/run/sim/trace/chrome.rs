//! A trace as trace events in JSON, the object form of the Trace Event Format, which Perfetto and chrome://tracing read.
//!
//! In: a trace. Out: text with one event a line. Processes are the kinds of things: PEs, channels, memory ports, buses.
//!
//! * A PE is a thread of the first. A span from its first to its last cycle that is not idle has its class as name; in
//!   it lie `busy`, `stalled`, `starved` and `blocked` (waits for ever), with the channel and the far end as arguments.
//!   Equal neighbours are not joined: a busy span is one step of the schedule, and arrows end at steps.
//! * A wire is a counter of the second: how many words hold a slot. An arrow from the sender to the receiver joins the
//!   clocks at which a word entered and left it, where both lie in the window and in a span.
//! * What passes a memory port, and what is put on or read off a line of a bus, are instants of the other two.
//!
//! Complete events (`X`) are used throughout, so no begin lacks its end. Thread numbers are distinct over all processes,
//! since viewers take a thread for the same one wherever its number occurs.

use super::Trace;
use super::record::{Access, Activity, BusEvent, Span};
use crate::shared::event::EventFile;
use serde_json::{Value, json};
use std::io;
use std::io::Write;
use systole_program::array::show_point;

/// The processes, by number.
const PROCESSES: [(usize, &str); 4] = [(PES, "PEs"), (CHANNELS, "channels"), (PORTS, "memory ports"), (BUSES, "buses")];

const PES: usize = 1;

const CHANNELS: usize = 2;

const PORTS: usize = 3;

const BUSES: usize = 4;

/// The first thread; lower numbers are those of processes, which viewers give to main threads.
const FIRST_THREAD: usize = 10;

/// Times are in microseconds, which stand for cycles.
type Entry<'a> = crate::shared::event::Entry<'a, u64>;

/// Writes the file.
pub(super) fn write(trace: &Trace, to: &mut impl Write) -> io::Result<()> {
    let mut file = File { trace, events: EventFile::begin(to)? };
    file.name_processes()?;
    file.name_threads()?;
    (0..trace.pes.len()).try_for_each(|pe| file.write_pe(pe))?;
    (0..trace.pes.len()).try_for_each(|pe| file.write_accesses(pe))?;
    (0..trace.lines.len()).try_for_each(|line| file.write_line(line))?;
    (0..trace.wires.len()).try_for_each(|wire| file.write_depth(wire))?;
    file.write_arrows()?;
    let about = json!({
        "kernel": &*trace.kernel,
        "cycles": trace.cycles,
        "window": format!("{}..{}", trace.window.from(), trace.window.to()),
        "time": "one cycle is shown as one microsecond",
        "version": env!("CARGO_PKG_VERSION"),
    });
    file.events.end(&about)
}

struct File<'a, W> {
    trace: &'a Trace,
    events: EventFile<'a, W>,
}

impl<W: Write> File<'_, W> {
    fn push(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        self.events.push(entry)
    }

    fn name_processes(&mut self) -> io::Result<()> {
        for (process, name) in PROCESSES {
            let track = (process, process);
            let start = self.trace.window.from();
            self.push(&Entry::new("M", "__metadata", "process_name", track, start).argument("name", name))?;
            self.push(
                &Entry::new("M", "__metadata", "process_sort_index", track, start).argument("sort_index", process),
            )?;
        }
        Ok(())
    }

    fn name_threads(&mut self) -> io::Result<()> {
        let trace = self.trace;
        for (pe, named) in trace.plan.pes.iter().enumerate() {
            let name = format!("{} {}", show_point(&named.point), named.class);
            self.name_thread(self.pe_track(pe), &name)?;
            if !trace.pes[pe].accesses.is_empty() {
                self.name_thread(self.port_track(pe), &name)?;
            }
        }
        (0..trace.lines.len()).try_for_each(|line| self.name_thread(self.line_track(line), &trace.plan.line(line)))
    }

    fn name_thread(&mut self, track: (usize, usize), name: &str) -> io::Result<()> {
        let start = self.trace.window.from();
        self.push(&Entry::new("M", "__metadata", "thread_name", track, start).argument("name", name))?;
        self.push(&Entry::new("M", "__metadata", "thread_sort_index", track, start).argument("sort_index", track.1))
    }

    fn pe_track(&self, pe: usize) -> (usize, usize) {
        (PES, FIRST_THREAD + pe)
    }

    fn port_track(&self, pe: usize) -> (usize, usize) {
        (PORTS, FIRST_THREAD + self.trace.pes.len() + pe)
    }

    fn line_track(&self, line: usize) -> (usize, usize) {
        (BUSES, FIRST_THREAD + 2 * self.trace.pes.len() + line)
    }

    /// The outer span first: of spans that begin together, viewers take the first for the outer one.
    fn write_pe(&mut self, pe: usize) -> io::Result<()> {
        let trace = self.trace;
        let track = self.pe_track(pe);
        let Some((from, to)) = trace.active(pe) else { return Ok(()) };
        let outer = Entry::new("X", "class", &trace.plan.pes[pe].class, track, from);
        self.push(&Entry { dur: Some(to - from), ..outer })?;
        trace.pes[pe].spans.iter().try_for_each(|span| self.write_span(track, span))?;
        self.write_last_wait(pe)
    }

    fn write_span(&mut self, track: (usize, usize), span: &Span) -> io::Result<()> {
        let plan = &self.trace.plan;
        let entry =
            |name| Entry { dur: Some(span.to - span.from), ..Entry::new("X", "activity", name, track, span.from) };
        let entry = match span.activity {
            Activity::Busy => entry("busy"),
            Activity::Stalled(wire) => {
                let named = &plan.wires[wire];
                entry("stalled").argument("channel", &*named.channel).argument("to", plan.point(named.receiver))
            }
            Activity::Starved(wire) => {
                let named = &plan.wires[wire];
                entry("starved").argument("channel", &*named.channel).argument("from", plan.point(named.sender))
            }
            Activity::Unheard(line) => entry("starved").argument("bus", &*plan.lines[line].bus),
        };
        self.push(&entry)
    }

    fn write_last_wait(&mut self, pe: usize) -> io::Result<()> {
        let (Some((from, to)), Some(blocked)) = (self.trace.last_wait(pe), self.trace.blocked.get(&pe)) else {
            return Ok(());
        };
        let entry = Entry { dur: Some(to - from), ..Entry::new("X", "activity", "blocked", self.pe_track(pe), from) };
        let entry = entry.argument("link", &*blocked.link).argument("cause", blocked.cause.keyword());
        let entry = match &blocked.peer {
            Some(peer) => entry.argument("waits for", show_point(&peer.pe)),
            None => entry.argument("tag", show_point(&blocked.tag)),
        };
        self.push(&entry)
    }

    fn write_accesses(&mut self, pe: usize) -> io::Result<()> {
        let trace = self.trace;
        let track = self.port_track(pe);
        for Access { stores, array, address, clock, value } in &trace.pes[pe].accesses {
            let layout = &trace.plan.arrays[*array];
            let at: Vec<i64> = layout.subscripts(*address).into_iter().map(|entry| entry as i64).collect();
            let verb = if *stores { "store" } else { "load" };
            let name = format!("{verb} {}{}", layout.name, show_point(&at));
            self.write_instant(track, "memory", &name, *clock, word(*value), None)?;
        }
        Ok(())
    }

    fn write_line(&mut self, line: usize) -> io::Result<()> {
        let trace = self.trace;
        let track = self.line_track(line);
        for BusEvent { drives, pe, clock, value } in &trace.lines[line].spoken {
            let name = if *drives { "drive" } else { "hear" };
            self.write_instant(track, "bus", name, *clock, word(*value), Some(trace.plan.point(*pe)))?;
        }
        Ok(())
    }

    fn write_instant(
        &mut self,
        track: (usize, usize),
        category: &'static str,
        name: &str,
        clock: u64,
        value: Value,
        pe: Option<String>,
    ) -> io::Result<()> {
        let entry = Entry { s: Some("t"), ..Entry::new("i", category, name, track, clock) };
        let entry = entry.argument("value", value);
        self.push(&pe.into_iter().fold(entry, |entry, pe| entry.argument("pe", pe)))
    }

    fn write_depth(&mut self, wire: usize) -> io::Result<()> {
        let name = self.trace.plan.wire(wire);
        let curve = self.trace.depth(wire);
        curve.points().iter().try_for_each(|(clock, depth)| {
            self.push(&Entry::new("C", "depth", &name, (CHANNELS, CHANNELS), *clock).argument("words", *depth))
        })
    }

    /// After all spans, because viewers tie the end of an arrow to a span that they know.
    fn write_arrows(&mut self) -> io::Result<()> {
        for (number, (named, sent, receipt)) in self.trace.passages().enumerate() {
            let (id, name) = (Some(number as u64 + 1), &*named.channel);
            let tail = Entry { id, ..Entry::new("s", "word", name, self.pe_track(named.sender), sent.clock) };
            self.push(&tail.argument("value", word(sent.value)))?;
            let head = Entry::new("f", "word", name, self.pe_track(named.receiver), receipt.clock);
            self.push(&Entry { id, bp: Some("e"), ..head })?;
        }
        Ok(())
    }
}

/// JSON has no words for infinities and what is not a number.
fn word(value: f64) -> Value {
    match value.is_finite() {
        true => json!(value),
        false => json!(value.to_string()),
    }
}
