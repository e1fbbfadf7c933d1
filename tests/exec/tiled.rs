//! Programs over tiles on threads: the bits of direct loops, whoever runs which PE.

#[path = "../tiled/mod.rs"]
pub mod programs;

use super::programs::{same_bits, settings, shown};
use programs::{DEADLOCK, FAULTY_SIZES, MOVING, STATIONARY, cases, product, program, with_tiles};
use systole::exec::{Settings, execute};
use systole::leaf::SERVICES;
use systole::sim::simulate;
use systole::{shared, sim};

/// A program, what is written in place of what, and a part of the message that both back ends refuse it with.
const FAULTS: [(&str, &str, &str, &str); 6] = [
    (
        STATIONARY,
        "(load A (A p k))",
        "(load A (A p (+ k 3)))",
        "reaches for `A(0, 3)`, outside the shape [3, 3] of tiles",
    ),
    (STATIONARY, "(store (C p q) C)", "(store (C 0 q) C)", "stores `C(0, 0)`, which was stored before"),
    (
        STATIONARY,
        "(store (C p q) C)",
        "(if ((>= p 1)) ((store (C p q) C)) ())",
        "tile `C(0, 0)` of output `C` is never stored",
    ),
    (STATIONARY, "(store (C p q) C)", "(store (C p q) A)", "has a tile of 2 elements where one of 6 is needed"),
    (
        MOVING,
        "(local W (A p q))",
        "(local W (A 0 0))",
        "reads `A(0, 0)` from its own memory without having prefetched it",
    ),
    (MOVING, "(tick 1)", "(let X (add W B)) (tick 1)", "has a tile of 12 elements where one of 8 is needed"),
];

#[test]
fn tiles_of_other_sizes_give_the_same_product() {
    for (text, tiles) in [(STATIONARY, [3, 2, 5]), (MOVING, [1, 4, 2])] {
        let (case, text) = (product(text, [7, 9, 8]), with_tiles(text, tiles));
        let execution =
            execute(&program(&text), &case.sizes, &case.inputs, &Settings { workers: 2, ..Settings::default() });
        let execution = execution.unwrap_or_else(|faults| panic!("{}", shown(&faults)));
        assert!(same_bits(&execution.outputs, &case.outputs), "{tiles:?}");
    }
}

#[test]
fn every_program_computes_the_bits_of_direct_loops() {
    for case in cases() {
        let program = case.program();
        for settings in settings() {
            let execution = execute(&program, &case.sizes, &case.inputs, &settings);
            let execution = execution.unwrap_or_else(|faults| panic!("{settings:?} {}", shown(&faults)));
            assert_eq!(execution.deadlock, None, "{} at {:?} with {settings:?}", program.kernel, case.sizes);
            assert!(
                same_bits(&execution.outputs, &case.outputs),
                "{} at {:?} {settings:?}",
                program.kernel,
                case.sizes
            );
        }
    }
}

/// 3 x 3 tiles of C, 3 of K: each leaf is called once for each, and on two workers tiles cross the border between them.
#[test]
fn what_is_counted_is_tiles() {
    let case = product(STATIONARY, FAULTY_SIZES);
    let count = |workers: usize| {
        let settings = Settings { workers, ..Settings::default() };
        execute(&case.program(), &case.sizes, &case.inputs, &settings).expect("a run").counts
    };
    let (alone, two) = (count(1), count(2));
    assert_eq!((alone.calls, alone.operations, alone.words, alone.packets), (27, 0, 0, 0));
    // One border of 3 PEs, 3 tiles each, in packets of their own or together.
    assert_eq!((two.calls, two.words), (27, 9));
    assert_eq!((alone.work, two.work.served), (two.work, [0; SERVICES.len()]));
}

#[test]
fn faults_are_told_as_the_simulator_tells_them() {
    for (text, what, by, part) in FAULTS {
        assert_eq!(text.matches(what).count(), 1, "`{what}`");
        let (case, program) = (product(STATIONARY, FAULTY_SIZES), program(&text.replace(what, by)));
        let simulated =
            simulate(&program, &case.sizes, &case.inputs, &sim::Settings::default()).expect_err("a refusal");
        let simulated = without_clock(&shown(&simulated));
        for settings in settings() {
            let found = shown(&execute(&program, &case.sizes, &case.inputs, &settings).expect_err("a refusal"));
            assert!(found.contains(part), "{found}");
            assert_eq!(found, simulated, "{settings:?}");
        }
    }
}

/// The message of the simulator without its clock.
fn without_clock(message: &str) -> String {
    let parts = message.split(", clock ");
    parts.map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit())).collect()
}

#[test]
fn a_deadlock_is_that_of_the_simulator() {
    let case = product(STATIONARY, FAULTY_SIZES);
    let program = program(&STATIONARY.replace(DEADLOCK.0, DEADLOCK.1));
    let blocked = |deadlock: Option<shared::Deadlock>| {
        let blocked = deadlock.expect("a deadlock").blocked.into_iter();
        blocked.map(|blocked| (blocked.pe, blocked.link, blocked.cause, blocked.peer)).collect::<Vec<_>>()
    };
    let simulated = simulate(&program, &case.sizes, &case.inputs, &sim::Settings::default()).expect("an outcome");
    let expected = blocked(simulated.deadlock);
    // Those of the second row wait for ever for their first tile of B, and so do those below.
    assert_eq!(expected.len(), 6);
    for settings in settings() {
        let execution = execute(&program, &case.sizes, &case.inputs, &settings).expect("an outcome");
        assert_eq!(blocked(execution.deadlock), expected, "{settings:?}");
    }
}
