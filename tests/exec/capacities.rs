//! Channels hold what the program declares, also where they join two workers: at the capacity that is needed a program
//! runs, with one slot less it deadlocks, exactly where the simulator does.

use super::programs::{filled, program, settings, shown, sizes};
use systole::array::Tensors;
use systole::exec::{Execution, Settings, execute};
use systole::integer::name;
use systole::recurrence::Distribution;
use systole::sim::simulate;
use systole::{shared, sim};

/// Each of two PEs sends a burst before it receives the other's.
pub fn crossed_bursts(burst: u64, depth: u64) -> String {
    format!(
        "(program bursts (version 1) (grid (p 0 1))
           (channel right (offset 1) (latency 1) (depth {depth}))
           (channel left (offset -1) (latency 1) (depth {depth}))
           (class a (guard (= p 0)) (let x 1) (loop i 1 {burst} (send right x)) (loop i 1 {burst} (recv y left)))
           (class b (guard (= p 1)) (let x 2) (loop i 1 {burst} (send left x)) (loop i 1 {burst} (recv y right))))"
    )
}

fn run(text: &str, settings: &Settings) -> Execution {
    let execution = execute(&program(text), &sizes(&[]), &Tensors::new(), settings);
    execution.unwrap_or_else(|faults| panic!("{}", shown(&faults)))
}

#[test]
fn the_needed_depth_is_enough_and_one_slot_less_is_not() {
    for burst in [2, 3, 17, 2000] {
        for settings in settings() {
            assert_eq!(run(&crossed_bursts(burst, burst), &settings).deadlock, None, "{burst} {settings:?}");
            let deadlock = run(&crossed_bursts(burst, burst - 1), &settings).deadlock.expect("a deadlock");
            assert_eq!((deadlock.blocked.len(), deadlock.cycle.len()), (2, 2), "{burst} {settings:?}");
            let message = deadlock.to_diagnostic().to_string();
            assert!(message.contains("PE (0) waits on `right`, which is full; waits for PE (1)"), "{message}");
        }
    }
}

#[test]
fn a_capacity_that_is_asked_for_stands_in_for_the_depths() {
    for settings in settings() {
        let with = |capacity| Settings { capacity: Some(capacity), ..settings.clone() };
        assert_eq!(run(&crossed_bursts(5, 1), &with(5)).deadlock, None);
        assert!(run(&crossed_bursts(5, 9), &with(4)).deadlock.is_some());
    }
}

/// Every capacity of an array with feeders runs or deadlocks as on the simulator.
#[test]
fn an_array_deadlocks_at_the_capacities_at_which_the_simulator_does() {
    let text = "(program late (version 1) (parameters N) (array X in (N)) (array Y out (N)) (grid (p 0 2))
         (channel one (offset 1) (latency 1) (depth 2)) (channel two (offset 1) (latency 1) (depth 2))
         (class source (guard (= p 0)) (loop i 0 (- N 1) (load x (X i)) (send one x))
           (loop i 0 (- N 1) (load x (X i)) (send two x)))
         (class relay (guard (= p 1)) (loop i 0 (- N 1) (recv x two) (recv y one) (send one y) (send two x)))
         (class sink (guard (= p 2)) (loop i 0 (- N 1) (recv y one) (recv x two) (let z (add x y)) (store (Y i) z))))";
    let (program, n) = (program(text), 6);
    let (sizes, inputs) = (sizes(&[("N", n)]), Tensors::from([(name("X"), filled(1, &[n as usize]))]));
    let mut ended = vec![];
    for capacity in 1..=8 {
        let simulated =
            simulate(&program, &sizes, &inputs, &sim::Settings { capacity: Some(capacity), ..Default::default() });
        let simulated = simulated.expect("an outcome").deadlock;
        for settings in settings() {
            let found = execute(&program, &sizes, &inputs, &Settings { capacity: Some(capacity), ..settings });
            let found = found.expect("an outcome").deadlock;
            let blocked = |deadlock: &Option<shared::Deadlock>| {
                deadlock
                    .as_ref()
                    .map(|deadlock| deadlock.blocked.iter().map(|b| (b.pe.clone(), b.cause)).collect::<Vec<_>>())
            };
            assert_eq!(blocked(&found), blocked(&simulated), "{capacity}");
        }
        ended.push(simulated.is_none());
    }
    assert_eq!(ended, [false, false, false, false, false, true, true, true], "6 slots are needed");
}

/// Turns that end in the middle of a burst, and packets that are full, lose nothing and reorder nothing.
#[test]
fn long_bursts_keep_their_order() {
    let text = "(program long (version 1) (parameters N) (array X in (N)) (array Y out (N)) (grid (p 0 3))
         (channel right (offset 1) (latency 1) (depth 100000))
         (class source (guard (= p 0)) (loop i 0 (- N 1) (load x (X i)) (send right x)))
         (class relay (guard (>= p 1) (<= p 2)) (pass right right N))
         (class sink (guard (= p 3)) (loop i 0 (- N 1) (recv x right) (store (Y i) x))))";
    let (program, n) = (program(text), 30_000);
    let (sizes, x) = (sizes(&[("N", n)]), filled(3, &[n as usize]));
    for workers in [1, 2, 4] {
        let settings = Settings { workers, distribution: Some(Distribution::Cyclic), ..Settings::default() };
        let inputs = Tensors::from([(name("X"), x.clone())]);
        let execution = execute(&program, &sizes, &inputs, &settings).expect("an outcome");
        assert_eq!(execution.outputs["Y"], x);
        let crossing = if workers == 1 { 0 } else { 3 * n as u64 };
        assert_eq!(execution.counts.words, crossing, "every channel joins two workers");
    }
}
