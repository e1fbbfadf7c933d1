//! Programs over tiles on ranks: the bits of direct loops, with tiles that take the eager way of MPI and tiles that do not.

use super::mpirun;
use super::mpirun::{Ran, layout, mpirun};
use super::share::share;
use super::tiled::programs::{Case, DEADLOCK, FAULTY_SIZES, MOVING, STATIONARY, cases, product, with_tiles};
use serde_json::Value;
use std::path::Path;
use systole::shared::npy;

/// Ranks and distribution of the runs of a case, in turn.
const RUNS: [(usize, &str); 5] = [(1, "block"), (2, "block"), (3, "cyclic"), (4, "block-cyclic:2"), (6, "cyclic")];

/// Runs the text of a case; the outputs, where there are some, are files in the folder.
fn start(case: &Case, text: &str, folder: &Path, run: (usize, &str)) -> Ran {
    start_with(case, text, folder, run, &[])
}

/// The same with more flags.
fn start_with(case: &Case, text: &str, folder: &Path, (ranks, distribution): (usize, &str), more: &[&str]) -> Ran {
    let path = |name: &str| folder.join(name).display().to_string();
    std::fs::write(path("p.pe"), text).expect("written");
    let size: Vec<String> = case.sizes.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let mut flags = vec![path("p.pe"), "--size".to_owned(), size.join(","), "--json".to_owned()];
    flags.extend(
        ["--distribution", distribution].iter().chain(layout(ranks, distribution)).map(|flag| (*flag).to_owned()),
    );
    for (name, array) in &case.inputs {
        npy::write(Path::new(&path(name)), array).expect("written");
        flags.extend(["--input".to_owned(), format!("{name}={}", path(name))]);
    }
    flags.extend(case.outputs.keys().flat_map(|name| ["--output".to_owned(), format!("{name}={}", path(name))]));
    mpirun(ranks, &flags.iter().map(String::as_str).chain(more.iter().copied()).collect::<Vec<_>>())
}

/// Holds a case to its outputs, bit for bit; gives what was counted.
fn hold(case: &Case, text: &str, run: (usize, &str)) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = start(case, text, folder.path(), run);
    assert_eq!(ran.code, Some(0), "{:?} {run:?}: {}", case.sizes, ran.stderr);
    for (name, expected) in &case.outputs {
        let found = npy::read(&folder.path().join(&**name), Some(expected.shape())).expect("an array");
        let same = found.iter().zip(expected).all(|(a, b)| a.to_bits() == b.to_bits());
        assert!(same, "{name} at {:?} on {run:?}", case.sizes);
    }
    ran.object()
}

#[test]
fn every_program_at_every_size_on_ranks() {
    for (number, case) in share(cases().iter().enumerate(), 3) {
        hold(case, case.text, RUNS[number / 4 % RUNS.len()]);
    }
}

/// Every other of the runs from the first or the second on; with the feature `long-tests` all of them.
fn every_other(first: usize) -> impl Iterator<Item = (usize, &'static str)> {
    let is_taken = move |number: usize| cfg!(feature = "long-tests") || number % 2 == first;
    RUNS.into_iter().enumerate().filter(move |(number, _)| is_taken(*number)).map(|(_, run)| run)
}

/// Tiles of 1200 to 2000 elements, 10 to 16 kB, ragged in every dimension.
#[test]
fn tiles_that_wait_for_their_receiver() {
    for (number, text) in [STATIONARY, MOVING].into_iter().enumerate() {
        let (case, text) = (product(text, [95, 110, 70]), with_tiles(text, [40, 50, 30]));
        for run in every_other(number) {
            let object = hold(&case, &text, run);
            // Two operations a term, summed over the ranks.
            assert_eq!((&object["calls"], &object["applied"]), (&27.into(), &(2 * 95 * 110 * 70).into()), "{run:?}");
        }
    }
}

/// What is held is counted in elements: all of A, 5 x 9, and the columns of B, 9 x 7, of the tiles of one rank.
#[test]
fn a_rank_holds_the_tiles_that_its_pes_read() {
    let case = product(STATIONARY, FAULTY_SIZES);
    for (run, held) in [((1, "block"), 5 * 9 + 9 * 7), ((2, "block"), 5 * 9 + 9 * 6)] {
        assert_eq!(mpirun::held(&hold(&case, STATIONARY, run)), held, "{run:?}");
    }
}

#[test]
fn a_deadlock_and_a_fault_end_all_ranks() {
    let case = product(STATIONARY, FAULTY_SIZES);
    let refused = |first: usize, text: &str, part: &str| {
        for run in every_other(first) {
            let folder = tempfile::tempdir().expect("a folder");
            let ran = start(&case, text, folder.path(), run);
            assert_eq!(ran.code, Some(1), "{run:?}: {}", ran.stderr);
            assert_eq!(ran.stderr.matches(part).count(), 1, "no single `{part}` in {}", ran.stderr);
            assert!(!folder.path().join("C").exists(), "{run:?}");
        }
    };
    refused(0, &STATIONARY.replace(DEADLOCK.0, DEADLOCK.1), "deadlock: 6 PEs wait and none can go on");
    // At p = 0 alone: whichever rank is the first to stumble ends all, and there each misses the same.
    let faulty = "(if ((>= p 1)) ((store (C p q) C)) ((store (C p q) A)))";
    refused(1, &STATIONARY.replace("(store (C p q) C)", faulty), "has a tile of 2 elements where one of 6 is needed");
    refused(
        0,
        &STATIONARY.replace("(store (C p q) C)", "(if ((>= p 1)) ((store (C p q) C)) ())"),
        "tile `C(0, 0)` of output `C` is never stored",
    );
}

/// Each run stores anew; bits and counts are those of one run.
#[test]
fn runs_that_are_repeated_give_what_one_gives() {
    let (case, text) = (product(STATIONARY, [9, 7, 5]), with_tiles(STATIONARY, [4, 4, 4]));
    let once = hold(&case, &text, (2, "block"));
    let folder = tempfile::tempdir().expect("a folder");
    let more = start_with(&case, &text, folder.path(), (2, "block"), &["--repeat", "3"]);
    let thrice = more.object();
    assert_eq!(thrice["runs"].as_array().map(Vec::len), Some(3));
    for key in ["applied", "calls", "words", "operations"] {
        assert_eq!(thrice[key], once[key], "{key}");
    }
    for (name, expected) in &case.outputs {
        let found = npy::read(&folder.path().join(&**name), Some(expected.shape())).expect("an array");
        assert!(found.iter().zip(expected).all(|(a, b)| a.to_bits() == b.to_bits()), "{name}");
    }
    let refused = start_with(&case, &text, folder.path(), (2, "block"), &["--grid", "3"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("do not fit"), "{}", refused.stderr);
}
