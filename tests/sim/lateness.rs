//! What a run that is late waited for: the PE, the resource and the cycles, and nothing of waits that delayed nobody.

use super::common::{program, sizes, tensors};
use ndarray::ArrayD;
use systole_base::machine::{Bandwidth, Times};
use systole_program::array::Program;
use systole_run::sim::lateness::{Lateness, Resource, Wait};
use systole_run::sim::{Settings, simulate_observed};

/// The cycles of a run, those of its step, and the waits that made it so much later than so many steps.
fn waits(program: &Program, settings: &Settings, steps: u64) -> (u64, u64, Vec<Wait>) {
    let inputs = tensors(vec![("X", ArrayD::zeros(vec![9]))]);
    let step = systole_run::sim::simulate(program, &sizes(&[]), &inputs, settings).expect("a run").step;
    let mut lateness = Lateness::new(program, settings, step);
    let outcome = simulate_observed(program, &sizes(&[]), &inputs, settings, &mut lateness).expect("a run");
    assert!(outcome.deadlock.is_none());
    (outcome.cycles, step, lateness.waits(outcome.cycles.saturating_sub(steps * step)))
}

fn wait(pe: i64, resource: Resource, cycles: u64) -> Wait {
    Wait { pe: vec![pe], resource, cycles }
}

fn one_word() -> Settings {
    Settings { times: Times { port: Some(Bandwidth::WordsACycle(1)), ..Times::default() }, ..Settings::default() }
}

/// Five words in one step pass a port of one word a cycle in five cycles; the step that is read off the loop has fewer.
const LOADS: &str = "(program loads (version 1) (array X in (9)) (array Y out (1)) (grid (p 0 1))
    (channel right (offset 1) (latency 1) (depth 1))
    (class a (guard (= p 0)) (at 0) (loop i 0 4 (load x (X i))) (send right x) (tick 1))
    (class b (guard (= p 1)) (at 1) (recv x right) (tick 1) (at 2) (store (Y 0) x) (tick 1)))";

#[test]
fn a_port_that_is_late_is_named_by_whom_it_delays() {
    let program = program(LOADS);
    let (cycles, step, found) = waits(&program, &one_word(), 3);
    // The word leaves in cycle 4 and is there in the next, in which b ends a step that was due at 4; its last is one more step.
    assert_eq!((cycles, step), (6 + 2, 2));
    assert_eq!(found, [wait(0, Resource::Port, 2)]);
    let (cycles, step, found) = waits(&program, &Settings::default(), 3);
    assert_eq!((cycles, step, found), (3, 1, vec![]));
}

/// What is filled in passes no port: the twin that stores the same is late by it.
#[test]
fn what_is_filled_in_delays_nobody() {
    let text = |known: &str| {
        format!(
            "(program known (version 1) (array X in (9)) (array Y out (10)) (grid (p 0 0))
               (class a (guard) (loop i 1 9 {known}) (at 0) (load x (X 0)) (store (Y 0) x) (tick 1)))"
        )
    };
    let (filled, stored) =
        (program(&text("(fill (Y i) (sqrt 2))")), program(&text("(let y (sqrt 2)) (store (Y i) y)")));
    assert_eq!(waits(&filled, &one_word(), 1), (2, 2, vec![]));
    let (cycles, step, found) = waits(&stored, &one_word(), 1);
    assert!(cycles > step);
    assert_eq!(found, [wait(0, Resource::Port, cycles - step)]);
    let mut slow = one_word();
    let time = systole_base::machine::OperationTime { latency: 7, interval: 7 };
    slow.times.set(systole_base::scalar::Function::SquareRoot, time);
    assert_eq!(waits(&filled, &slow, 1), (2, 2, vec![]), "computed before the run as well");
    let inputs = tensors(vec![("X", ArrayD::zeros(vec![9]))]);
    let values = |program| {
        let outcome = systole_run::sim::simulate(program, &sizes(&[]), &inputs, &slow).expect("a run");
        (outcome.outputs[&systole_base::integer::name("Y")].clone(), outcome.counters.memory)
    };
    assert_eq!(values(&filled), values(&stored));
}

/// a sends at 0, 1, 2, .. and b takes each two steps later; one slot, where two words hold one, keeps a.
const PIPE: &str = "(program pipe (version 1) (grid (p 0 2)) (array X in (9)) (array Y out (6))
    (channel right (offset 1) (latency 1) (depth 3)) (channel on (offset 1) (latency 1) (depth 2))
    (class a (guard (= p 0)) (let x 1) (loop i 0 5 (at i) (send right x) (tick 1)))
    (class b (guard (= p 1)) (loop i 0 5 (at (+ i 2)) (recv x right) (send on x) (tick 1)))
    (class c (guard (= p 2)) (loop i 0 5 (at (+ i 3)) (recv x on) (store (Y i) x) (tick 1))))";

#[test]
fn slots_are_named_by_their_channel_and_who_sends() {
    let program = program(PIPE);
    assert_eq!(waits(&program, &Settings::default(), 9), (9, 1, vec![]));
    let tight = Settings { capacity: Some(1), ..Settings::default() };
    let (cycles, _, found) = waits(&program, &tight, 9);
    assert!(cycles > 9);
    assert_eq!(found, [wait(0, Resource::Slot(0), cycles - 9)], "b and c are late by what a owes");
    let slow = Settings { bandwidth: Some(Bandwidth::CyclesAWord(3)), capacity: Some(9), ..Settings::default() };
    let (cycles, _, found) = waits(&program, &slow, 9);
    assert_eq!(found.iter().map(|wait| wait.cycles).sum::<u64>(), cycles - 9);
    assert_eq!(found[0], wait(0, Resource::Pace(0), cycles - 9));
}

/// A wait that the schedule makes up for is not told; the one after it is.
#[test]
fn a_wait_that_delays_nobody_is_not_told() {
    let text = "(program slack (version 1) (array X in (9)) (array Y out (1)) (grid (p 0 1))
        (channel right (offset 1) (latency 1) (depth 4))
        (class a (guard (= p 0)) (let x 1) (at 0) (send right x) (send right x) (tick 1) (at 20) (send right x) (tick 1)
          (at 21) (send right x) (tick 1))
        (class b (guard (= p 1)) (at 5) (recv x right) (recv x right) (tick 1) (at 24) (recv x right) (tick 1)
          (at 25) (recv x right) (store (Y 0) x) (tick 1)))";
    let tight = Settings { capacity: Some(1), ..Settings::default() };
    let (cycles, _, found) = waits(&program(text), &tight, 26);
    // Of the five cycles until the second word is sent nothing is left at clock 20; at 21 a waits until b has taken the third.
    assert_eq!((cycles, found), (26 + 1, vec![wait(0, Resource::Slot(0), 1)]));
}

#[test]
fn a_word_on_a_bus_brings_what_its_driver_owes() {
    let text = LOADS
        .replace("(channel right (offset 1) (latency 1) (depth 1))", "(bus right (direction 1) (latency 1))")
        .replace("(send right x)", "(drive right x (0))")
        .replace("(recv x right)", "(listen x right (0))");
    let (cycles, step, found) = waits(&program(&text), &one_word(), 3);
    assert_eq!(cycles - 3 * step, found.iter().map(|wait| wait.cycles).sum::<u64>());
    assert_eq!(found.len(), usize::from(cycles > 3 * step));
    assert!(found.iter().all(|wait| wait.resource == Resource::Port && wait.pe == [0]), "{found:?}");
}
