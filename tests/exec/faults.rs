//! Programs, inputs and settings that a run refuses, in the words of the simulator, whoever runs which PE.

use super::programs::{program, settings, shown, sizes};
use ndarray::ArrayD;
use systole::array::Tensors;
use systole::exec::{Settings, execute};
use systole::integer::name;
use systole::recurrence::Distribution;
use systole::sim;
use systole::sim::simulate;

fn numbers(count: usize) -> Tensors {
    Tensors::from([(name("X"), ArrayD::from_elem(vec![count], 1.5))])
}

/// A line of PEs around one fault, and what is said about it without a clock.
const FAULTS: [(&str, &str); 7] = [
    ("(load x (X (+ p N)))", "reaches for `X"),
    ("(prefetch (X 0)) (local x (X 1))", "reads `X(1)` from its own memory without having prefetched it"),
    ("(let x 1) (if ((>= p 5)) ((store (Y 0) x)) ())", "stores `Y(0)`, which was stored before"),
    ("(let x 1) (if ((>= p 5)) ((drive all x (7))) ())", "drives tag (7) of bus `all`, which was driven before"),
    (
        "(let x 1) (send right x) (if ((>= p 1)) ((recv y right)) ())",
        "PE (8) sends on `right` to PE (9), which does not",
    ),
    ("(loop i 1 (* N 4000000000000000000) (let x 1))", "computes a number that does not fit 64 bits"),
    ("(let x 1) (if ((= p 3)) ((store (Y 0) x)) ())", "element `Y(1)` of output `Y` is never stored"),
];

fn line(body: &str) -> String {
    format!(
        "(program line (version 1) (parameters N) (array X in (N)) (array Y out (N)) (grid (p 0 8))
           (channel right (offset 1) (latency 1) (depth 2)) (bus all (direction 1)) (class pe (guard) {body}))"
    )
}

#[test]
fn every_fault_is_told_as_the_simulator_tells_it() {
    for (body, part) in FAULTS {
        let (program, sizes) = (program(&line(body)), sizes(&[("N", 3)]));
        let simulated = simulate(&program, &sizes, &numbers(3), &sim::Settings::default()).expect_err("a refusal");
        for settings in settings() {
            let found = shown(&execute(&program, &sizes, &numbers(3), &settings).expect_err("a refusal"));
            assert!(found.contains(part), "{found}");
            assert_eq!(found, shown(&simulated).replace(", clock 0", ""), "{settings:?}");
        }
    }
}

#[test]
fn sizes_and_inputs_that_do_not_fit() {
    let program = program(&line("(let x 1)"));
    let refuse = |pairs: &[(&str, i64)], inputs: &Tensors| {
        shown(&execute(&program, &sizes(pairs), inputs, &Settings::default()).expect_err("a refusal"))
    };
    assert!(refuse(&[], &numbers(3)).contains("parameter `N` has no value"));
    assert!(refuse(&[("N", 4)], &numbers(3)).contains("input `X` has shape [3], expected [4]"));
    assert!(refuse(&[("N", 3)], &Tensors::new()).contains("input `X` is missing"));
}

#[test]
fn settings_that_no_run_can_have() {
    let program = program("(program idle (version 1) (class pe (guard)))");
    let run = |settings: Settings| execute(&program, &sizes(&[]), &Tensors::new(), &settings);
    assert!(run(Settings::default()).is_ok());
    let wrong = [
        Settings { workers: 0, ..Settings::default() },
        Settings { capacity: Some(0), ..Settings::default() },
        Settings { repeat: 0, ..Settings::default() },
        Settings { arrangement: Some(vec![2]), ..Settings::default() },
        Settings { distribution: Some(Distribution::BlockCyclic(0)), ..Settings::default() },
        Settings { layout: Some(Distribution::BlockCyclic(0)), ..Settings::default() },
    ];
    assert!(wrong.into_iter().all(|settings| run(settings).is_err()));
}
