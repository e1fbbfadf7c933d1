//! Programs and inputs that a run refuses, each with the PE, the instruction and the element.

use super::common::{matrix, program, refusal, run, sizes, tensors};
use std::collections::BTreeMap;
use systole_base::cell::Cell;
use systole_base::integer::name;
use systole_program::array::Tensors;
use systole_run::sim::{Settings, simulate};

/// One PE with an input and an output of N elements.
fn single(body: &str) -> String {
    format!("(program single (version 1) (parameters N) (array X in (N)) (array Y out (N)) (class pe (guard) {body}))")
}

fn refuse(body: &str) -> String {
    let x = matrix(1, 3, 1).into_shape_with_order(vec![3]).unwrap();
    refusal(&single(body), &sizes(&[("N", 3)]), &tensors(vec![("X", x)]))
}

#[test]
fn the_program_without_fault_runs() {
    let x = matrix(1, 3, 1).into_shape_with_order(vec![3]).unwrap();
    let text = single("(loop i 0 (- N 1) (prefetch (X i)) (local x (X i)) (store (Y i) x))");
    let outcome = run(&program(&text), &sizes(&[("N", 3)]), &tensors(vec![("X", x)]), &Settings::default());
    assert_eq!((outcome.cycles, outcome.pes), (0, 1));
}

#[test]
fn a_subscript_out_of_range() {
    let message = refuse("(loop i 0 N (load x (X i)))");
    assert!(message.contains("PE () reaches for `X(3)`, outside the shape [3]"), "{message}");
    assert!(message.contains("(load x (X i))"), "{message}");
    assert!(refuse("(loop i -1 0 (load x (X i)))").contains("X(-1)"));
}

#[test]
fn an_element_that_was_not_prefetched() {
    let message = refuse("(prefetch (X 0)) (local x (X 1))");
    assert!(message.contains("reads `X(1)` from its own memory without having prefetched it"), "{message}");
}

#[test]
fn an_element_stored_twice_and_one_never_stored() {
    assert!(refuse("(let x 1) (store (Y 0) x) (store (Y 0) x)").contains("stores `Y(0)`, which was stored before"));
    let message = refuse("(let x 1) (store (Y 0) x)");
    assert!(message.contains("element `Y(1)` of output `Y` is never stored"), "{message}");
    assert!(message.contains("2 of 3"), "{message}");
}

#[test]
fn numbers_that_do_not_fit() {
    assert!(refuse("(loop i 1 (* N 4000000000000000000) (tick 1))").contains("does not fit 64 bits"));
    assert!(refuse("(tick 18446744073709551615) (tick 1)").contains("does not fit 64 bits"));
}

/// Two operations share each step, and a word passes between them.
#[test]
fn a_step_with_more_operations_than_its_cell_holds() {
    let text = |cell: &str| {
        format!(
            "(program pairs (version 1) (parameters N) (array Y out (N)) (cell {cell})
               (channel own (offset) (latency 0) (depth 1))
               (class pe (guard) (loop i 0 (- N 1) (at (* 2 i))
                 (let x (index i)) (send own x) (share)
                 (recv y own) (let y (mul y y)) (store (Y i) y) (share)
                 (end-step) (end-step))))"
        )
    };
    let run_on = |cell| {
        simulate(
            &program(&text("all")),
            &sizes(&[("N", 3)]),
            &Tensors::new(),
            &Settings { cell, ..Settings::default() },
        )
    };
    let outcome = run_on(None).expect("a cell holds all");
    assert_eq!((outcome.cycles, outcome.counters.busy()), (5, 3));
    assert_eq!(outcome.outputs[&name("Y")].iter().copied().collect::<Vec<f64>>(), [0.0, 1.0, 4.0]);
    assert!(run_on(Some(Cell::Holds(2))).is_ok());
    let message = systole_base::diagnostic::render(&run_on(Some(Cell::ONE)).expect_err("one operation"), false);
    assert!(message.contains("PE () does 2 operations in one step, more than its cell holds"), "{message}");
    assert!(message.contains("at `(share)` of class `pe`, clock 0"), "{message}");
    assert!(run(&program(&text("2")), &sizes(&[("N", 3)]), &Tensors::new(), &Settings::default()).deadlock.is_none());
}

#[test]
fn a_tag_driven_twice() {
    let text = "(program twice (version 1) (grid (p 0 1)) (bus all (direction 1))
                  (class pe (guard) (let x 1) (drive all x (0))))";
    let message = refusal(text, &sizes(&[]), &Tensors::new());
    assert!(message.contains("drives tag (0) of bus `all`, which was driven before"), "{message}");
}

#[test]
fn a_channel_that_leads_nowhere() {
    let text = "(program edge (version 1) (grid (p 0 2)) (channel right (offset 1) (latency 1) (depth 1))
                  (class pe (guard) (let x 1) (send right x) (if ((>= p 1)) ((recv x right)) ())))";
    let message = refusal(text, &sizes(&[]), &Tensors::new());
    assert!(message.contains("PE (2) sends on `right` to PE (3), which does not receive on it"), "{message}");
}

#[test]
fn two_classes_for_one_pe() {
    let text = "(program twins (version 1) (grid (p 0 2)) (class a (guard)) (class b (guard (= p 1))))";
    let message = refusal(text, &sizes(&[]), &Tensors::new());
    assert!(message.contains("PE (1) belongs to the classes `a` and `b`"), "{message}");
}

#[test]
fn a_guard_that_does_not_fit() {
    let text = "(program big (version 1) (parameters N) (class a (guard (>= (* N 9000000000000000000) 1))))";
    assert!(
        refusal(text, &sizes(&[("N", 2)]), &Tensors::new()).contains("the guard of class `a` does not fit 64 bits")
    );
    assert_eq!(run(&program(text), &sizes(&[("N", 1)]), &Tensors::new(), &Settings::default()).cycles, 0);
}

#[test]
fn sizes_and_inputs_that_do_not_fit() {
    let text = single("(loop i 0 (- N 1) (load x (X i)) (store (Y i) x))");
    let x = || matrix(1, 3, 1).into_shape_with_order(vec![3]).unwrap();
    let refuse = |pairs: &[(&str, i64)], inputs: Tensors| refusal(&text, &sizes(pairs), &inputs);
    assert!(refuse(&[], tensors(vec![("X", x())])).contains("parameter `N` has no value"));
    assert!(refuse(&[("N", 0)], tensors(vec![("X", x())])).contains("must be at least 1"));
    assert!(refuse(&[("N", 3), ("M", 2)], tensors(vec![("X", x())])).contains("no parameter `M`"));
    assert!(refuse(&[("N", 4)], tensors(vec![("X", x())])).contains("input `X` has shape [3], expected [4]"));
    assert!(refuse(&[("N", 3)], Tensors::new()).contains("input `X` is missing"));
    assert!(refuse(&[("N", 3)], tensors(vec![("X", x()), ("Z", x())])).contains("no input `Z`"));
    assert!(refuse(&[("N", 1 << 40)], tensors(vec![("X", x())])).contains("MiB"));
    assert!(refuse(&[("N", i64::MAX)], tensors(vec![("X", x())])).contains("MiB"));
    let flat = "(program flat (version 1) (parameters N) (array Y out (N N (- N N))) (class pe (guard)))";
    assert!(refusal(flat, &sizes(&[("N", i64::MAX)]), &Tensors::new()).contains("MiB"));
    assert!(simulate(&program(flat), &sizes(&[("N", 2)]), &Tensors::new(), &Settings::default()).is_ok());
}

#[test]
fn a_grid_too_large_for_memory() {
    let text = "(program vast (version 1) (parameters N) (grid (p 0 N) (q 0 N)) (class pe (guard) (tick 1)))";
    assert!(refusal(text, &sizes(&[("N", 1 << 30)]), &Tensors::new()).contains("more than the limit"));
    assert!(refusal(text, &sizes(&[("N", i64::MAX)]), &Tensors::new()).contains("too large"));
    assert_eq!(run(&program(text), &sizes(&[("N", 30)]), &Tensors::new(), &Settings::default()).pes, 961);
}

/// 444 bytes a PE of the grid and 17 an element, of N^2 in `C` and N K each in `A` and `B`: 8 GiB lie between two lengths.
#[test]
fn memory_is_estimated_before_it_is_taken() {
    let refuse = |n, k| refusal(include_str!("os-feeders.pe"), &sizes(&[("N", n), ("K", k)]), &Tensors::new());
    assert!(refuse(8191, 1).contains("about 29503 MiB"));
    let most = ((8 << 30) - 4 * 444 - 17) / (2 * 17);
    assert!(refuse(1, most + 1).contains("more than the limit"));
    assert!(!refuse(1, most).contains("more than the limit"), "refused for the lack of its arrays only");
}

#[test]
fn settings_that_no_channel_can_have() {
    let program = program("(program idle (version 1) (class pe (guard)))");
    let named = BTreeMap::from([(name("right"), 0)]);
    for settings in
        [Settings { capacity: Some(0), ..Settings::default() }, Settings { capacities: named, ..Settings::default() }]
    {
        assert!(simulate(&program, &sizes(&[]), &Tensors::new(), &settings).is_err());
    }
    assert_eq!(run(&program, &sizes(&[]), &Tensors::new(), &Settings::default()).pes, 0);
}
