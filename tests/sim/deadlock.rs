//! Runs that cannot go on: found at once, with the cycle of waits.

use super::common::{program, run, sizes};
use std::collections::BTreeSet;
use systole_base::diagnostic::render;
use systole_program::array::Tensors;
use systole_run::shared::{Cause, Deadlock, Peer, PeerState};
use systole_run::sim::{Order, Settings, report};

/// The deadlock, which must be the same whichever PE the host runs first.
fn deadlock(text: &str, settings: &Settings) -> Option<Deadlock> {
    let [first, last] = [Order::FirstIn, Order::LastIn].map(|order| {
        let outcome = run(&program(text), &sizes(&[]), &Tensors::new(), &Settings { order, ..settings.clone() });
        (outcome.deadlock, outcome.counters)
    });
    assert_eq!(first, last);
    first.0
}

fn ring(first: &str, second: &str) -> String {
    format!(
        "(program ring (version 1) (grid (p0 0 1))
           (channel right (offset 1) (latency 1) (depth 2))
           (channel left (offset -1) (latency 1) (depth 2))
           (class a (guard (= p0 0)) (let x 1) {first})
           (class b (guard (= p0 1)) (let x 1) {second}))"
    )
}

#[test]
fn two_pes_that_receive_before_they_send_wait_for_each_other() {
    let text = ring("(recv y left) (send right x)", "(recv y right) (send left x)");
    let found = deadlock(&text, &Settings::default()).expect("a deadlock");
    let on_cycle: BTreeSet<&Vec<i64>> = found.cycle.iter().map(|position| &found.blocked[*position].pe).collect();
    assert_eq!(on_cycle, BTreeSet::from([&vec![0], &vec![1]]));
    assert!(found.blocked.iter().all(|blocked| blocked.cause == Cause::Empty && blocked.clock == Some(0)));
    let message = render(&[found.to_diagnostic()], false);
    assert!(message.contains("deadlock: 2 PEs wait") && message.contains("the cycle of waits"), "{message}");
    assert!(message.contains("PE (0) waits at clock 0 on `left`, which is empty; waits for PE (1)"), "{message}");
}

#[test]
fn the_twin_that_sends_first_is_fine() {
    let text = ring("(send right x) (recv y left)", "(send left x) (recv y right)");
    assert_eq!(deadlock(&text, &Settings::default()), None);
}

#[test]
fn a_capacity_that_is_too_small_is_a_deadlock_and_the_declared_depth_is_not() {
    let sends = "(send right x) (send right x) (recv y left) (recv y left)";
    let text = ring(sends, "(send left x) (send left x) (recv y right) (recv y right)");
    assert_eq!(deadlock(&text, &Settings::default()), None);
    let found = deadlock(&text, &Settings { capacity: Some(1), ..Settings::default() }).expect("a deadlock");
    assert_eq!(found.cycle.len(), 2);
    assert!(found.blocked.iter().all(|blocked| blocked.cause == Cause::Full));
    assert!(found.to_diagnostic().help_text().is_some_and(|help| help.contains("--capacity")));
}

#[test]
fn a_wait_for_a_pe_that_is_done_says_so() {
    let text = ring("(send right x)", "(recv y right) (recv y right) (send left y)")
        .replace("(send right x)", "(send right x) (loop k 1 0 (recv y left))");
    let found = deadlock(&text, &Settings::default()).expect("a deadlock");
    assert!(found.cycle.is_empty());
    assert_eq!(found.blocked.len(), 1);
    assert_eq!(found.blocked[0].peer, Some(Peer { pe: vec![0], state: PeerState::Finished }));
    assert_eq!(found.blocked[0].clock, Some(1));
    assert!(found.to_diagnostic().to_string().contains("waits for PE (0), which has finished"));
}

#[test]
fn a_word_that_nobody_sends_is_a_deadlock() {
    let text = "(program chain (version 1) (grid (p0 0 2)) (channel right (offset 1) (latency 1) (depth 2))
                  (class a (guard (= p0 0)) (let x 1) (send right x))
                  (class b (guard (= p0 1)) (recv x right))
                  (class c (guard (= p0 2)) (recv x right)))";
    let found = deadlock(text, &Settings::default()).expect("a deadlock");
    assert_eq!(found.blocked[0].peer, Some(Peer { pe: vec![1], state: PeerState::Mute }));
    assert!(found.to_diagnostic().to_string().contains("waits for PE (1), which does not send on it"));
    assert_eq!(
        deadlock(&text.replace("(recv x right))\n", "(recv x right) (send right x))\n"), &Settings::default()),
        None
    );
}

/// A queue of a PE for itself: what is kept is taken a cycle later at the earliest.
#[test]
fn a_pe_may_keep_words_for_itself_but_not_wait_for_its_own() {
    let text = "(program keep (version 1) (grid (p0 0 1)) (channel own (offset 0) (latency 1) (depth 2))
                  (class a (guard (>= p0 0)) (let x 1) (send own x) (send own x) (recv y own) (recv y own)))";
    let outcome = run(&program(text), &sizes(&[]), &Tensors::new(), &Settings::default());
    assert_eq!((outcome.deadlock, outcome.cycles, outcome.counters.channels[0].words), (None, 1, 4));
    assert_eq!(outcome.counters.channels[0].max_depth, 2);
    let full = deadlock(text, &Settings { capacity: Some(1), ..Settings::default() }).expect("a deadlock");
    assert_eq!((full.cycle, full.blocked[0].cause), (vec![0], Cause::Full));
    let early = text.replace("(let x 1) (send own x)", "(let x 1) (recv y own) (send own x)");
    let empty = deadlock(&early, &Settings::default()).expect("a deadlock");
    assert_eq!((empty.cycle, empty.blocked[0].cause), (vec![0], Cause::Empty));
}

#[test]
fn a_tag_that_nobody_drives_is_a_deadlock() {
    let text = "(program bus (version 1) (grid (p0 0 1)) (bus row (direction 1))
                  (class a (guard (= p0 0)) (let x 1) (drive row x (0)))
                  (class b (guard (= p0 1)) (listen x row (0)) (listen x row (1))))";
    let found = deadlock(text, &Settings::default()).expect("a deadlock");
    assert_eq!((found.blocked[0].cause, found.blocked[0].tag.clone()), (Cause::Undriven, vec![1]));
    assert_eq!(deadlock(&text.replace(" (listen x row (1))", ""), &Settings::default()), None);
}

/// PE 0 waits for a tag that PE 1 would drive after the word that PE 0 would send.
#[test]
fn a_cycle_of_waits_may_go_through_a_bus() {
    let text = "(program bus (version 1) (grid (p0 0 1)) (bus row (direction 1))
                  (channel right (offset 1) (latency 1) (depth 2))
                  (class a (guard (= p0 0)) (listen x row (0)) (send right x))
                  (class b (guard (= p0 1)) (recv y right) (drive row y (0))))";
    let found = deadlock(text, &Settings::default()).expect("a deadlock");
    assert_eq!(found.cycle, vec![0, 1]);
    assert_eq!(found.blocked[0].cause, Cause::Undriven);
}

#[test]
fn a_large_deadlock_is_grouped_by_class_and_capped() {
    let text = "(program line (version 1) (grid (p0 0 999))
                  (channel right (offset 1) (latency 1) (depth 2))
                  (channel left (offset -1) (latency 1) (depth 2))
                  (class first (guard (= p0 0)) (recv x left) (send right x))
                  (class inner (guard (>= p0 1) (<= p0 998)) (recv x right) (recv y left) (send right x) (send left y))
                  (class last (guard (= p0 999)) (recv x right) (send left x)))";
    let program = program(text);
    let outcome = run(&program, &sizes(&[]), &Tensors::new(), &Settings::default());
    let found = outcome.deadlock.as_ref().expect("a deadlock");
    assert_eq!(found.blocked.len(), 1000);
    assert_eq!(found.cycle.len(), 2);
    let message = found.to_diagnostic().to_string();
    assert!(message.contains("998 PEs of class `inner` wait on `right`, which is empty"), "{message}");
    assert!(message.lines().count() < 20, "{message}");
    let json = report::to_json(&outcome);
    assert_eq!(json["deadlock"]["total"], 1000);
    assert_eq!(json["deadlock"]["cycle"].as_array().map(Vec::len), Some(2));
}
