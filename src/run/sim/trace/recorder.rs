//! Keeps what falls in a window of cycles.
//!
//! In: the events of a run. Out: a [`Trace`]. Memory grows with what happens in the window only: of what came before it,
//! a wire keeps how many words hold a slot and the last word, a line the last word, a PE its first clock.
//!
//! A slot is taken at the clock of `Sent` and free a response after that of `Received`, as in `wire.rs`; both clocks of a
//! wire only rise, so the depth at the start of the window is a difference of two counts, in whatever order the host runs
//! the two PEs.

use super::plan::Plan;
use super::record::{Access, Activity, BusEvent, LineRecord, PeRecord, Receipt, Span, WireRecord, Word};
use super::{Trace, Window, blocked_pes};
use crate::sim::observe::{Event, Observer};
use crate::sim::{Outcome, Settings};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_program::array::{Code, Program, Wiring};

/// How many events a trace holds at most unless it is said: as text about a gigabyte.
const MOST: u64 = 8_000_000;

/// Records a run for a trace.
pub struct Recorder<'a> {
    program: &'a Program,
    response: u64,
    window: Window,
    plan: Plan,
    pes: Vec<PeRecord>,
    wires: Vec<WireRecord>,
    lines: Vec<LineRecord>,
    /// Events in the window, kept or not.
    count: u64,
    limit: u64,
}

impl<'a> Recorder<'a> {
    /// A recorder for one run of `program` with `settings`.
    pub fn new(program: &'a Program, settings: &Settings, window: Window) -> Recorder<'a> {
        Recorder {
            program,
            response: settings.response,
            window,
            plan: Plan::default(),
            pes: vec![],
            wires: vec![],
            lines: vec![],
            count: 0,
            limit: MOST,
        }
    }

    /// The recorder with another limit on the number of events in the window.
    pub fn at_most(self, limit: u64) -> Recorder<'a> {
        Recorder { limit, ..self }
    }

    /// The trace of the run that gave `outcome`; one that deadlocked shows its last waits.
    ///
    /// # Errors
    /// A window that begins after the run has ended, or that holds too many events.
    pub fn finish(mut self, outcome: &Outcome) -> Checked<Trace> {
        let (from, to, cycles) = (self.window.from(), self.window.to(), outcome.cycles);
        if from > cycles && outcome.deadlock.is_none() {
            let message = format!("the window {from}..{to} begins after the run has ended, at clock {cycles}");
            return Diagnostic::new(message).alone();
        }
        if self.count > self.limit {
            let message = format!("a trace of {} events is longer than the limit of {}", self.count, self.limit);
            return Diagnostic::new(message).help("ask for fewer cycles, such as `--window 0..200`").alone();
        }
        self.lines.iter_mut().for_each(|line| line.spoken.sort_by_key(|spoken| (spoken.clock, spoken.pe)));
        Ok(Trace {
            kernel: self.program.kernel.clone(),
            // What happens at the last clock is in the trace, so it ends a cycle later.
            window: self.window.ended_at(cycles.saturating_add(1)),
            cycles,
            response: self.response,
            blocked: blocked_pes(&self.plan, outcome.deadlock.as_ref()),
            plan: self.plan,
            pes: self.pes,
            wires: self.wires,
            lines: self.lines,
        })
    }

    /// Counts an event of the window; whether it is to be kept.
    fn admit(&mut self) -> bool {
        self.count += 1;
        self.count <= self.limit
    }

    fn span(&mut self, pe: usize, activity: Activity, from: u64, to: u64) {
        if from == to {
            return;
        }
        self.pes[pe].extend(from, to);
        let Some((from, to)) = self.window.cut(from, to) else { return };
        if self.admit() {
            self.pes[pe].spans.push(Span { activity, from, to });
        }
    }

    fn access(&mut self, pe: usize, access: Access) {
        if self.window.holds(access.clock) && self.admit() {
            self.pes[pe].accesses.push(access);
        }
    }

    fn send(&mut self, wire: usize, clock: u64, value: f64) {
        let keeps = self.window.holds(clock) && self.admit();
        let record = &mut self.wires[wire];
        if keeps {
            record.words.push(Word { number: record.sent, clock, value });
        }
        if clock < self.window.from() {
            record.depth_before += 1;
            record.value_before = Some(value);
        }
        record.sent += 1;
    }

    fn receive(&mut self, wire: usize, clock: u64) {
        let freed = clock.saturating_add(self.response);
        let in_time = freed >= self.window.from() && clock < self.window.to();
        let keeps = in_time && self.admit();
        let record = &mut self.wires[wire];
        if keeps {
            record.receipts.push(Receipt { number: record.received, clock });
        }
        if freed < self.window.from() {
            record.depth_before -= 1;
        }
        record.received += 1;
    }

    fn speak(&mut self, line: usize, spoken: BusEvent) {
        if spoken.drives && spoken.clock < self.window.from() {
            self.lines[line].note_before(spoken);
        }
        if self.window.holds(spoken.clock) && self.admit() {
            self.lines[line].spoken.push(spoken);
        }
    }
}

impl Observer for Recorder<'_> {
    fn begin(&mut self, code: &Code, wiring: &Wiring) {
        self.plan = Plan::of(self.program, code, wiring);
        self.pes = vec![PeRecord::default(); code.pes.len()];
        self.wires = vec![WireRecord::default(); wiring.wires.len()];
        self.lines = vec![LineRecord::default(); wiring.lines.len()];
    }

    fn see(&mut self, event: Event) {
        match event {
            Event::Busy { pe, from, to } => self.span(pe, Activity::Busy, from, to),
            Event::Stalled { pe, wire, from, to } => self.span(pe, Activity::Stalled(wire), from, to),
            Event::Starved { pe, wire, from, to } => self.span(pe, Activity::Starved(wire), from, to),
            Event::Unheard { pe, line, from, to } => self.span(pe, Activity::Unheard(line), from, to),
            Event::Sent { wire, clock, value } => self.send(wire, clock, value),
            Event::Received { wire, clock, .. } => self.receive(wire, clock),
            Event::Driven { pe, line, clock, value } => self.speak(line, BusEvent { drives: true, pe, clock, value }),
            Event::BusRead { pe, line, clock, value } => self.speak(line, BusEvent { drives: false, pe, clock, value }),
            Event::Loaded { pe, array, address, clock, value } => {
                self.access(pe, Access { stores: false, array, address, clock, value });
            }
            Event::Stored { pe, array, address, clock, value } => {
                self.access(pe, Access { stores: true, array, address, clock, value });
            }
            // A step has one `let` or a few, at the clock at which it begins to be busy; its span shows them.
            Event::Began { .. } | Event::Computed { .. } => {}
        }
    }
}
