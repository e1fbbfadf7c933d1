//! One bus from memory: the first PE of its line loads every word, drives each in the step in which it is due, and keeps
//! its own. Counted word by word, and held against places and times evaluated at every point.

use crate::common::{Kernel, Line, kernel, shown, written};
use crate::kernel_texts::TRISOLVE;
use crate::solves::trisolve;
use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::name;
use systole_base::machine::{Buses, Machine};
use systole_base::network::Links;
use systole_compile::extract::enumerate::Checker;
use systole_compile::mapping::{Design, Feeder, Fold};
use systole_compile::rewrite::Transport;
use systole_compile::timing::{obligations, space_obligations};
use systole_program::array;
use systole_program::array::{Joins, Program, Wiring, compile};
use systole_program::obligation::Kind;
use systole_run::sim::observe::Event;
use systole_run::sim::{Settings, simulate_observed};

/// What is seen of one tensor and of its bus.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    /// How many elements each PE loads.
    loads: BTreeMap<Vec<i64>, u64>,
    /// When each word is driven, and by whom.
    drives: BTreeSet<(u64, Vec<i64>)>,
    /// When each word is heard, and by whom.
    hears: BTreeSet<(u64, Vec<i64>)>,
}

fn see(kernel: &Kernel, program: &Program, tensor: &str, sizes: &[i64]) -> Seen {
    let (bindings, mut events) = (kernel.sizes(sizes), vec![]);
    let inputs = kernel.inputs(&bindings);
    let outcome = simulate_observed(program, &bindings, &inputs, &Settings::default(), &mut events);
    let outcome = outcome.unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    let array = program.arrays.iter().position(|declared| *declared.name == *tensor).expect("an array");
    let wiring = Wiring::of(program, &compile(program, &bindings).expect("code"));
    let carries = |line: usize| *program.buses[wiring.lines[line]].name == format!("{tensor}-link");
    let place = |pe: usize| outcome.counters.pes[pe].point.clone();
    let mut seen = Seen::default();
    for event in events {
        match event {
            Event::Loaded { pe, array: of, .. } if of == array => *seen.loads.entry(place(pe)).or_default() += 1,
            Event::Driven { pe, line, clock, .. } if carries(line) => assert!(seen.drives.insert((clock, place(pe)))),
            Event::BusRead { pe, line, clock, .. } if carries(line) => assert!(seen.hears.insert((clock, place(pe)))),
            _ => {}
        }
    }
    seen
}

/// The triangular solve with `B` on a bus or through ports.
fn solve<'a>(sums: (&'a str, &'a str), divisions: (&'a str, &'a str), of_b: &'a [&'a str]) -> [Line<'a>; 2] {
    let mut lines = trisolve(sums, divisions);
    lines[1].3 = of_b;
    lines
}

const BUS: &[&str] = &["bus", "handoff", "feed"];
const FEED: &[&str] = &["feed", "handoff", "feed"];

#[test]
fn one_pe_loads_what_comes_over_a_bus() {
    let kernel = kernel(TRISOLVE);
    let (row, bus) = (("i", "i+j"), kernel.design(&solve(("i", "i+j"), ("i", "2*i"), BUS)));
    let program = written(&bus).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    assert_eq!(
        program.buses.iter().map(|bus| (&bus.joins, bus.latency)).collect::<Vec<_>>(),
        [(&Joins::Line(vec![1]), 0)]
    );
    for n in [1, 2, 3, 8] {
        assert_eq!(kernel.hold_program(&program, &[n]).cycles, 2 * n as u64 - 1);
        let seen = see(&kernel, &program, "B", &[n]);
        assert_eq!(seen.loads, BTreeMap::from([(vec![0], n as u64)]), "N = {n}");
        let others = || (1..n).map(|i| (2 * i as u64, i));
        assert_eq!(seen.drives, others().map(|(clock, _)| (clock, vec![0])).collect());
        assert_eq!(seen.hears, others().map(|(clock, i)| (clock, vec![i])).collect());
    }
    // The twin: ports, one load each.
    let ports = written(&kernel.design(&solve(row, ("i", "2*i"), FEED))).expect("a program");
    assert_eq!((ports.buses.len(), array::print(&ports) == array::print(&program)), (0, false));
    let seen = see(&kernel, &ports, "B", &[8]);
    assert_eq!(seen, Seen { loads: (0..8).map(|i| (vec![i], 1)).collect(), ..Seen::default() });
}

/// The first PE sums in every step from the second on, and feeds in every other one: both are done in one step.
#[test]
fn a_feeder_operates_in_the_step_in_which_it_feeds() {
    let kernel = kernel(TRISOLVE);
    let lines = solve(("j", "i+j"), ("i", "2*i"), BUS);
    for n in [1, 2, 3, 4, 9] {
        let outcome = kernel.hold(&lines, &[n]);
        assert_eq!(outcome.cycles, 2 * n as u64 - 1, "N = {n}");
        let late: u64 = outcome.counters.pes.iter().map(|pe| pe.starved + pe.stalled).sum();
        assert_eq!((late, outcome.counters.pes[0].busy), (0, n as u64), "N = {n}");
        assert_eq!((outcome.counters.buses[0].driven, outcome.counters.buses[0].heard), (n as u64 - 1, n as u64 - 1));
    }
}

/// The array is the triangle itself, and the bus its diagonal.
#[test]
fn a_bus_lies_along_the_pes_that_listen() {
    let kernel = kernel(TRISOLVE);
    let lines = solve(("i, j", "i+j"), ("i, i", "2*i"), BUS);
    let program = written(&kernel.design(&lines)).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    assert_eq!(program.buses[0].joins, Joins::Line(vec![1, 1]));
    for n in [1, 2, 6] {
        assert_eq!(kernel.hold_program(&program, &[n]).cycles, 2 * n as u64 - 1);
        let seen = see(&kernel, &program, "B", &[n]);
        assert_eq!(seen.loads, BTreeMap::from([(vec![0, 0], n as u64)]));
        assert_eq!(seen.hears.len(), n as usize - 1);
    }
}

/// All divisions on one PE: there is nobody else to listen, so there is no bus.
#[test]
fn a_pe_that_has_all_points_needs_no_bus() {
    let kernel = kernel(TRISOLVE);
    let program = written(&kernel.design(&solve(("i-j", "i+j"), ("0", "2*i"), BUS))).expect("a program");
    let ports = written(&kernel.design(&solve(("i-j", "i+j"), ("0", "2*i"), FEED))).expect("a program");
    assert_eq!(array::print(&program), array::print(&ports));
    assert_eq!(kernel.hold_program(&program, &[6]).cycles, 11);
}

const SCALED: &str = "kernel scaled(M, N)\nin A[M + N + 2], C[M + N + 2]\nout Y[M + N + 2]\n\
                      Y[i] = A[i] * C[M + N + 1 - i] where i <= M + 1\nY[i] = A[i] where i >= M + 2";

/// Every place and every time of a space of one index, at all small sizes: the loads, drives and words heard are those
/// that places and times evaluated at each point say, and the counts are those that are predicted.
#[test]
fn every_map_feeds_the_words_when_they_are_due() {
    let scaled = kernel(SCALED);
    let entries = || [-2i64, -1, 1, 2].into_iter();
    for (place, step) in (-2i64..=2).flat_map(|place| entries().map(move |step| (place, step))) {
        let (at, time) = (format!("{place}*i"), format!("{step}*i"));
        let lines: [Line; 2] = [("Y", &at, &time, &["bus", "bus"], &[]), ("Y.2", &at, &time, &["feed"], &[])];
        let design = scaled.design(&lines);
        let program = written(&design).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
        assert_eq!(program.buses.len(), if place == 0 { 0 } else { 2 }, "{at} {time}");
        for (m, n) in [(1, 1), (2, 1), (3, 2), (1, 4)] {
            let outcome = scaled.hold_program(&program, &[m, n]);
            let points = || 0..m + 2;
            let first = points().map(|i| place * i).min().expect("a point");
            let start = (0..m + n + 2).map(|i| step * i).min().expect("a point");
            let listeners: BTreeSet<(u64, Vec<i64>)> =
                points().filter(|i| place * i != first).map(|i| ((step * i - start) as u64, vec![place * i])).collect();
            let seen = see(&scaled, &program, "C", &[m, n]);
            assert_eq!(seen.loads, BTreeMap::from([(vec![first], m as u64 + 2)]), "{at} {time}");
            assert_eq!(seen.drives, listeners.iter().map(|(clock, _)| (*clock, vec![first])).collect(), "{at} {time}");
            assert_eq!(seen.hears, listeners, "{at} {time}");
            let [a, c] = [0, 1].map(|bus| outcome.counters.buses.get(bus).map_or(0, |bus| bus.heard));
            assert_eq!((a, c), (listeners.len() as u64, listeners.len() as u64), "{at} {time}");
            predicted(&scaled, &design, &[m, n], listeners.len() as u64);
        }
    }
}

/// Both buses have the words of their listeners.
fn predicted(kernel: &Kernel, design: &Design, sizes: &[i64], heard: u64) {
    let (machine, sizes) = (Machine::default(), kernel.sizes(sizes));
    let checker = Checker::new(&kernel.cut.spaces[0], &machine, &sizes, &design.parts[0].map).expect("a clock");
    for operand in 0..2 {
        let cost = checker.operand(operand, &Transport::Bus).expect("a bus");
        assert_eq!((cost.channel_words, cost.memory_words), (heard, sizes[&name("M")] as u64 + 2));
    }
}

/// Two words due at one time, a bus that takes time, and a machine without one from memory.
#[test]
fn what_no_bus_carries_is_not_priced() {
    let scaled = kernel(SCALED);
    let sizes = scaled.sizes(&[3, 2]);
    let price = |buses: Buses, lines: &[Line]| {
        let (machine, design) = (Machine { buses, ..Machine::default() }, scaled.design(lines));
        let checker = Checker::new(&scaled.cut.spaces[0], &machine, &sizes, &design.parts[0].map).expect("a clock");
        checker.operand(0, &Transport::Bus).is_ok()
    };
    let line = |step| -> [Line; 2] { [("Y", "i", step, &["bus", "feed"], &[]), ("Y.2", "i", step, &["feed"], &[])] };
    let wire = Buses::default();
    assert!(price(wire, &line("i")));
    assert!(!price(wire, &line("0")), "all words at one time");
    assert!(!price(Buses { latency: 1, ..wire }, &line("i")), "heard a cycle later");
    assert!(!price(Buses { all: false, ..wire }, &line("i")), "buses along rows and columns alone");
}

#[test]
fn words_are_stated_to_be_driven_when_they_are_due() {
    let solve = kernel(TRISOLVE);
    let stated = |of_b| {
        let lines = self::solve(("i", "i+j"), ("i", "2*i"), of_b);
        let stated = space_obligations(&solve.design(&lines).alone(1), &Links::default()).expect("obligations");
        stated.iter().filter(|stated| stated.kind == Kind::Alignment && *stated.of == *"B").count()
    };
    assert_eq!((stated(BUS), stated(FEED)), (1, 0));
}

/// A feeder has a loop over one index, and a place that is one form.
#[test]
fn a_bus_that_no_pe_can_feed_is_refused() {
    let text = |bound: &str| {
        format!(
            "kernel cut(M, N)\nin A[N]\nout Y[N]\nY[i] = A[i] where i < {bound}\nY[i] = 0 - A[i] where i >= {bound}"
        )
    };
    let refuse = |text: &str, lines: &[Line]| {
        let kernel = kernel(text);
        written(&kernel.design(lines)).map(|_| ()).map_err(|problems| shown(&problems))
    };
    let lines = |place| -> [Line; 2] { [("Y", place, "i", &["bus"], &[]), ("Y.2", place, "i", &["feed"], &[])] };
    assert_eq!(refuse(&text("M"), &lines("i")), Ok(()), "the first PE is PE 0");
    let message = refuse(&text("M"), &lines("-i")).expect_err("the first PE is the last point below M and N");
    assert!(message.contains("another one from size to size"), "{message}");
    let table = "kernel table(N)\nin A[N, 3]\nout Y[N, 3]\nY[i, j] = A[i, j] + 1";
    assert_eq!(refuse(table, &[("Y", "j", "3*i+j", &["feed"], &[])]), Ok(()));
    let message = refuse(table, &[("Y", "j", "3*i+j", &["bus"], &[])]).expect_err("two indices");
    assert!(message.contains("follow each other along several indices"), "{message}");
}

#[test]
fn a_fold_of_pes_that_listen_is_refused() {
    let solve = kernel(TRISOLVE);
    let state = |divisions, of_b| {
        let fold = Fold::by(&[2]).remove(0);
        let lines = self::solve(("i-j", "i+j"), divisions, of_b);
        let design = Design { fold, ..solve.design(&lines) };
        obligations(&design, &Links::default()).map(|_| ()).map_err(|problems| shown(&problems))
    };
    assert_eq!(state(("0", "2*i"), BUS), Ok(()), "one PE has all words");
    let scaled = kernel(SCALED);
    let lines: [Line; 2] = [("Y", "i", "i", &["bus", "feed"], &[]), ("Y.2", "i", "i", &["feed"], &[])];
    let folded = |lines: &[Line]| {
        let design = Design { fold: Fold::by(&[2]).remove(0), ..scaled.design(lines) };
        obligations(&design, &Links::default()).map(|_| ()).map_err(|problems| shown(&problems))
    };
    let message = folded(&lines).expect_err("listeners in every block");
    assert!(message.contains("the bus of `A` runs along a folded axis"), "{message}");
}

/// The form that says which point is the feeder's own is 0 there and less elsewhere.
#[test]
fn the_feeder_is_the_first_pe_of_its_line() {
    let scaled = kernel(SCALED);
    for place in [-3i64, -1, 1, 2] {
        let at = format!("{place}*i");
        let lines: [Line; 2] = [("Y", &at, "i", &["bus", "feed"], &[]), ("Y.2", &at, "i", &["feed"], &[])];
        let design = scaled.design(&lines);
        let feeder = Feeder::of(&scaled.cut.spaces[0], &design.parts[0].map).expect("a feeder");
        let sizes = scaled.sizes(&[3, 2]);
        let first = (0..5).map(|i| place * i).min().expect("a point");
        assert_eq!(feeder.place[0].evaluate(&sizes), Some(first));
        assert_eq!(feeder.direction, [place.abs()]);
        for i in 0..5 {
            let at = scaled.cut.spaces[0].bind(&sizes, &[i]);
            assert_eq!(feeder.own.evaluate(&at).expect("a value") >= 0, place * i == first, "{place} {i}");
        }
    }
}
