//! Values that pass from PE to PE through a memory that all of them share.

use crate::agreement;
use crate::agreement::checked;
use crate::common::{Line, kernel, shown, written};
use crate::locals::BEST_WAYS;
use proptest::prelude::*;
use systole_base::network::Links;
use systole_compile::emit::emit;
use systole_compile::timing::{PeOrder, no_deadlock_obligations, obligations};
use systole_program::array;
use systole_program::array::Program;
use systole_program::obligation::Kind;
use systole_run::sim::{Settings, simulate};

/// What is read lies at the other end of the array.
const TURNED: &str = "\
kernel turned(N)
in A[N]
local D[N]
out U[N]
D[i] = A[i] * A[i]
U[i] = D[i] + D[N - 1 - i]
";

/// With a PE for each state every one reads what every other computes.
fn ways<'a>(sums: &'a str, then: &'a str) -> [Line<'a>; 3] {
    [
        ("X", "s", "0, 0", &["feed"], &[]),
        ("X.max", "s", sums, &["memory", "feed"], &["r"]),
        ("X.2", "s", then, &["feed", "handoff"], &[]),
    ]
}

fn turned<'a>(then: &'a str) -> [Line<'a>; 2] {
    [("D", "i", "0", &["feed"], &[]), ("U", "i", then, &["local", "memory"], &[])]
}

fn memory_of(memory: i64) -> Links {
    Links { memory, ..Links::default() }
}

fn refuted(text: &str, lines: &[Line], links: &Links, largest: i64) -> Vec<Kind> {
    let kernel = kernel(text);
    let stated = obligations(&kernel.design(lines), links).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    let mut kinds: Vec<Kind> = agreement::refuted(&checked(&stated, largest)).iter().map(|(kind, ..)| *kind).collect();
    kinds.dedup();
    kinds
}

fn proved(text: &str, lines: &[Line], links: &Links) -> Program {
    let kernel = kernel(text);
    let design = kernel.design(lines);
    assert_eq!(refuted(text, lines, links, 3), []);
    let waits = no_deadlock_obligations(&design, links, None, PeOrder::AsTheyCan);
    let waits = waits.unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    assert_eq!(agreement::refuted(&checked(&waits, 3)).len(), 0, "no wait is in vain");
    emit(&design, links).unwrap_or_else(|problems| panic!("{}", shown(&problems)))
}

#[test]
fn every_pe_reads_what_every_other_computes() {
    let lines = ways("t, r", "t, S");
    let program = proved(BEST_WAYS, &lines, &Links::default());
    for [t, s] in [[1, 1], [1, 4], [2, 1], [4, 3], [3, 5]] {
        let outcome = kernel(BEST_WAYS).hold_in_time(&program, &[t, s], &Settings::default());
        // A step for each element to begin with, then for each of S states and the sum.
        assert_eq!((outcome.cycles as i64, outcome.pes as i64), (1 + (t - 1) * (s + 1), s), "T={t}, S={s}");
        let memory = &outcome.counters.buses[0];
        assert_eq!((memory.driven as i64, memory.heard as i64), (t * s, (t - 1) * s * s), "T={t}, S={s}");
    }
}

/// From round to round each waits for the memory; within a round its latency is part of the step.
#[test]
fn a_slow_memory_is_waited_for() {
    for memory in 1..6 {
        let links = memory_of(memory);
        let program = proved(BEST_WAYS, &ways("t, r", "t, S"), &links);
        for [t, s] in [[2, 1], [4, 3], [3, 5]] {
            let outcome = kernel(BEST_WAYS).hold_in_time(&program, &[t, s], &Settings::default());
            let rounds = 1 + (t - 1) * (s + 1) + (t - 1) * (memory - 1);
            assert_eq!(outcome.cycles as i64, rounds, "T={t}, S={s}, memory {memory}");
        }
        let then = memory.to_string();
        let program = proved(TURNED, &turned(&then), &links);
        for n in [1, 2, 7] {
            let outcome = kernel(TURNED).hold_in_time(&program, &[n], &Settings::default());
            assert_eq!(outcome.cycles as i64, memory + 1, "N = {n}, memory {memory}");
        }
    }
}

/// The twins: a load one step before the word is there, in steps and in rounds.
#[test]
fn what_is_loaded_too_early_is_refuted() {
    for memory in 1..4 {
        let then = (memory - 1).to_string();
        let kinds = refuted(TURNED, &turned(&then), &memory_of(memory), 4);
        assert!(kinds.contains(&Kind::Handoff), "{kinds:?} with memory {memory}");
    }
    assert!(refuted(BEST_WAYS, &ways("t - 1, r", "t, S"), &Links::default(), 3).contains(&Kind::Handoff));
}

/// As a program: on a slower memory a PE waits and the values stay; where nothing is stored the run ends and says who waits for what.
#[test]
fn a_run_says_who_waits_for_memory() {
    let kernel = kernel(BEST_WAYS);
    let program = proved(BEST_WAYS, &ways("t, r", "t, S"), &Links::default());
    let slower = array::on_buses(program.clone(), 0, 3);
    let outcome = kernel.hold_program(&slower, &[3, 4]);
    assert!(outcome.counters.pes.iter().any(|pe| pe.starved > 0), "on a slow memory some PE waits");

    let text = array::print(&program);
    assert!(text.contains("(bus X-memory (joins all) (latency 1))"), "{text}");
    let (from, to) = ("(drive X-memory X (0 p0))", "(tick 0)");
    assert!(text.contains(from), "{text}");
    let lost = array::parse("test.pe", &text.replace(from, to)).unwrap_or_else(|faults| panic!("{}", shown(&faults)));
    let sizes = kernel.sizes(&[2, 3]);
    let outcome = simulate(&lost, &sizes, &kernel.inputs(&sizes), &Settings::default()).expect("it ends");
    let deadlock = outcome.deadlock.expect("nobody stores the first row");
    let first = &deadlock.blocked[0];
    assert_eq!((&*first.link, &first.tag[..], first.peer.is_some()), ("X-memory", &[0, 0][..], true));

    let twice = text.replace(from, &format!("{from} {from}"));
    let twice = array::parse("test.pe", &twice).unwrap_or_else(|faults| panic!("{}", shown(&faults)));
    let stopped = simulate(&twice, &sizes, &kernel.inputs(&sizes), &Settings::default()).expect_err("it is stopped");
    assert!(shown(&stopped).contains("drives tag (0, 0) of bus `X-memory`"), "{}", shown(&stopped));
    for (from, to, what) in [
        ("(joins all)", "(joins some)", "`all`"),
        ("(joins all)", "(joins all all)", "(joins all)"),
        ("(listen X_2 X-memory ((- r0 1) r))", "(listen X_2 X-memory (r))", "a tag of bus `X-memory` has"),
    ] {
        assert!(text.contains(from), "{text}");
        let problems = array::parse("test.pe", &text.replace(from, to)).expect_err("it is no program");
        assert!(shown(&problems).contains(what), "{}", shown(&problems));
    }
}

/// Whether a design is proved; then it is right and no PE waits.
fn whatever_is_proved_is_right(sums: &str, then: &str, memory: i64) -> bool {
    let (kernel, lines, links) = (kernel(BEST_WAYS), ways(sums, then), memory_of(memory));
    let design = kernel.design(&lines);
    let Ok(stated) = obligations(&design, &links) else { return false };
    if !agreement::refuted(&checked(&stated, 3)).is_empty() {
        return false;
    }
    let program = written(&design).map(|_| emit(&design, &links).expect("it is written on other links too"));
    let Ok(program) = program else { return false };
    for sizes in [[1, 1], [2, 3], [4, 2], [3, 4]] {
        kernel.hold_in_time(&program, &sizes, &Settings::default());
    }
    true
}

const SUMS: [&str; 7] = ["t, r", "t, S - r", "t, 2*r", "t + 1, r", "t, r + s", "t - 1, r", "t, s - r"];
const RESULTS: [&str; 7] = ["t, S", "t, S + 1", "t, 2*S", "t + 1, S", "t, S + s", "t, S - s", "t, 0"];

#[test]
fn of_all_designs_those_that_are_proved_are_right() {
    let all = || SUMS.iter().flat_map(|sums| RESULTS.iter().map(move |then| (*sums, *then)));
    let results = |memory: i64| all().filter(|(sums, then)| whatever_is_proved_is_right(sums, then, memory)).count();
    let proved = [1, 3].map(results);
    assert_eq!(proved, [8, 8], "a slow memory lengthens rounds, and refutes nothing");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// With starts of its own for each space a design that is proved is right, whatever the memory takes.
    #[test]
    fn shifted_designs_that_are_proved_are_right(outer in -1..2i64, shift in -1..3i64, memory in 1..5i64) {
        whatever_is_proved_is_right("t, r", &format!("t + {outer}, S + {shift}"), memory);
    }
}
