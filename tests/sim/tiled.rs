//! Programs over tiles: the bits of direct loops, the cycles and counts of the reference, and words that are shown.

#[path = "../tiled/mod.rs"]
mod programs;

use super::common::{linked, run, sizes, tensors};
use super::engines::hold;
use ndarray::ArrayD;
use programs::{DEADLOCK, FAULTY_SIZES, MOVING, STATIONARY, cases, filled, product, program, with_tiles};
use systole_base::integer::name;
use systole_program::array::compile;
use systole_run::sim::observe::Event;
use systole_run::sim::{Settings, simulate, simulate_observed};

#[test]
fn every_program_computes_the_bits_of_direct_loops() {
    for case in cases() {
        let (program, context) = (case.program(), format!("{:?}", case.sizes));
        let outcome = run(&program, &case.sizes, &case.inputs, &Settings::default());
        assert_eq!(outcome.deadlock, None, "{} {context}", program.kernel);
        for (name, expected) in &case.outputs {
            let found = &outcome.outputs[name];
            assert_eq!(found.shape(), expected.shape(), "{} {context}", program.kernel);
            assert!(
                found.iter().zip(expected).all(|(a, b)| a.to_bits() == b.to_bits()),
                "{} {context}",
                program.kernel
            );
        }
    }
}

#[test]
fn every_program_is_that_of_the_reference_on_any_number_of_threads() {
    for case in cases() {
        let program = case.program();
        hold(&program, &case.sizes, &case.inputs, &Settings::default());
        let tight = Settings { capacity: Some(1), ..Settings::default() };
        hold(&linked(program, 3, 0), &case.sizes, &case.inputs, &tight);
    }
}

/// The schedule is that of the kernel over tiles: 3 x 3 PEs, 3 steps each, skewed by their coordinates.
#[test]
fn a_leaf_is_one_step_and_a_tile_one_word() {
    let case = product(STATIONARY, FAULTY_SIZES);
    let outcome = run(&case.program(), &case.sizes, &case.inputs, &Settings::default());
    assert_eq!((outcome.cycles, outcome.pes, outcome.counters.busy()), (3 + 2 + 2, 9, 27));
    assert_eq!(outcome.counters.calls, [(name("product"), 27)].into_iter().collect());
    assert!(outcome.counters.operations.is_empty());
    assert_eq!(outcome.counters.messages(), 2 * 3 * 2 * 3);
    let traffic = |array: usize| outcome.counters.memory[array].1;
    assert_eq!((traffic(0).loaded, traffic(1).loaded, traffic(2).stored), (9, 9, 9));
    assert_eq!(systole_run::sim::report::to_json(&outcome)["calls"]["product"], 27);
}

/// The twin of a program that is right sends no tiles of B.
#[test]
fn a_deadlock_is_told_with_those_who_wait() {
    let case = product(STATIONARY, FAULTY_SIZES);
    let stuck = program(&STATIONARY.replace(DEADLOCK.0, DEADLOCK.1));
    let outcome = run(&stuck, &case.sizes, &case.inputs, &Settings::default());
    let deadlock = outcome.deadlock.expect("a deadlock");
    let waiting: Vec<Vec<i64>> = deadlock.blocked.iter().map(|blocked| blocked.pe.clone()).collect();
    assert_eq!(waiting, (1..3).flat_map(|p| (0..3).map(move |q| vec![p, q])).collect::<Vec<_>>());
    let settings = Settings { threads: 4, least_region: 1, ..Settings::default() };
    let parallel = run(&stuck, &case.sizes, &case.inputs, &settings);
    assert_eq!(parallel.deadlock, Some(deadlock));
}

/// What is shown of a tile is its first element, never what stands for the tile inside.
#[test]
fn an_observer_sees_first_elements() {
    for text in [STATIONARY, MOVING] {
        let case = product(text, FAULTY_SIZES);
        let mut events: Vec<Event> = vec![];
        simulate_observed(&case.program(), &case.sizes, &case.inputs, &Settings::default(), &mut events)
            .expect("a run");
        let mut stored = 0;
        for event in events {
            match event {
                Event::Loaded { array: 0, address, value, .. } => {
                    assert_eq!(value, case.inputs["A"][[address / 3 * 2, address % 3 * 4]]);
                }
                Event::Stored { address, value, .. } => {
                    stored += 1;
                    assert_eq!(value, case.outputs["C"][[address / 3 * 2, address % 3 * 3]]);
                }
                Event::Sent { value, .. }
                | Event::Received { value, .. }
                | Event::Driven { value, .. }
                | Event::BusRead { value, .. } => assert!(value.abs() <= 9.0, "{event:?}"),
                _ => {}
            }
        }
        assert_eq!(stored, 9);
    }
}

/// One PE that replaces a tile of 4096 elements 4000 times, 125 MiB in all, of which it holds one.
#[test]
fn tiles_that_nobody_holds_are_dropped() {
    let text = "(program sum (version 1) (parameters N R) (tiles N_t N 4096)
        (array x in (N) (axes (0 N 4096 0))) (array y out (N) (axes (0 N 4096 0)))
        (class pe (guard) (let s 0.0) (load x (x 0)) (loop r 1 R (let s (add s x)) (tick 1)) (store (y 0) s)))";
    let (x, rounds) = (filled(7, &[4096]), 4000);
    let expected = (0..rounds).fold(ArrayD::zeros(x.raw_dim()), |sum: ArrayD<f64>, _| sum + &x);
    let sizes = sizes(&[("N", 4096), ("R", rounds)]);
    let outcome = run(&program(text), &sizes, &tensors(vec![("x", x)]), &Settings::default());
    assert_eq!(outcome.outputs["y"], expected);
}

/// A bus keeps all its words: 2500 tiles of 32 KiB, 78 MiB.
#[test]
fn tiles_that_are_held_and_do_not_fit_end_the_run() {
    let text = "(program words (version 1) (parameters N R) (tiles N_t N 4096)
        (array x in (N) (axes (0 N 4096 0))) (array y out (N) (axes (0 N 4096 0))) (grid (p 0 0)) (bus all (direction 1))
        (class pe (guard) (let s 0.0) (load x (x 0))
          (loop r 1 R (let s (add s x)) (drive all s (r)) (tick 1)) (store (y 0) s)))";
    let (program, sizes) = (program(text), sizes(&[("N", 4096), ("R", 2500)]));
    let inputs = tensors(vec![("x", filled(7, &[4096]))]);
    let with = |most_tile_bytes: u64| {
        simulate(&program, &sizes, &inputs, &Settings { most_tile_bytes, ..Settings::default() })
    };
    assert!(with(80 << 20).is_ok());
    let faults = with(70 << 20).expect_err("a refusal");
    let message = systole_base::diagnostic::render(&faults, false);
    assert!(message.contains("the tiles of the run take 70 MiB, more than the limit of 70 MiB"), "{message}");
}

/// 256 PEs hold a tile in each of 3 registers and 4 slots: 3.5 GiB where one has 1024 x 256 elements, and with the arrays more
/// than the 8 GiB of a run where one has 2048 x 256.
#[test]
fn tiles_that_do_not_fit_are_refused_before_the_run() {
    let tiled = |side: i64| program(&with_tiles(STATIONARY, [side, 256, 4]));
    let sizes = |side: i64| sizes(&[("M", 16 * side), ("N", 4096), ("K", 4)]);
    assert!(compile(&tiled(1024), &sizes(1024)).is_ok());
    let faults = compile(&tiled(2048), &sizes(2048)).expect_err("a refusal");
    let message = systole_base::diagnostic::render(&faults, false);
    assert!(
        message.contains("more than the limit of 8192 MiB") && message.contains("7 tiles of 4194304 bytes a PE"),
        "{message}"
    );
    assert!(simulate(&tiled(2048), &sizes(2048), &tensors(vec![]), &Settings::default()).is_err());
}
