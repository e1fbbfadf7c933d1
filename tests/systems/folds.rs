//! Folded designs: the obligations of folds against brute force, and their programs against the equations.

use crate::agreement;
use crate::agreement::checked;
use crate::common::{Kernel, Line, kernel, run, shown, written};
use crate::factorisations::CHOLESKY_GRID;
use crate::kernel_texts::{CHOLESKY, EDIT_DISTANCE, TRISOLVE};
use crate::solves::trisolve;
use systole_base::integer::Bindings;
use systole_base::network::Links;
use systole_compile::mapping::{Axis, Design, Fold};
use systole_compile::timing::obligations;
use systole_program::obligation::Kind;
use systole_run::sim::Outcome;

/// The place `i - j` of a triangular solve: neighbours work in turns.
fn diagonal() -> [Line<'static>; 2] {
    trisolve(("i-j", "i+j"), ("0", "2*i"))
}

fn folded<'a>(kernel: &'a Kernel, lines: &[Line], axes: &[(i64, i64)]) -> Design<'a> {
    let axes = axes.iter().map(|(factor, phase)| Axis { factor: *factor, phase: *phase });
    Design { fold: Fold::new(axes.collect()), ..kernel.design(lines) }
}

/// The kinds of obligation that are refuted, as they are by brute force.
fn refuted(kernel: &Kernel, lines: &[Line], axes: &[(i64, i64)]) -> Vec<Kind> {
    let largest = if kernel.cut.spaces.len() > 2 { 4 } else { 6 };
    let stated = obligations(&folded(kernel, lines, axes), &Links::default()).expect("it can be stated");
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
    let state = |axes: &[(i64, i64)]| obligations(&folded(&chain, &lines, axes), &Links::default()).map(|_| ());
    assert!(state(&[(3, 0)]).is_ok());
    let problems = state(&[(2, 0)]).expect_err("two PEs at once");
    assert!(shown(&problems).contains("`X` would move by several PEs at once"), "{}", shown(&problems));
}

#[test]
fn a_bus_along_a_folded_axis_is_refused() {
    let product = kernel("kernel product(M, N)\nin A[M, N], x[N]\nout y[M]\ny[i] = sum(j in 0..N) A[i, j] * x[j]");
    let lines: [Line; 1] = [("y.sum", "i, j", "2*j", &["feed", "broadcast i"], &["j"])];
    let state = |axes: &[(i64, i64)]| obligations(&folded(&product, &lines, axes), &Links::default()).map(|_| ());
    assert!(state(&[(1, 0), (2, 0)]).is_ok());
    let problems = state(&[(2, 0), (1, 0)]).expect_err("a bus along the first axis");
    assert!(shown(&problems).contains("the bus of `x` runs along a folded axis"), "{}", shown(&problems));
}

/// Two maxima over the same values, the second one of those before the diagonal: it takes them on the diagonal.
const MAXIMA_IN_TURN: &str = "kernel maxima(M)\nin a[M], A[M, M], B[M, M]\nlocal X[M]\nlocal Y[M]\nout Z[M]\n\
    X[i] = a[i] * a[i]\nY[i] = max(k in 0..M) (A[i, k] * X[k])\nZ[i] = max(Y[i], max(k in 0..i) (B[i, k] * X[k]))";

/// All that the second maximum takes from the first goes to every second PE; `place` and `step` are its own.
fn maxima_in_turn<'a>(place: &'a str, step: &'a str) -> [Line<'a>; 4] {
    [
        ("X", "i", "2*i", &["feed"], &[]),
        ("Y.max", "i+k", "2*i-2*k+4*M-3", &["feed", "stream i"], &["-k"]),
        ("Z.max", place, step, &["feed", "stream i"], &["-k"]),
        ("Z", "i-1", "2*i+4*M-1", &["handoff", "handoff"], &[]),
    ]
}

/// For each handoff and each residue the words that get there, point by point.
fn words_to_residues(design: &Design, sizes: &Bindings) -> Vec<u64> {
    let mut words = vec![];
    for handoff in design.handoffs(Links::default().network).expect("handoffs").iter().filter(|h| h.given().is_some()) {
        let (space, part) = (&design.system.spaces[handoff.reader], &design.parts[handoff.reader]);
        let origin: Vec<i64> = part.origin.iter().map(|form| form.evaluate(sizes).expect("a place")).collect();
        let points = handoff.set.intersect(&space.domain.set).points(space.indices(), sizes).expect("bounds");
        let places = points.iter().map(|point| part.map.place.apply(point));
        let places = places.map(|moved| moved.iter().zip(&origin).map(|(entry, from)| entry + from).collect());
        let residues: Vec<Vec<i64>> = places.map(|place: Vec<i64>| design.fold.residue(&place)).collect();
        let count = |to: &Vec<i64>| residues.iter().filter(|residue| *residue == to).count() as u64;
        words.extend(design.fold.residues().iter().map(count));
    }
    words
}

/// Holds that each handoff has a channel to each residue that any of its words gets to, with these words at each size, and
/// that no other channel is declared; how many have no words.
fn hold_words(kernel: &Kernel, lines: &[Line], axes: &[(i64, i64)]) -> usize {
    let design = folded(kernel, lines, axes);
    let runs = (1..=9).map(|size| {
        let channels = hold(kernel, lines, axes, &[size]).counters.channels;
        assert!(channels.iter().all(|channel| channel.undelivered == 0), "at {size}");
        let between = channels.iter().filter(|channel| channel.name.contains("-to-"));
        let sent: Vec<u64> = between.map(|channel| channel.words).collect();
        (sent, words_to_residues(&design, &kernel.sizes(&[size])))
    });
    let (sent, counted): (Vec<_>, Vec<_>) = runs.unzip();
    let ways = counted[0].len();
    let used: Vec<usize> = (0..ways).filter(|way| counted.iter().any(|words| words[*way] > 0)).collect();
    let counted: Vec<Vec<u64>> = counted.iter().map(|words| used.iter().map(|way| words[*way]).collect()).collect();
    assert_eq!(sent, counted);
    ways - used.len()
}

#[test]
fn handoffs_have_channels_to_the_residues_where_someone_reads() {
    let maxima = kernel(MAXIMA_IN_TURN);
    for second in ["i+k-1", "i+k"] {
        for phase in [0, 1] {
            let lines = maxima_in_turn(second, "2*i-2*k+4*M-2");
            assert_eq!(refuted(&maxima, &lines, &[(2, phase)]), [], "{second}, phase {phase}");
            assert_eq!(hold_words(&maxima, &lines, &[(2, phase)]), 1, "{second}, phase {phase}");
        }
    }
}

/// The twins: the second maximum a step earlier, which is when the first one runs, and one PE more in a block.
#[test]
fn maxima_at_one_time_are_not_on_one_pe() {
    let maxima = kernel(MAXIMA_IN_TURN);
    let early = maxima_in_turn("i+k-1", "2*i-2*k+4*M-3");
    assert!(refuted(&maxima, &early, &[(2, 0)]).contains(&Kind::PeConflict));
    let lines = maxima_in_turn("i+k-1", "2*i-2*k+4*M-2");
    assert_eq!(refuted(&maxima, &lines, &[(3, 0)]), [Kind::PeConflict]);
}
