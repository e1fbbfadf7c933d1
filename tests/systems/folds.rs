//! Folded designs: the obligations of folds against brute force, and their programs against the equations.

use crate::agreement::{self, checked};
use crate::common::{Kernel, Line, kernel, run, shown, written};
use crate::factorisations::CHOLESKY_GRID;
use crate::kernel_texts::{CHOLESKY, EDIT_DISTANCE, TRISOLVE};
use crate::solves::trisolve;
use systole::mapping::{Axis, Fold, Links, SystemDesign};
use systole::sim::Outcome;
use systole::timing::{Kind, system_obligations};

/// The place `i - j` of a triangular solve: neighbours work in turns.
fn diagonal() -> [Line<'static>; 2] {
    trisolve(("i-j", "i+j"), ("0", "2*i"))
}

fn folded<'a>(kernel: &'a Kernel, lines: &[Line], axes: &[(i64, i64)]) -> SystemDesign<'a> {
    let axes = axes.iter().map(|(factor, phase)| Axis { factor: *factor, phase: *phase });
    SystemDesign { fold: Fold::new(axes.collect()), ..kernel.design(lines) }
}

/// The kinds of obligation that are refuted, as they are by brute force.
fn refuted(kernel: &Kernel, lines: &[Line], axes: &[(i64, i64)]) -> Vec<Kind> {
    let largest = if kernel.cut.spaces.len() > 2 { 4 } else { 6 };
    let stated = system_obligations(&folded(kernel, lines, axes), &Links::default()).expect("it can be stated");
    let mut kinds: Vec<Kind> = agreement::refuted(&checked(&stated, largest)).iter().map(|(kind, ..)| *kind).collect();
    kinds.dedup();
    kinds
}

/// The values are those of the equations, and no word travels in other times than in the design that is not folded.
fn hold(kernel: &Kernel, lines: &[Line], axes: &[(i64, i64)], sizes: &[i64]) -> Outcome {
    let program = written(&folded(kernel, lines, axes)).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    let (bindings, plain) = (kernel.sizes(sizes), kernel.hold(lines, sizes));
    assert_eq!(run(&program, &bindings, &kernel.inputs(&bindings)).cycles, plain.cycles);
    kernel.hold_program(&program, sizes)
}

#[test]
fn neighbours_that_work_in_turns_are_one_pe() {
    let solve = kernel(TRISOLVE);
    for phase in [0, 1] {
        assert_eq!(refuted(&solve, &diagonal(), &[(2, phase)]), []);
        for n in [1, 2, 3, 4, 5, 8, 13] {
            let outcome = hold(&solve, &diagonal(), &[(2, phase)], &[n]);
            // The PEs of the map are 0 to n - 1.
            let pes = (n - 1 - phase).div_euclid(2) - (-phase).div_euclid(2) + 1;
            assert_eq!((outcome.cycles as i64, outcome.pes as i64), (2 * n - 1, pes), "N = {n}, phase {phase}");
        }
    }
}

/// The twins: one PE more in a block, and PEs that work in every step.
#[test]
fn pes_that_work_at_one_time_are_not_one() {
    let solve = kernel(TRISOLVE);
    assert_eq!(refuted(&solve, &diagonal(), &[(3, 0)]), [Kind::PeConflict]);
    assert_eq!(refuted(&solve, &trisolve(("i", "i+j"), ("i", "2*i")), &[(2, 0)]), [Kind::PeConflict]);
}

/// A time that is twice as slow, less the place, leaves each of two neighbours every second step.
#[test]
fn an_axis_of_a_grid_is_folded() {
    let factor = kernel(CHOLESKY);
    let slow: &[Line] = &[
        ("L", "i, i", "7*i", &["feed", "handoff"], &[]),
        ("L.sum.2", "i, j", "3*i+2*j+2*k", &["stream j", "stream i"], &["k"]),
        ("L.2", "i, j", "3*i+4*j", &["feed", "handoff", "stream i"], &[]),
    ];
    assert_eq!(refuted(&factor, CHOLESKY_GRID, &[(2, 0), (1, 0)]), [Kind::PeConflict]);
    for axes in [[(2, 0), (1, 0)], [(2, 1), (1, 0)]] {
        assert_eq!(refuted(&factor, slow, &axes), [], "{axes:?}");
        for n in [1, 2, 3, 6] {
            hold(&factor, slow, &axes, &[n]);
        }
    }
}

#[test]
fn words_between_strings_stay_within_a_block_or_cross_its_side() {
    let edit = kernel(EDIT_DISTANCE);
    let names: Vec<&str> = edit.cut.spaces.iter().map(|space| &*space.name).collect();
    assert_eq!(names, ["D"]);
    let lines: [Line; 1] = [("D", "i", "i+2*j", &["handoff", "prefetch", "stream i", "handoff", "handoff"], &[])];
    assert_eq!(refuted(&edit, &lines, &[(2, 0)]), []);
    for sizes in [[1, 1], [1, 4], [4, 1], [5, 3], [2, 7]] {
        hold(&edit, &lines, &[(2, 1)], &sizes);
    }
}

/// A word that moves by three PEs would move by two, or one, of PEs folded in pairs.
#[test]
fn words_that_would_need_links_over_several_pes_are_refused() {
    let chain = kernel(
        "kernel chain(N)\nin A[N + 3]\nout X[N + 3]\nX[i] = A[i] where i <= 2\nX[i] = X[i - 3] + A[i] where i >= 3",
    );
    let lines: [Line; 2] = [("X", "i", "2*i", &["feed"], &[]), ("X.2", "i", "2*i", &["handoff", "feed"], &[])];
    let state = |axes: &[(i64, i64)]| system_obligations(&folded(&chain, &lines, axes), &Links::default()).map(|_| ());
    assert!(state(&[(3, 0)]).is_ok());
    let problems = state(&[(2, 0)]).expect_err("two PEs at once");
    assert!(shown(&problems).contains("`X` would move by several PEs at once"), "{}", shown(&problems));
}

#[test]
fn a_bus_along_a_folded_axis_is_refused() {
    let product = kernel("kernel product(M, N)\nin A[M, N], x[N]\nout y[M]\ny[i] = sum(j in 0..N) A[i, j] * x[j]");
    let lines: [Line; 1] = [("y.sum", "i, j", "2*j", &["feed", "broadcast i"], &["j"])];
    let state =
        |axes: &[(i64, i64)]| system_obligations(&folded(&product, &lines, axes), &Links::default()).map(|_| ());
    assert!(state(&[(1, 0), (2, 0)]).is_ok());
    let problems = state(&[(2, 0), (1, 0)]).expect_err("a bus along the first axis");
    assert!(shown(&problems).contains("the bus of `x` runs along a folded axis"), "{}", shown(&problems));
}
