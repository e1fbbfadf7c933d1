//! Waveforms, read back with a library that shares no code with the one that wrote them, against the bare events.

use super::traced::{Case, KIND_COUNT, Seen, cases, random_case, window};
use proptest::proptest;
use std::io::Cursor;
use systole_program::array::show_point;
use systole_run::sim::Order;
use systole_run::sim::trace::Window;
use wellen::simple::{Waveform, read_from_reader};
use wellen::{SignalRef, SignalValueRef, TimescaleUnit};

const STATES: [&str; 5] = ["idle", "busy", "stalled", "starved", "blocked"];

/// A file as a viewer has it.
struct Waves {
    waves: Waveform,
    kernel: String,
}

impl Waves {
    fn read(case: &Case, order: Order, window: Window) -> Waves {
        let [_, vcd] = case.files(order, window);
        let waves = read_from_reader(Cursor::new(vcd)).expect("a value change dump");
        Waves { waves, kernel: identifier(&case.program.kernel) }
    }

    fn signal(&mut self, kind: &str, scope: &str, name: &str) -> SignalRef {
        let hierarchy = self.waves.hierarchy();
        let variable = hierarchy.lookup_var(&[&self.kernel, kind, scope], name);
        let signal = hierarchy[variable.unwrap_or_else(|| panic!("no {kind} {scope} {name}"))].signal_ref();
        self.waves.load_signals(&[signal]);
        signal
    }

    fn at(&self, signal: SignalRef, cycle: u64) -> SignalValueRef<'_> {
        let index = self.waves.time_table().partition_point(|time| *time <= cycle) - 1;
        let signal = self.waves.get_signal(signal).expect("it was loaded");
        let offset = signal.get_offset(index as u32).expect("every variable has a first value");
        assert_eq!(offset.elements, 1, "one value a cycle");
        signal.get_value_at(&offset, 0)
    }

    fn number(&self, signal: SignalRef, cycle: u64) -> u64 {
        let bits = self.at(signal, cycle).to_bit_string().expect("a vector");
        u64::from_str_radix(&bits, 2).expect("bits")
    }

    fn word(&self, signal: SignalRef, cycle: u64) -> Option<f64> {
        match self.at(signal, cycle) {
            SignalValueRef::Real(value) => (!value.is_nan()).then_some(value),
            other => panic!("no real: {other:?}"),
        }
    }
}

fn identifier(name: &str) -> String {
    name.replace('.', "$2e_").replace('\'', "$27_").replace('é', "$e9_")
}

fn suffix(seen: &Seen, pe: usize) -> String {
    seen.outcome.counters.pes[pe].point.iter().map(|entry| format!("_{entry}")).collect()
}

/// Every value of every variable at every cycle of the window.
fn compare(case: &Case, seen: &Seen, waves: &mut Waves, cycles: std::ops::Range<u64>) {
    for pe in 0..seen.outcome.counters.pes.len() {
        let counters = &seen.outcome.counters.pes[pe];
        let scope = format!("{}{}", case.program.classes[counters.class].name, suffix(seen, pe));
        let state = waves.signal("pes", &scope, "state");
        for cycle in cycles.clone() {
            let shown = STATES[waves.number(state, cycle) as usize];
            assert_eq!(shown, seen.state(pe, cycle), "{} PE {} at {cycle}", case.name, show_point(&counters.point));
        }
    }
    for (wire, joint) in seen.wires.iter().enumerate() {
        let channel = identifier(&case.program.channels[joint.channel].name);
        let scope = format!("{channel}_from{}_to{}", suffix(seen, joint.sender), suffix(seen, joint.receiver));
        let [depth, word] = ["depth", "word"].map(|name| waves.signal("channels", &scope, name));
        for cycle in cycles.clone() {
            assert_eq!(waves.number(depth, cycle), seen.depth(wire, cycle), "{scope} at {cycle}");
            let sent = seen.word(wire, cycle).filter(|value| !value.is_nan());
            assert_eq!(waves.word(word, cycle), sent, "{scope} at {cycle}");
        }
    }
    for (line, (bus, first)) in seen.lines.iter().enumerate() {
        let scope = format!("{}_from{}", case.program.buses[*bus].name, suffix(seen, *first));
        let word = waves.signal("buses", &scope, "word");
        for cycle in cycles.clone() {
            assert_eq!(waves.word(word, cycle), seen.driven(line, cycle), "{scope} at {cycle}");
        }
    }
}

#[test]
fn the_values_at_every_cycle_are_those_of_the_events() {
    for case in cases() {
        let seen = case.see();
        for order in [Order::FirstIn, Order::LastIn] {
            compare(&case, &seen, &mut Waves::read(&case, order, Window::WHOLE), 0..seen.end());
        }
    }
}

/// Also at the first cycle, which needs what came before the window; and no time stamp is outside.
#[test]
fn a_window_is_the_run_cut_out() {
    for case in cases() {
        let seen = case.see();
        for from in 0..seen.end() {
            for to in [from + 1, from + 3, from + 8] {
                let mut waves = Waves::read(&case, Order::FirstIn, window(from, to));
                let last = to.min(seen.end());
                let times = waves.waves.time_table();
                assert_eq!((times.first(), times.last()), (Some(&from), Some(&last)));
                compare(&case, &seen, &mut waves, from..last);
            }
        }
    }
}

proptest! {
    #[test]
    fn any_window_of_any_timing_is_the_run_cut_out(
        kind in 0..KIND_COUNT,
        timing in (1u64..5, 1u64..5, 0u64..6),
        from in 0u64..40,
        length in 1u64..30,
    ) {
        let case = random_case(kind, timing);
        let seen = case.see();
        let from = from.min(seen.outcome.cycles);
        let to = from + length;
        compare(&case, &seen, &mut Waves::read(&case, Order::LastIn, window(from, to)), from..to.min(seen.end()));
    }
}

/// The twin: the comparison tells a run from the same run a cycle later.
#[test]
#[should_panic(expected = "at 0")]
fn the_comparison_tells_a_cycle_from_the_next() {
    let case = &cases()[0];
    let seen = case.see();
    let mut waves = Waves::read(case, Order::FirstIn, Window::WHOLE);
    let times: Vec<u64> = waves.waves.time_table().to_vec();
    assert!(times.len() > 3);
    let mut later = seen;
    later.events.iter_mut().for_each(shift);
    compare(case, &later, &mut waves, 0..times.len() as u64);
}

fn shift(event: &mut systole_run::sim::observe::Event) {
    if let systole_run::sim::observe::Event::Busy { from, to, .. } = event {
        (*from, *to) = (*from + 1, *to + 1);
    }
}

#[test]
fn a_cycle_is_a_microsecond_and_the_library_that_writes_reads_it_too() {
    for case in cases() {
        let waves = Waves::read(&case, Order::FirstIn, Window::WHOLE);
        let scale = waves.waves.hierarchy().timescale().expect("a time scale");
        assert_eq!((scale.factor, scale.unit), (1, TimescaleUnit::MicroSeconds));
        let [_, vcd] = case.files(Order::FirstIn, Window::WHOLE);
        let mut parser = vcd::Parser::new(Cursor::new(vcd));
        parser.parse_header().expect("a header");
        let commands = parser.collect::<Result<Vec<_>, _>>().expect("commands");
        let stamps = commands.iter().filter(|command| matches!(command, vcd::Command::Timestamp(_))).count();
        assert_eq!(stamps, waves.waves.time_table().len());
    }
}
