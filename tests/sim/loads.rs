//! Loads whose words are asked for ahead, by hand: a latency costs cycles once, and with too few outstanding again and again.

use super::common::{asked_ahead, matrix, product, program, run, sizes, tensors};
use systole_base::integer::name;
use systole_base::machine::{Bandwidth, Times};
use systole_program::array::{Program, Tensors};
use systole_run::sim::{Outcome, Settings};

const SIZES: [usize; 3] = [4, 30, 3];

/// Steps of the schedule, each a cycle where memory takes no time.
const STEPS: u64 = 4 + 30 + 3 - 2;

/// `A` stays, and the PEs of row 0 load a word of `B` a step.
fn weights() -> Program {
    program(include_str!("weight-stationary.pe"))
}

fn product_by(program: &Program, times: Times) -> Outcome {
    let [m, n, k] = SIZES;
    let inputs = tensors(vec![("A", matrix(m, k, 5)), ("B", matrix(k, n, 6))]);
    let sizes = sizes(&[("M", m as i64), ("N", n as i64), ("K", k as i64)]);
    let outcome = run(program, &sizes, &inputs, &Settings { times, ..Settings::default() });
    assert_eq!(outcome.outputs[&name("C")], product(&inputs));
    outcome
}

fn memory(load_latency: i64) -> Times {
    Times { load_latency, ..Times::default() }
}

/// One load a step: a latency of L cycles takes L + 1 loads. With them it is paid for once, whichever the latency of the machine
/// up to that of the proof; with one less some word is late.
#[test]
fn a_latency_is_paid_for_once() {
    for latency in [1, 3, 5] {
        let enough = asked_ahead(weights(), latency, latency + 1);
        for shorter in 0..=latency {
            let outcome = product_by(&enough, memory(shorter as i64));
            assert_eq!((outcome.lead, outcome.step, outcome.cycles), (shorter, 1, shorter + STEPS));
            assert_eq!(outcome.counters.stalled() + outcome.counters.starved(), 0);
            assert_eq!(outcome.counters.busy(), 4 * 30 * 3);
        }
        let few = product_by(&asked_ahead(weights(), latency, latency), memory(latency as i64));
        assert_eq!((few.lead, few.step), (latency, 1), "it was said to be enough");
        assert!(few.cycles > few.cycles_of(STEPS), "{latency}");
    }
}

/// A machine with fewer: a step is as long as they need to come in time, which is what is predicted.
#[test]
fn with_fewer_outstanding_every_step_is_longer() {
    let program = asked_ahead(weights(), 5, 6);
    for (outstanding, lead, step) in [(9, 5, 1), (6, 5, 1), (5, 4, 2), (4, 4, 2), (3, 4, 2), (2, 3, 3), (1, 0, 6)] {
        let times = Times { outstanding: Some(outstanding), ..memory(5) };
        let outcome = product_by(&program, times);
        assert_eq!((outcome.lead, outcome.step), (lead, step), "{outstanding}");
        assert_eq!(outcome.cycles, lead + step * STEPS, "{outstanding}");
        assert_eq!(outcome.is_short_of_loads, outstanding < 6);
    }
    // One at a time is a load that asks for its word itself; so is one of which nothing is said.
    assert_eq!(product_by(&weights(), memory(5)).cycles, 6 * STEPS);
    // On a memory that takes longer than was proved, what was enough may not be.
    let slow = product_by(&program, memory(11));
    assert_eq!((slow.lead, slow.step, slow.cycles), (10, 2, 10 + 2 * STEPS));
}

/// Slow operations and narrow ports make steps longer, and what they take up of a latency is not waited for again.
#[test]
fn other_work_is_as_long_as_it_was() {
    let narrow = |outstanding, latency| {
        let times = Times { port: Some(Bandwidth::CyclesAWord(4)), outstanding, ..memory(latency) };
        product_by(&asked_ahead(weights(), 20, 21), times)
    };
    // The PE at the end of the first row stores a word after its load, and others do not, so there are cycles to spare.
    for (outstanding, latency, lead, step) in
        [(None, 0, 0, 5), (None, 20, 16, 5), (Some(2), 20, 10, 11), (Some(1), 20, 0, 21)]
    {
        let outcome = narrow(outstanding, latency);
        assert_eq!((outcome.lead, outcome.step, outcome.cycles), (lead, step, lead + step * STEPS), "{outstanding:?}");
    }
}

const TWO: &str = "(program sums (version 1) (parameters N)
    (array X in ((+ N 1)) (loads (latency 7) (outstanding 16))) (array Z out (N)) (grid (p 0 0))
    (class all (guard)
      (loop i 0 (- N 1)
        (at i) (load x (X i)) (load y (X (+ i 1))) (let z (add x y)) (store (Z i) z) (tick 1))))";

fn row(length: usize) -> Tensors {
    tensors(vec![("X", matrix(1, length, 1).into_shape_with_order(vec![length]).unwrap())])
}

fn sums_of(text: &str, times: Times) -> Outcome {
    run(&program(text), &sizes(&[("N", 40)]), &row(41), &Settings { times, ..Settings::default() })
}

/// Two loads of one array in a step take twice as many; with one outstanding the second waits for the first.
#[test]
fn two_loads_of_a_step_share_what_may_be_outstanding() {
    for (outstanding, lead, step) in [(None, 7, 1), (Some(15), 6, 2), (Some(2), 0, 8), (Some(1), 0, 16)] {
        let outcome = sums_of(TWO, Times { outstanding, ..memory(7) });
        assert_eq!((outcome.lead, outcome.step, outcome.cycles), (lead, step, lead + step * 40), "{outstanding:?}");
    }
    let few = sums_of(&TWO.replace("16", "15"), memory(7));
    assert!(few.cycles > few.cycles_of(40));
}

/// What a PE loads before its first clock is waited for before all steps. It is idle until it has the words of its first operation.
#[test]
fn a_word_before_the_first_clock_is_waited_for_once() {
    let text = "(program scaled (version 1) (parameters N)
        (array X in ((+ N 1)) (loads (latency 7) (outstanding 8))) (array Z out (N)) (grid (p 0 0))
        (class all (guard)
          (load x (X N))
          (loop i 0 (- N 1) (at i) (load y (X i)) (let z (mul x y)) (store (Z i) z) (tick 1))))";
    for (outstanding, lead, step, busy) in [(Some(1), 7, 16, 40 * 16 - 8), (Some(4), 7, 4, 40 * 4)] {
        let outcome = sums_of(text, Times { outstanding, ..memory(7) });
        assert_eq!((outcome.lead, outcome.step, outcome.cycles), (lead, step, lead + step * 40), "{outstanding:?}");
        assert_eq!(outcome.counters.busy(), busy);
    }
}

/// In a program without clocks a PE waits for its first word, and not for the others.
#[test]
fn without_clocks_words_are_asked_for_ahead_all_the_same() {
    let text = "(program copy (version 1) (parameters N)
        (array X in ((+ N 1)) (loads (latency 7) (outstanding 8))) (array Z out (N)) (grid (p 0 0))
        (class all (guard) (loop i 0 (- N 1) (load x (X i)) (store (Z i) x) (tick 1))))";
    assert_eq!(sums_of(text, memory(7)).cycles, 7 + 40);
    let alone = text.replace(" (loads (latency 7) (outstanding 8))", "");
    assert_eq!(sums_of(&alone, memory(7)).cycles, 8 * 40);
}
