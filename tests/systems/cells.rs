//! Operations that share a step of a PE: the solver's verdicts against brute force, programs against the equations.

use crate::agreement::{checked, refuted};
use crate::common::{Kernel, Line, kernel, shown, written_on};
use systole_base::cell::Cell;
use systole_base::network::Links;
use systole_compile::mapping::{Axis, Design, Fold};
use systole_compile::timing::{PeOrder, no_deadlock_obligations, obligations};
use systole_program::obligation::Kind;
use systole_run::sim::{Settings, simulate};

/// Each element passes through three equations.
const CHAIN: &str = "kernel chain(N)\nin A[N]\nlocal X[N], Y[N]\nout Z[N]\n\
                     X[i] = A[i] + 1\nY[i] = X[i] * 2\nZ[i] = X[i] - Y[i]";

/// What one equation computes of an element the other needs for the next.
const CIRCLE: &str = "kernel circle(N)\nin A[N]\nlocal U[N], V[N]\nout W[N]\n\
                      U[0] = A[0]\nU[i] = V[i - 1] + A[i]   where 1 <= i\nV[i] = U[i] * 2\nW[i] = V[i]";

fn cell(cell: Cell) -> Links {
    Links { cell, ..Links::default() }
}

/// The chain in one step, on a PE for each row of `place`.
fn chain<'a>(kernel: &'a Kernel, place: &str, time: [&str; 3], positions: [usize; 3], moved: &str) -> Design<'a> {
    let handed = [moved];
    let twice = [moved, moved];
    let lines: [Line; 3] = [
        ("X", place, time[0], &["feed"], &[]),
        ("Y", place, time[1], &handed, &[]),
        ("Z", place, time[2], &twice, &[]),
    ];
    let mut design = kernel.design(&lines);
    design.parts.iter_mut().zip(positions).for_each(|(part, position)| part.position = position);
    design
}

/// What is refuted of a design, as brute force finds it too; first of all that is owed, then of the waits without clocks.
fn refutations(design: &Design, links: &Links) -> [Vec<(Kind, String, String)>; 2] {
    let owed = obligations(design, links).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    let waits = no_deadlock_obligations(design, links, None, PeOrder::AsTheyCan).expect("it can be stated");
    [refuted(&checked(&owed, 4)), refuted(&checked(&waits, 4))]
}

fn case(kind: Kind, of: &str, case: &str) -> (Kind, String, String) {
    (kind, of.to_owned(), case.to_owned())
}

#[test]
fn a_chain_runs_in_one_step_of_a_cell() {
    let kernel = kernel(CHAIN);
    for (place, moved) in [("0", "handoff"), ("i", "handoff"), ("0", "local"), ("i", "local")] {
        let design = chain(&kernel, place, ["i"; 3], [0, 1, 2], moved);
        for links in [cell(Cell::All), cell(Cell::Holds(3)), Links { response: 0, ..cell(Cell::All) }] {
            assert_eq!(refutations(&design, &links), [vec![], vec![]], "{place} {moved}");
            let program = written_on(&design, &links).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
            let settings = Settings { response: links.response as u64, ..Settings::default() };
            let outcome = kernel.hold_in_time(&program, &[5], &settings);
            assert_eq!(outcome.cycles, 5, "{place} {moved}");
            assert_eq!(outcome.counters.busy(), 5, "a step that is shared is one cycle of work");
        }
    }
}

/// With one operation a step nothing may share it, whatever the order says.
#[test]
fn a_pe_without_a_cell_does_one_operation() {
    let kernel = kernel(CHAIN);
    let design = chain(&kernel, "0", ["i"; 3], [0, 1, 2], "handoff");
    let pair = |of: &str| case(Kind::PeConflict, of, "N = 1: points (0) and (0)");
    let late = |of: &str| case(Kind::Handoff, of, "N = 1: point (0)");
    let [owed, _] = refutations(&design, &cell(Cell::ONE));
    assert_eq!(owed, [late("X"), late("X"), late("Y"), pair("X, Y"), pair("X, Z"), pair("Y, Z")]);
}

#[test]
fn one_operation_more_than_a_cell_holds_is_refuted() {
    let kernel = kernel(CHAIN);
    let design = chain(&kernel, "0", ["i"; 3], [0, 1, 2], "handoff");
    let [owed, waits] = refutations(&design, &cell(Cell::Holds(2)));
    assert_eq!(owed, [case(Kind::PeConflict, "X, Y, Z", "N = 1: points (0), (0) and (0)")]);
    assert_eq!(waits, []);
    // A step later the last of them has room.
    let later = chain(&kernel, "0", ["i", "i", "i+1"], [0, 1, 2], "handoff");
    let [owed, _] = refutations(&later, &cell(Cell::Holds(2)));
    assert_eq!(owed, [case(Kind::PeConflict, "X, Y, Z", "N = 2: points (1), (1) and (0)")]);
    let slower = chain(&kernel, "0", ["2*i", "2*i", "2*i+1"], [0, 1, 2], "handoff");
    assert_eq!(refutations(&slower, &cell(Cell::Holds(2))), [vec![], vec![]]);
    let program = written_on(&slower, &cell(Cell::Holds(2))).expect("a program");
    assert_eq!(kernel.hold_in_time(&program, &[4], &Settings::default()).cycles, 8);
}

#[test]
fn a_program_that_does_more_in_a_step_than_its_machine_holds_is_reported() {
    let kernel = kernel(CHAIN);
    let design = chain(&kernel, "0", ["i"; 3], [0, 1, 2], "handoff");
    let program = written_on(&design, &cell(Cell::All)).expect("a program");
    let sizes = kernel.sizes(&[3]);
    let run = |cell| simulate(&program, &sizes, &kernel.inputs(&sizes), &Settings { cell, ..Settings::default() });
    assert!(run(None).is_ok() && run(Some(Cell::Holds(3))).is_ok());
    let message = shown(&run(Some(Cell::Holds(2))).expect_err("too many operations"));
    assert!(message.contains("PE (0) does 3 operations in one step, more than its cell holds"), "{message}");
}

/// The order within a step is that of the dataflow, or the reader comes too early.
#[test]
fn a_reader_before_its_giver_is_refuted() {
    let kernel = kernel(CHAIN);
    let design = chain(&kernel, "i", ["i"; 3], [0, 2, 1], "handoff");
    let [owed, waits] = refutations(&design, &cell(Cell::All));
    assert_eq!(owed, [case(Kind::Handoff, "Y", "N = 1: point (0)")]);
    assert_eq!(waits, [case(Kind::NoDeadlock, "Y", "N = 1: point (0)")]);
}

/// Of a circle within a step one side is always too early, in whatever order its equations are.
#[test]
fn a_circle_within_a_step_is_refuted() {
    let kernel = kernel(CIRCLE);
    let design = |times: [&str; 4], positions: [usize; 4]| {
        let lines: [Line; 4] = [
            ("U", "0", times[0], &["feed"], &[]),
            ("U.2", "0", times[1], &["handoff", "feed"], &[]),
            ("V", "0", times[2], &["handoff"], &[]),
            ("W", "0", times[3], &["handoff"], &[]),
        ];
        let mut design = kernel.design(&lines);
        design.parts.iter_mut().zip(positions).for_each(|(part, position)| part.position = position);
        design
    };
    let legal = design(["0", "i", "i", "i"], [0, 0, 1, 2]);
    assert_eq!(refutations(&legal, &cell(Cell::All)), [vec![], vec![]]);
    let program = written_on(&legal, &cell(Cell::All)).expect("a program");
    assert_eq!(kernel.hold_in_time(&program, &[6], &Settings::default()).cycles, 6);
    for positions in [[0, 0, 1, 2], [1, 1, 0, 2]] {
        let [owed, waits] = refutations(&design(["0"; 4], positions), &cell(Cell::All));
        let late = |(kind, _, _): &&(Kind, String, String)| *kind == Kind::Handoff;
        assert!(owed.iter().any(|found| late(&found)), "{owed:?}");
        assert!(!waits.is_empty());
    }
}

/// Folded PEs are one: what each of them does in a step shares it.
#[test]
fn folds_share_steps() {
    let kernel = kernel(CHAIN);
    let fold = Fold::new(vec![Axis { factor: 2, phase: 0 }]);
    let design = Design { fold, ..chain(&kernel, "i", ["i", "i", "i+1"], [0, 1, 2], "handoff") };
    assert_eq!(refutations(&design, &cell(Cell::All)), [vec![], vec![]]);
    let [owed, _] = refutations(&design, &cell(Cell::Holds(2)));
    assert_eq!(owed, [case(Kind::PeConflict, "X, Y, Z", "N = 2: points (1), (1) and (0), b0 = 0")]);
    let program = written_on(&design, &cell(Cell::All)).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    assert_eq!(kernel.hold_in_time(&program, &[5], &Settings::default()).cycles, 6);
}

/// Rounds have steps as well.
#[test]
fn steps_of_rounds_are_shared() {
    let text = "kernel rounds(M, N)\nin A[M, N]\nlocal X[M, N]\nout Z[M, N]\n\
                X[i, j] = A[i, j] + 1\nZ[i, j] = X[i, j] * 2";
    let kernel = kernel(text);
    let lines: [Line; 2] = [("X", "0", "i, j", &["feed"], &[]), ("Z", "0", "i, j", &["handoff"], &[])];
    let mut design = kernel.design(&lines);
    design.parts[1].position = 1;
    assert_eq!(refutations(&design, &cell(Cell::All)), [vec![], vec![]]);
    let program = written_on(&design, &cell(Cell::All)).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    assert_eq!(kernel.hold_in_time(&program, &[3, 4], &Settings::default()).cycles, 12);
    let [owed, _] = refutations(&design, &cell(Cell::ONE));
    assert!(owed.iter().any(|(kind, ..)| *kind == Kind::PeConflict), "{owed:?}");
}
