//! Counts against closed forms, and the law that every cycle of every PE is accounted for.

use super::common::{linked, matrix, program, run, sizes, tensors};
use systole_base::scalar::Function;
use systole_run::shared::MemoryTraffic;
use systole_run::sim::{Outcome, Settings, report};

fn feeders(n: u64, k: u64, latency: u64, settings: &Settings) -> Outcome {
    let (rows, columns) = (n as usize, k as usize);
    let inputs = tensors(vec![("A", matrix(rows, columns, 3)), ("B", matrix(columns, rows, 4))]);
    let sizes = sizes(&[("N", n as i64), ("K", k as i64)]);
    run(&linked(program(include_str!("os-feeders.pe")), latency, 0), &sizes, &inputs, settings)
}

#[test]
fn counts_have_their_closed_forms() {
    for (n, k) in [(1, 1), (3, 7), (5, 4)] {
        let outcome = feeders(n, k, 1, &Settings::default());
        let counters = &outcome.counters;
        assert_eq!(outcome.pes, n * n + 2 * n);
        assert_eq!(counters.busy(), k * (n * n + 2 * n));
        assert_eq!(counters.messages(), 2 * n * n * k);
        assert_eq!(counters.channels[0].words, n * n * k);
        assert_eq!(counters.channels[0].wires, n * n);
        assert_eq!(counters.operations[&Function::Add], n * n * k);
        assert_eq!(counters.operations[&Function::Multiply], n * n * k);
        assert_eq!(counters.memory[0].1, MemoryTraffic { loaded: n * k, ..MemoryTraffic::default() });
        assert_eq!(counters.memory[2].1, MemoryTraffic { stored: n * n, ..MemoryTraffic::default() });
        assert_eq!(counters.stalled(), 0);
        let expected = (k * (n * n + 2 * n)) as f64 / ((n * n + 2 * n) * (k + 2 * n - 1)) as f64;
        assert!((outcome.utilisation() - expected).abs() < 1e-12);
    }
}

/// A word holds its slot for latency and response, so a steady stream of one word a cycle holds that many slots.
#[test]
fn a_steady_stream_holds_latency_and_response_slots() {
    let program = program(
        "(program stream (version 1) (grid (p 0 1)) (channel right (offset 1) (latency 1) (depth 2))
           (class source (guard (= p 0)) (let x 1) (loop i 1 50 (send right x) (tick 1)))
           (class sink (guard (= p 1)) (loop i 1 50 (recv x right) (tick 1))))",
    );
    for (latency, response) in [(1, 1), (2, 1), (3, 2), (1, 0)] {
        let settings = Settings { response, capacity: Some(100), ..Settings::default() };
        let outcome = run(&linked(program.clone(), latency, 0), &sizes(&[]), &tensors(vec![]), &settings);
        assert_eq!(outcome.counters.channels[0].max_depth, latency + response);
        assert_eq!(outcome.counters.channels[0].declared_depth, 2);
        assert_eq!(outcome.cycles, 50 + latency);
    }
}

#[test]
fn every_cycle_of_every_pe_is_accounted_for() {
    let settings = Settings { response: 2, capacity: Some(2), ..Settings::default() };
    let outcome = feeders(4, 9, 3, &settings);
    for pe in &outcome.counters.pes {
        let idle = pe.idle_before + pe.idle_between + pe.idle_after;
        assert_eq!(pe.busy + pe.stalled + pe.starved + idle, outcome.cycles, "{pe:?}");
    }
    assert!(outcome.counters.stalled() > 0 && outcome.counters.starved() > 0);
}

/// PE (i, j) is busy at the clocks from i + j - 1 on for K cycles, feeder i from i - 1 on.
#[test]
fn the_fullest_cycle_is_that_of_the_textbook() {
    for (n, k) in [(1, 1), (2, 3), (3, 2), (5, 4), (4, 9)] {
        let inner = (1..=n).flat_map(|i| (1..=n).map(move |j| i + j - 1));
        let feeders = (1..=n).flat_map(|i| [i - 1, i - 1]);
        let starts: Vec<u64> = inner.chain(feeders).collect();
        let busy = |cycle: u64| starts.iter().filter(|start| (**start..**start + k).contains(&cycle)).count() as u64;
        let most = (0..k + 2 * n).map(busy).max().unwrap();
        assert_eq!(self::feeders(n, k, 1, &Settings::default()).counters.fullest, most, "n {n}, K {k}");
    }
}

#[test]
fn the_report_has_the_keys_that_others_rely_on() {
    let outcome = feeders(2, 3, 1, &Settings::default());
    let json = report::to_json(&outcome);
    assert_eq!(json["cycles"], 6);
    assert_eq!(json["pes"], 8);
    assert_eq!(json["busy"], 24);
    assert_eq!(json["stall"], 0);
    assert_eq!(json["messages"], 24);
    assert_eq!(json["max_depth"]["A_east"], 2);
    assert_eq!(json["depth"]["A_east"], 2);
    assert_eq!(json["operations"]["mul"], 12);
    assert_eq!(json["memory_words"]["A"]["loaded"], 6);
    assert!(json["matches_reference"].is_null() && json["deadlock"].is_null());
    assert!(json["starve"].is_u64() && json["utilisation"].is_f64());
    assert_eq!(json["fullest"], 7);
    let table = report::to_table(&outcome);
    assert!(table.contains("cycles") && table.contains("depth 2 of 2"), "{table}");
    assert!(table.contains("7 PEs busy in one cycle"), "{table}");
}
