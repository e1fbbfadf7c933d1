//! The events of a run against its counters: what is seen is what is counted.

use super::common::{linked, matrix, program, sizes, tensors};
use std::collections::BTreeMap;
use systole_run::sim::observe::Event;
use systole_run::sim::{Outcome, Settings, simulate_observed};

fn observed(latency: u64, settings: &Settings) -> (Outcome, Vec<Event>) {
    let inputs = tensors(vec![("A", matrix(3, 9, 3)), ("B", matrix(9, 3, 4))]);
    let program = linked(program(include_str!("os-feeders.pe")), latency, 0);
    let mut events = vec![];
    let outcome = simulate_observed(&program, &sizes(&[("N", 3), ("K", 9)]), &inputs, settings, &mut events);
    (outcome.expect("a run"), events)
}

/// Cycles of each kind for each PE: busy, stalled, starved.
fn spans(events: &[Event]) -> BTreeMap<usize, [u64; 3]> {
    let mut spans: BTreeMap<usize, [u64; 3]> = BTreeMap::new();
    for event in events {
        let (pe, kind, length) = match *event {
            Event::Busy { pe, from, to } => (pe, 0, to - from),
            Event::Stalled { pe, from, to, .. } => (pe, 1, to - from),
            Event::Starved { pe, from, to, .. } | Event::Unheard { pe, from, to, .. } => (pe, 2, to - from),
            _ => continue,
        };
        spans.entry(pe).or_default()[kind] += length;
    }
    spans
}

#[test]
fn spans_of_events_are_the_counters_of_each_pe() {
    for (capacity, latency) in [(1, 1), (2, 1), (1, 3), (4, 2)] {
        let settings = Settings { capacity: Some(capacity), ..Settings::default() };
        let (outcome, events) = observed(latency, &settings);
        let spans = spans(&events);
        for (pe, counted) in outcome.counters.pes.iter().enumerate() {
            let [busy, stalled, starved] = spans.get(&pe).copied().unwrap_or_default();
            assert_eq!(
                (busy, stalled, starved),
                (counted.busy, counted.stalled, counted.starved),
                "{:?}",
                counted.point
            );
        }
    }
}

#[test]
fn every_word_is_seen_where_it_enters_and_where_it_leaves() {
    let (outcome, events) = observed(1, &Settings::default());
    let mut sent: BTreeMap<usize, Vec<(u64, f64)>> = BTreeMap::new();
    let mut received: BTreeMap<usize, Vec<(u64, f64)>> = BTreeMap::new();
    for event in events {
        match event {
            Event::Sent { wire, clock, value } => sent.entry(wire).or_default().push((clock, value)),
            Event::Received { wire, clock, value } => received.entry(wire).or_default().push((clock, value)),
            _ => {}
        }
    }
    let words: usize = sent.values().map(Vec::len).sum();
    assert_eq!(words as u64, outcome.counters.messages());
    for (wire, sent) in sent {
        for ((entered, value), (left, taken)) in sent.iter().zip(&received[&wire]) {
            assert!(entered < left, "a word needs at least a cycle");
            assert_eq!(value, taken);
        }
        assert_eq!(sent.len(), received[&wire].len());
    }
}
