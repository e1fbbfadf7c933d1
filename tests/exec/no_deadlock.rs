//! Whose waits are proved to be for something earlier has no circle of waits, at the depths of the program and at others, and does not
//! deadlock; a worker that runs its PEs one after the other does.

use super::programs::{LONG, Way, kernels, program, settings, shown, sizes, ways};
use super::wait_graph::stands_still;
use std::path::{Path, PathBuf};
use std::process::Command;
use systole::array::{Program, Tensors, compile};
use systole::exec::{Owners, Settings, execute};
use systole::integer::Bindings;
use systole::recurrence::Distribution;

/// The sizes of the parameters, in their order.
const SIZES: [[i64; 4]; 4] = [[5, 7, 4, 3], [1, 1, 1, 1], [2, 1, 3, 1], [3, 4, 2, 5]];

/// Tiles, with the size of which they are made.
const TILED: [(&str, &[&str]); 6] = [
    ("matmul", &["--tile", "i=4,j=4,k=4", "--schedule", "cannon"]),
    ("matmul", &["--tile", "i=4,j=4,k=4", "--schedule", "summa"]),
    ("trsm", &["--tile", "r=4,i=3", "--schedule", "grid"]),
    ("cholesky", &["--tile", "i=4", "--schedule", "grid"]),
    ("smith_waterman", &["--tile", "i=4,j=3"]),
    ("jacobi2d", &["--tile", "i=4,j=3", "--schedule", "cells"]),
];

/// The verdicts of `prove --distribution` on the waits, with a claim about the depth of channels or without.
fn verdicts(kernel: &Path, flags: &[String], depth: Option<u64>) -> Vec<bool> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
    command.arg("prove").arg(kernel).args(flags).args(["--distribution", "cyclic", "--json"]);
    depth.iter().for_each(|depth| _ = command.args(["--depth", &depth.to_string()]));
    let output = command.current_dir(env!("SYSTOLE_ROOT")).output().expect("the program starts");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let waits = found["obligations"].as_array().expect("a list").iter().filter(|one| one["kind"] == "no-deadlock");
    let verdict = |one: &serde_json::Value| match one["result"].as_str() {
        Some("proved") => true,
        Some("refuted") => false,
        other => panic!("{kernel:?} {flags:?}: {other:?}"),
    };
    waits.map(verdict).collect()
}

fn bindings(program: &Program, sizes: [i64; 4]) -> Bindings {
    assert!(program.parameters.len() <= sizes.len());
    program.parameters.iter().cloned().zip(sizes).collect()
}

/// The claims about the depths of channels for the way with this number: none, and one of three in turn; with the feature `long-tests` all.
fn depths(number: usize) -> Vec<Option<u64>> {
    let all = [Some(1), Some(2), Some(3)];
    let claimed = if cfg!(feature = "long-tests") { &all[..] } else { &all[number % 3..=number % 3] };
    [&[None], claimed].concat()
}

/// Holds the proofs of a design to the graph of its program, and says how many claims about depths are proved, and refuted.
fn hold((number, way): (usize, &Way)) -> [usize; 2] {
    let (program, kernel) = (program(&way.emit()), PathBuf::from(format!("kernels/{}.rec", way.kernel)));
    let mut counts = [0; 2];
    for depth in depths(number) {
        let verdicts = verdicts(&kernel, &way.flags, depth);
        let is_proved = verdicts.iter().all(|proved| *proved);
        assert!(is_proved || depth.is_some(), "{way:?} at its own depths");
        assert!(verdicts.len() >= 2 * program.channels.len() / residues(way), "{way:?} owes two for a channel");
        if is_proved {
            let mut stuck =
                SIZES.iter().filter(|sizes| stands_still(&program, &bindings(&program, **sizes), depth, None));
            assert_eq!(stuck.next(), None, "{way:?} with {depth:?}");
        }
        counts[usize::from(!is_proved)] += 1;
    }
    counts
}

/// A folded program has channels for each residue of a block.
fn residues(way: &Way) -> usize {
    if way.flags.iter().any(|flag| flag == "folded") { 2 } else { 1 }
}

fn hold_all(ways: &[Way]) -> [usize; 2] {
    ways.iter()
        .enumerate()
        .map(hold)
        .fold([0; 2], |[proved, refuted], [more, others]| [proved + more, refuted + others])
}

/// Half of the kernels each, so that they run side by side.
fn half(number: usize) -> Vec<Way> {
    let short = kernels().into_iter().filter(|kernel| !LONG.contains(&&**kernel));
    short.skip(number).step_by(2).flat_map(|kernel| ways(&kernel)).collect()
}

#[test]
fn one_half_of_the_kernels() {
    let ([proved, refuted], least) = (hold_all(&half(0)), if cfg!(feature = "long-tests") { [60, 2] } else { [40, 1] });
    assert!(proved >= least[0] && refuted >= least[1], "{proved} {refuted}");
}

#[test]
fn the_other_half_of_the_kernels() {
    let ([proved, refuted], least) = (hold_all(&half(1)), if cfg!(feature = "long-tests") { [60, 2] } else { [55, 3] });
    assert!(proved >= least[0] && refuted >= least[1], "{proved} {refuted}");
}

#[test]
fn kernels_over_tiles() {
    let way = |(kernel, flags): &(&str, &[&str])| Way {
        kernel: (*kernel).to_owned(),
        flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
    };
    hold_all(&TILED.iter().map(way).collect::<Vec<_>>());
}

/// Row i reads the row above at the same column, and three columns back: while a word waits, the next two must go out.
const FAR: &str = "kernel far(M, N)
in A[M, N]
out H[M, N]
H[i, j] = A[i, j] where i < 1
H[i, j] = A[i, j] + H[i - 1, j] where i >= 1, j < 3
H[i, j] = A[i, j] + H[i - 1, j] + H[i - 1, j - 3] where i >= 1, j >= 3
schedule row
place (i)   time i + j
";

/// What is refuted may run, as with 3 slots, where one word leaves before the other in a step; what deadlocks is refuted.
#[test]
fn fewer_slots_than_are_needed_are_refuted_and_deadlock() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("far.rec");
    std::fs::write(&path, FAR).expect("written");
    let way = ["--schedule", "row"].map(str::to_owned);
    let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
    let output = command.arg("emit").arg(&path).args(&way).output().expect("the program starts");
    let (program, sizes) = (program(&String::from_utf8(output.stdout).expect("text")), sizes(&[("M", 3), ("N", 8)]));
    let inputs = Tensors::from([(systole::integer::name("A"), super::programs::filled(1, &[3, 8]))]);
    let deadlocks = |slots: u64| {
        let run = |settings: Settings| {
            let settings = Settings { capacity: Some(slots), ..settings };
            let execution = execute(&program, &sizes, &inputs, &settings);
            execution.unwrap_or_else(|faults| panic!("{}", shown(&faults))).deadlock.is_some()
        };
        let found: Vec<bool> = settings().into_iter().map(run).collect();
        assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "whoever owns which PE");
        found[0]
    };
    let found = [1, 2, 3, 4].map(|slots| {
        let is_proved = verdicts(&path, &way, Some(slots)).iter().all(|proved| *proved);
        [!is_proved, stands_still(&program, &sizes, Some(slots), None), deadlocks(slots)]
    });
    assert_eq!(found, [[true, true, true], [true, true, true], [true, false, false], [false, false, false]]);
    assert!(verdicts(&path, &way, None).iter().all(|proved| *proved));
}

/// At the sizes of the smallest counterexample, M = 1, N = 2, K = 3, and beyond; coroutines run at all sizes.
#[test]
fn workers_that_run_their_pes_one_after_the_other_stand_still() {
    let way = Way { kernel: "matmul".to_owned(), flags: ["--schedule", "cannon"].map(str::to_owned).to_vec() };
    let program = program(&way.emit());
    let still = |sizes: [i64; 4], workers: usize| {
        let sizes = bindings(&program, sizes);
        let grid = compile(&program, &sizes).expect("a program that compiles").grid;
        assert!(!stands_still(&program, &sizes, None, None));
        stands_still(&program, &sizes, None, Some(&Owners::new(&grid, workers, Distribution::Block)))
    };
    assert!(still([1, 2, 3, 0], 1));
    assert!(!still([1, 2, 2, 0], 1), "there is room for two words");
    assert!(!still([1, 1, 3, 0], 1) && !still([1, 2, 3, 0], 2), "each has a worker of its own");
    assert!(still([4, 4, 9, 0], 1) && still([4, 4, 9, 0], 2) && still([4, 4, 9, 0], 4));
}
