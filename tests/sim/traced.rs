//! Runs to be traced, and an oracle that reads the values at a cycle off the bare events.

use super::common::{linked, matrix, program, sizes, tensors};
use serde_json::Value;
use systole_base::diagnostic::Checked;
use systole_base::integer::Bindings;
use systole_base::machine::{Bandwidth, OperationTime, Times};
use systole_base::scalar::Function;
use systole_program::array::{Code, Program, Tensors, Wire, Wiring};
use systole_run::sim::observe::{Event, Observer};
use systole_run::sim::trace::{Recorder, Trace, Window};
use systole_run::sim::{Order, Outcome, Settings, simulate_observed};

/// A run.
pub struct Case {
    pub name: &'static str,
    pub program: Program,
    sizes: Bindings,
    inputs: Tensors,
    pub settings: Settings,
}

/// Arrays with feeders, with a bus, with a relay, and two that deadlock after some work.
pub fn cases() -> Vec<Case> {
    let working = Settings { times: times(), ..timed(2, 1) };
    let all = [("tight", timed(1, 1), 1), ("free", timed(4, 0), 2), ("slow", timed(2, 4), 3), ("working", working, 1)];
    let each = |(name, settings, latency): (_, Settings, _)| {
        KINDS.map(|kind| with_latency(kind(name, settings.clone()), latency))
    };
    all.into_iter().flat_map(each).collect()
}

/// How many kinds of programs there are.
pub const KIND_COUNT: usize = KINDS.len();

const KINDS: [fn(&'static str, Settings) -> Case; 5] = [feeders, stationary, relay, full, undriven];

fn timed(capacity: u64, response: u64) -> Settings {
    Settings { capacity: Some(capacity), response, ..Settings::default() }
}

/// The case on channels and buses of this latency.
fn with_latency(case: Case, latency: u64) -> Case {
    Case { program: linked(case.program, latency, latency), ..case }
}

/// Operations, loads and ports that take time.
fn times() -> Times {
    let mut times = Times { load_latency: 2, port: Some(Bandwidth::CyclesAWord(2)), ..Times::default() };
    times.set(Function::Multiply, OperationTime { latency: 3, interval: 1 });
    times.set(Function::Divide, OperationTime { latency: 2, interval: 6 });
    times
}

/// A kind of program on links of this capacity, latency and response.
pub fn random_case(kind: usize, (capacity, latency, response): (u64, u64, u64)) -> Case {
    with_latency(KINDS[kind]("random", timed(capacity, response)), latency)
}

fn feeders(name: &'static str, settings: Settings) -> Case {
    let inputs = tensors(vec![("A", matrix(3, 5, 3)), ("B", matrix(5, 3, 4))]);
    Case {
        name,
        program: program(include_str!("os-feeders.pe")),
        sizes: sizes(&[("N", 3), ("K", 5)]),
        inputs,
        settings,
    }
}

fn stationary(name: &'static str, settings: Settings) -> Case {
    let inputs = tensors(vec![("A", matrix(3, 2, 5)), ("B", matrix(2, 4, 6))]);
    let sizes = sizes(&[("M", 3), ("N", 4), ("K", 2)]);
    Case { name, program: program(include_str!("weight-stationary.pe")), sizes, inputs, settings }
}

/// Coordinates below zero, names with all the letters that names may have, words that are not numbers.
fn relay(name: &'static str, settings: Settings) -> Case {
    let text = "(program relay.é (version 1) (parameters N) (array X in (N)) (array Y out (N))
        (grid (p -2 0))
        (channel to-the.right' (offset 1) (latency 1) (depth 2))
        (class source (guard (= p -2))
          (loop i 0 (- N 1) (load x (X i)) (let x (div x 0)) (send to-the.right' x) (tick 1)))
        (class relay (guard (= p -1)) (pass to-the.right' to-the.right' N))
        (class sink (guard (= p 0)) (at 3) (loop i 0 (- N 1) (recv x to-the.right') (store (Y i) x) (tick 2))))";
    let x = matrix(1, 6, 9).into_shape_with_order(vec![6]).unwrap();
    Case { name, program: program(text), sizes: sizes(&[("N", 6)]), inputs: tensors(vec![("X", x)]), settings }
}

/// Works for some cycles; then both send more than the channels hold.
fn full(name: &'static str, settings: Settings) -> Case {
    let text = "(program full (version 1) (grid (p0 0 1))
        (channel right (offset 1) (latency 1) (depth 2))
        (channel left (offset -1) (latency 1) (depth 2))
        (class a (guard (= p0 0)) (let x 1) (loop i 0 3 (send right x) (tick 2) (recv x left))
          (loop i 0 9 (send right x)))
        (class b (guard (= p0 1)) (let x 2) (loop i 0 3 (recv x right) (tick 3) (send left x))
          (tick 1) (loop i 0 9 (send left x))))";
    Case { name, program: program(text), sizes: sizes(&[]), inputs: Tensors::new(), settings }
}

/// One PE waits for a tag that is never driven, one at clock 0 for a word that is never sent.
fn undriven(name: &'static str, settings: Settings) -> Case {
    let text = "(program undriven (version 1) (grid (p0 0 2)) (bus all (direction 1))
        (channel right (offset 1) (latency 1) (depth 2))
        (class a (guard (= p0 0)) (let x 1) (drive all x (0)) (tick 1) (let x 2) (drive all x (1)) (tick 4))
        (class b (guard (= p0 1)) (listen x all (0)) (tick 1) (listen x all (1)) (listen x all (2)) (send right x))
        (class c (guard (= p0 2)) (recv x right)))";
    Case { name, program: program(text), sizes: sizes(&[]), inputs: Tensors::new(), settings }
}

impl Case {
    /// The run before an observer.
    pub fn observe(&self, order: Order, observer: &mut impl Observer) -> Outcome {
        let settings = Settings { order, ..self.settings.clone() };
        simulate_observed(&self.program, &self.sizes, &self.inputs, &settings, observer).expect("a run")
    }

    /// The run with all its events.
    pub fn see(&self) -> Seen {
        let mut seen = Watcher::default();
        let outcome = self.observe(Order::FirstIn, &mut seen);
        let Watcher { events, wires, lines } = seen;
        Seen { outcome, events, wires, lines, response: self.settings.response }
    }

    /// The trace of a window.
    pub fn trace(&self, order: Order, window: Window) -> Checked<Trace> {
        let mut recorder = Recorder::new(&self.program, &self.settings, window);
        let outcome = self.observe(order, &mut recorder);
        recorder.finish(&outcome)
    }

    /// The two files of a window.
    pub fn files(&self, order: Order, window: Window) -> [Vec<u8>; 2] {
        let trace = self.trace(order, window).expect("a trace");
        let [mut chrome, mut vcd] = [vec![], vec![]];
        trace.write_chrome(&mut chrome).unwrap();
        trace.write_vcd(&mut vcd).unwrap();
        [chrome, vcd]
    }

    /// The trace events of a window.
    pub fn chrome(&self, window: Window) -> Value {
        serde_json::from_slice(&self.files(Order::FirstIn, window)[0]).expect("JSON")
    }
}

/// A window that must be one.
pub fn window(from: u64, to: u64) -> Window {
    Window::parse(&format!("{from}..{to}")).expect("a window")
}

#[derive(Default)]
struct Watcher {
    events: Vec<Event>,
    wires: Vec<Wire>,
    /// The bus of each line and the first PE on it.
    lines: Vec<(usize, usize)>,
}

impl Observer for Watcher {
    fn begin(&mut self, code: &Code, wiring: &Wiring) {
        self.wires = wiring.wires.clone();
        let first = |line: usize| (0..code.pes.len()).find(|pe| wiring.taps(*pe).contains(&line)).unwrap();
        self.lines = wiring.lines.iter().enumerate().map(|(line, bus)| (*bus, first(line))).collect();
    }

    fn see(&mut self, event: Event) {
        self.events.push(event);
    }
}

/// A whole run.
pub struct Seen {
    pub outcome: Outcome,
    pub events: Vec<Event>,
    pub wires: Vec<Wire>,
    pub lines: Vec<(usize, usize)>,
    response: u64,
}

impl Seen {
    /// The first cycle that is in no trace.
    pub fn end(&self) -> u64 {
        self.outcome.cycles + 1
    }

    /// What a PE does in a cycle.
    pub fn state(&self, pe: usize, cycle: u64) -> &'static str {
        let covers = |from: u64, to: u64| from <= cycle && cycle < to;
        let doing = self.events.iter().find_map(|event| match *event {
            Event::Busy { pe: who, from, to } if who == pe && covers(from, to) => Some("busy"),
            Event::Stalled { pe: who, from, to, .. } if who == pe && covers(from, to) => Some("stalled"),
            Event::Starved { pe: who, from, to, .. } if who == pe && covers(from, to) => Some("starved"),
            Event::Unheard { pe: who, from, to, .. } if who == pe && covers(from, to) => Some("starved"),
            _ => None,
        });
        let point = &self.outcome.counters.pes[pe].point;
        let mut blocked = self.outcome.deadlock.iter().flat_map(|deadlock| &deadlock.blocked);
        let waits = blocked.any(|blocked| blocked.pe == *point && blocked.clock.is_some_and(|clock| clock <= cycle));
        doing.unwrap_or(if waits { "blocked" } else { "idle" })
    }

    /// How many words hold a slot of a wire in a cycle.
    pub fn depth(&self, wire: usize, cycle: u64) -> u64 {
        let mut depth = 0;
        for event in &self.events {
            match *event {
                Event::Sent { wire: at, clock, .. } if at == wire && clock <= cycle => depth += 1,
                Event::Received { wire: at, clock, .. } if at == wire && clock + self.response <= cycle => depth -= 1,
                _ => {}
            }
        }
        u64::try_from(depth).expect("never less than nothing")
    }

    /// The last word on a wire in a cycle.
    pub fn word(&self, wire: usize, cycle: u64) -> Option<f64> {
        let mut words = self.events.iter().rev().filter_map(|event| match *event {
            Event::Sent { wire: at, clock, value } if at == wire && clock <= cycle => Some(value),
            _ => None,
        });
        words.next()
    }

    /// The last word on a line in a cycle.
    pub fn driven(&self, line: usize, cycle: u64) -> Option<f64> {
        let words = self.events.iter().filter_map(|event| match *event {
            Event::Driven { pe, line: at, clock, value } if at == line && clock <= cycle => Some((clock, pe, value)),
            _ => None,
        });
        words.max_by_key(|(clock, pe, _)| (*clock, *pe)).map(|(.., value)| value)
    }
}
