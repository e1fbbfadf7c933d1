//! What a program stores, proved of its text alone: programs written by hand that leave an element out, or store one twice, are refuted
//! with the smallest such element, and brute force over their points agrees.

use std::collections::BTreeMap;
use std::time::Duration;
use systole_base::integer::{Bindings, name};
use systole_compile::smt::{Verdict, discharge_all};
use systole_program::array;
use systole_program::array::{Comparison, Condition, IndexExpr, Instruction, Program, store_obligations};

/// The exclusive prefix sum as it was once emitted: nobody stores `y(0)`, which is a sum of nothing.
const PREFIX: &str = "(program k (version 1) (parameters N) (array x in (N)) (array y out (N))
  (grid (p0 1 (- N 1)))
  (class pe0 (guard)
    (loop k 0 (- p0 1) (at k) (load x (x k)) (if ((>= k 1)) ((let y (add y x))) ((let y x))) (tick 1))
    (store (y p0) y)))";

/// The same with a PE for the first element.
const WHOLE: &str = "(program k (version 1) (parameters N) (array x in (N)) (array y out (N))
  (grid (p0 0 (- N 1)))
  (class pe0 (guard (= p0 0)) (let y 0.0) (store (y p0) y))
  (class pe1 (guard (>= p0 1))
    (loop k 0 (- p0 1) (at k) (load x (x k)) (if ((>= k 1)) ((let y (add y x))) ((let y x))) (tick 1))
    (store (y p0) y)))";

/// Every second element by one PE, the others by another one.
const HALVES: &str = "(program k (version 1) (parameters N) (array x in (N)) (array y out ((* 2 N)))
  (grid (p0 0 1))
  (class even (guard (= p0 0)) (loop k 0 (- N 1) (load x (x k)) (store (y (* 2 k)) x)))
  (class odd (guard (= p0 1)) (loop k 0 (- N 1) (load x (x k)) (store (y (+ (* 2 k) 1)) x))))";

/// The same of a vector that may end at either: divisions by numbers, and a minimum.
const ENDS: &str = "(program k (version 1) (parameters N) (array x in (N)) (array y out (N))
  (grid (p0 0 1))
  (class even (guard (= p0 0)) (loop k 0 (floor (- N 1) 2) (load x (x k)) (store (y (* 2 k)) x)))
  (class odd (guard (= p0 1)) (loop k 0 (min (floor (- N 2) 2) N) (load x (x k)) (store (y (+ (* 2 k) 1)) x))))";

/// Blocks of three elements of a line: which PE has an element is no linear form of it.
const BLOCKS: &str = "(program k (version 1) (parameters N) (array x in (N)) (array y out (N))
  (grid (p0 0 (floor (- N 1) 3)))
  (class pe0 (guard)
    (loop k (* 3 p0) (min (+ (* 3 p0) 2) (- N 1)) (load x (x k)) (store (y k) x))))";

/// Two phases in one loop, as PEs run them that have several spaces in order: the first makes what the second stores. A phase that is not
/// there is put aside by a product.
const PHASES: &str = "(program k (version 1) (parameters N M) (array x in (M)) (array y out (N))
  (grid (p0 0 0))
  (class pe0 (guard)
    (loop r 0 1
      (loop i (min (- 0 (* (min 0 (* -1 r)) (max 0 M))) (- 0 (* (min 0 (- r 1)) (max 0 M))))
              (max (+ (- M 1) (* (min 0 (* -1 r)) (max 0 (+ M N)))) (+ (- N 1) (* (min 0 (- r 1)) (max 0 (+ M N)))))
        (if ((<= i (- M 1)) (<= r 0)) ((load x (x i))) ())
        (if ((>= i 0) (<= i (- N 1)) (>= r 1)) ((store (y i) x)) ())))))";

/// Two spaces by turns: in even steps one element of `y`, in odd ones nothing that is stored.
const TURNS: &str = "(program k (version 1) (parameters N) (array x in (N)) (array y out (N))
  (grid (p0 0 0))
  (class pe0 (guard)
    (loop t p0 (- (* 2 N) 1)
      (if ((= (mod t 2) 0) (<= (floor t 2) (- N 1))) ((load x (x (floor t 2))) (store (y (floor t 2)) x)) ())
      (if ((= (mod t 2) 1)) ((tick 1)) ()))))";

fn program(text: &str) -> Program {
    array::parse("test.pe", text).unwrap_or_else(|problems| panic!("{problems:?} in {text}"))
}

/// The verdicts on `element-cover` and `element-apart`, with counterexamples.
fn verdicts(text: &str) -> Vec<(&'static str, Option<String>)> {
    let (obligations, left) = store_obligations(&program(text));
    assert!(left.is_empty(), "{left:?}");
    let proofs = discharge_all(&obligations, Duration::from_secs(60)).into_iter();
    let verdict = |proof: systole_compile::smt::Discharged| match proof.verdict {
        Verdict::Proved => (proof.obligation.kind.keyword(), None),
        Verdict::Refuted(example) => (proof.obligation.kind.keyword(), Some(example.to_string())),
        Verdict::Unknown(why) => panic!("{why}"),
    };
    proofs.map(verdict).collect()
}

#[test]
fn the_old_program_of_a_prefix_sum_is_refuted_and_its_twin_is_proved() {
    let found = verdicts(PREFIX);
    assert_eq!(found, [("element-cover", Some("N = 1, i = 0".to_owned())), ("element-apart", None)]);
    assert_eq!(verdicts(WHOLE), [("element-cover", None), ("element-apart", None)]);
}

#[test]
fn strides_minima_and_divisions_are_followed() {
    for text in [HALVES, ENDS] {
        assert_eq!(verdicts(text), [("element-cover", None), ("element-apart", None)]);
    }
    let cases = [
        (HALVES.replace("(+ (* 2 k) 1)", "(+ (* 2 k) 2)"), [true, true]),
        (HALVES.replace("(guard (= p0 1)) (loop k 0", "(guard (= p0 1)) (loop k 1"), [true, false]),
        (ENDS.replace("(floor (- N 1) 2)", "(floor (- N 2) 2)"), [true, false]),
        (ENDS.replace("(floor (- N 2) 2)", "(ceil (- N 1) 2)"), [false, false]),
        (ENDS.replace("(floor (- N 2) 2)", "(ceil (- N 3) 2)"), [false, false]),
        (ENDS.replace("(floor (- N 2) 2)", "(ceil (- N 4) 2)"), [true, false]),
        (ENDS.replace("(+ (* 2 k) 1)", "(* 2 k)"), [true, true]),
    ];
    for (text, refuted) in cases {
        let found: Vec<bool> = verdicts(&text).into_iter().map(|(_, example)| example.is_some()).collect();
        assert_eq!(found, refuted, "{text}");
    }
}

/// Where a remainder is known what is divided is a multiple of the quotient.
#[test]
fn spaces_by_turns_store_in_their_own_steps() {
    assert_eq!(verdicts(TURNS), [("element-cover", None), ("element-apart", None)]);
    let cases = [
        (TURNS.replace("(= (mod t 2) 0) (<=", "(= (mod t 2) 1) (<="), [false, false]),
        (TURNS.replace("(- (* 2 N) 1)\n", "(- (* 2 N) 3)\n"), [true, false]),
        (
            TURNS.replace("(= (mod t 2) 0) (<=", "(= (mod t 3) 0) (<=").replace("(floor t 2)", "(floor t 3)"),
            [true, false],
        ),
        (TURNS.replace("((tick 1))", "((let x 0.0) (store (y (floor t 2)) x))"), [false, true]),
    ];
    for (text, refuted) in cases {
        let found: Vec<bool> = verdicts(&text).into_iter().map(|(_, example)| example.is_some()).collect();
        assert_eq!(found, refuted, "{text}");
    }
    // Divided by another number than the remainder speaks of, and in a branch that is for the other remainders.
    let silent = [
        TURNS.replace("(y (floor t 2))", "(y (floor t 3))"),
        TURNS.replace("((tick 1)) ()", "((tick 1)) ((load x (x (floor t 2))) (store (y (floor t 2)) x))"),
    ];
    for text in silent {
        let (obligations, left) = store_obligations(&program(&text));
        assert_eq!((obligations.len(), left.len()), (0, 1), "{text}");
    }
}

/// The bounds of a loop over phases follow from the conditions of a phase, and where they do not nothing is said.
#[test]
fn a_loop_over_phases_stores_what_its_phases_store() {
    assert_eq!(verdicts(PHASES), [("element-cover", None), ("element-apart", None)]);
    let cases = [
        (PHASES.replace("((>= i 0) (<= i (- N 1))", "((>= i 1) (<= i (- N 1))"), [true, false]),
        (PHASES.replace("((store (y i) x))", "((store (y i) x) (store (y i) x))"), [false, true]),
    ];
    for (text, refuted) in cases {
        let found: Vec<bool> = verdicts(&text).into_iter().map(|(_, example)| example.is_some()).collect();
        assert_eq!(found, refuted, "{text}");
    }
    let silent = [
        // The last phase ends before the last element.
        PHASES.replace("(+ (- N 1) (* (min 0 (- r 1))", "(+ (- N 2) (* (min 0 (- r 1))"),
        // The store is in no phase.
        PHASES.replace("(>= r 1)) ((store", "(>= r 0)) ((store"),
        // What puts a phase aside is not 0 within it.
        PHASES.replace("(+ (- N 1) (* (min 0 (- r 1))", "(+ (- N 1) (* (min -1 (- r 1))"),
    ];
    for text in silent {
        let (obligations, left) = store_obligations(&program(&text));
        assert_eq!((obligations.len(), left.len()), (0, 1), "{text}");
    }
}

/// Where the point is no linear form of the element, and where one `store` runs twice at an element, nothing can be said.
#[test]
fn a_store_whose_point_the_element_does_not_fix_is_left_to_each_run() {
    let again = WHOLE.replace("(let y 0.0) (store (y p0) y)", "(let y 0.0) (loop r 0 1 (store (y p0) y))");
    for text in [&again, BLOCKS] {
        let (obligations, left) = store_obligations(&program(text));
        assert_eq!((obligations.len(), left.len()), (0, 1), "{text}");
    }
}

/// Every element that these programs store, by going through all their points.
#[test]
fn brute_force_finds_what_the_solver_finds() {
    let mutated = [
        (PREFIX.to_owned(), 1),
        (WHOLE.to_owned(), 1),
        (HALVES.to_owned(), 2),
        (HALVES.replace("(+ (* 2 k) 1)", "(+ (* 2 k) 2)"), 2),
        (ENDS.to_owned(), 1),
        (ENDS.replace("(floor (- N 2) 2)", "(ceil (- N 1) 2)"), 1),
        (ENDS.replace("(floor (- N 2) 2)", "(ceil (- N 3) 2)"), 1),
        (ENDS.replace("(floor (- N 2) 2)", "(ceil (- N 4) 2)"), 1),
        (WHOLE.replace("(grid (p0 0 (- N 1)))", "(grid (p0 0 N))"), 1),
    ];
    for (text, extent) in mutated {
        let parsed = program(&text);
        let (mut covered, mut apart) = (true, true);
        for size in 1..=7 {
            let mut sizes = Bindings::new();
            sizes.insert(name("N"), size);
            let counts = stored(&parsed, &sizes);
            covered &= (0..size * extent).all(|element| counts.get(&element).is_some_and(|count| *count > 0));
            apart &= (0..size * extent).all(|element| counts.get(&element).is_none_or(|count| *count < 2));
        }
        let found: Vec<bool> = verdicts(&text).into_iter().map(|(_, example)| example.is_none()).collect();
        assert_eq!(found, [covered, apart], "{text}");
    }
}

/// How often each element of the one output, a vector, is stored.
fn stored(program: &Program, sizes: &Bindings) -> BTreeMap<i64, usize> {
    let mut counts = BTreeMap::new();
    let side = &program.grid[0];
    let (first, last) = (value(&side.first, sizes), value(&side.last, sizes));
    for pe in first..=last {
        let mut here = sizes.clone();
        here.insert(side.name.clone(), pe);
        for class in program.classes.iter().filter(|class| class.guard.iter().all(|test| holds(test, &here))) {
            run(&class.body, &here, &mut counts);
        }
    }
    counts
}

fn run(body: &[Instruction], here: &Bindings, counts: &mut BTreeMap<i64, usize>) {
    for instruction in body {
        match instruction {
            Instruction::Loop { index, first, last, body } => {
                for round in value(first, here)..=value(last, here) {
                    let mut inside = here.clone();
                    inside.insert(index.clone(), round);
                    run(body, &inside, counts);
                }
            }
            Instruction::If { conditions, then, otherwise } => {
                let all = conditions.iter().all(|test| holds(test, here));
                run(if all { then } else { otherwise }, here, counts);
            }
            Instruction::Store(_, subscripts, _) => *counts.entry(value(&subscripts[0], here)).or_default() += 1,
            _ => {}
        }
    }
}

fn value(form: &IndexExpr, here: &Bindings) -> i64 {
    form.evaluate(here).expect("a value")
}

fn holds(test: &Condition, here: &Bindings) -> bool {
    let (left, right) = (value(&test.left, here), value(&test.right, here));
    match test.comparison {
        Comparison::Equal => left == right,
        Comparison::AtLeast => left >= right,
        Comparison::AtMost => left <= right,
    }
}
