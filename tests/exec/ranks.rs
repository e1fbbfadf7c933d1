//! Kernels on ranks: the output files are those of the simulator, byte for byte, for any number of ranks and any distribution.

use super::mpirun;
use super::mpirun::{layout, mpirun};
use super::programs::{LONG, Way, kernels, program, ways};
use super::share::share;
use super::tiles::tiled;
use std::path::Path;
use std::process::Command;
use systole::array::Program;
use systole::recurrence::Role;

/// The first size, the ranks and the fold of a run.
type Run = (i64, usize, &'static str);

/// A ragged size on several ranks, and beside it a small one or one rank. Each kernel takes one of these in its turn, and with the feature
/// `long-tests` all of them: on threads every kernel is distributed in every way.
const RUNS: [&[Run]; 3] = [
    &[(5, 2, "block"), (1, 3, "block")],
    &[(5, 3, "cyclic"), (2, 4, "cyclic")],
    &[(5, 4, "block-cyclic:2"), (5, 1, "block")],
];

/// Sizes from `first` on, each parameter one larger than the one before where the first is larger than 1.
fn sizes(program: &Program, first: i64) -> String {
    let values = (0..).map(|number| if first > 1 { first + number } else { 1 });
    program.parameters.iter().zip(values).map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(",")
}

/// The `--output` flags for all outputs, and the files.
fn outputs(program: &Program, folder: &Path, run: &str) -> (Vec<String>, Vec<String>) {
    let outputs = program.arrays.iter().filter(|array| array.role == Role::Output);
    let files: Vec<(String, String)> = outputs
        .map(|array| (array.name.to_string(), folder.join(format!("{run}-{}.npy", array.name)).display().to_string()))
        .collect();
    let flags = files.iter().flat_map(|(name, path)| ["--output".to_owned(), format!("{name}={path}")]).collect();
    (flags, files.into_iter().map(|(_, path)| path).collect())
}

fn contents(files: &[String]) -> Vec<Vec<u8>> {
    files.iter().map(|path| std::fs::read(path).expect("an output")).collect()
}

fn simulated(path: &str, size: &str, reference: &[&str], flags: &[String]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
    command.args(["sim", path, "--size", size]).args(reference).args(flags);
    let output = command.current_dir(env!("SYSTOLE_ROOT")).output().expect("it starts");
    assert!(output.status.success(), "{path} {size}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Those of the runs that are for the way with this number.
fn turn(runs: &[&[Run]], number: usize) -> Vec<Run> {
    if cfg!(feature = "long-tests") { runs.concat() } else { runs[number % runs.len()].to_vec() }
}

/// Whether the way with this number is run in single precision, too.
fn has_singles(number: usize) -> bool {
    cfg!(feature = "long-tests") || number.is_multiple_of(4)
}

/// The first schedule of a kernel in its runs.
fn hold((number, kernel): (usize, &String)) {
    let way = &ways(kernel)[0];
    // `fir` sums in another order under its other schedules.
    let way = if kernel == "fir" { &ways(kernel)[2] } else { way };
    hold_way(way, &turn(&RUNS, number), true, has_singles(number));
}

/// A program on ranks, against the simulator; and against the equations as they stand where sums run in their order.
fn hold_way(way: &Way, runs: &[Run], is_as_written: bool, has_singles: bool) {
    let (folder, text) = (tempfile::tempdir().expect("a folder"), way.emit());
    let path = folder.path().join("p.pe").display().to_string();
    std::fs::write(&path, &text).expect("written");
    let (program, kernel) = (program(&text), format!("kernels/{}.rec", way.kernel));
    let reference: &[&str] = if is_as_written { &["--reference", &kernel] } else { &[] };
    for (first, ranks, fold) in runs.iter().copied() {
        let size = sizes(&program, first);
        let (flags, expected) = outputs(&program, folder.path(), "sim");
        simulated(&path, &size, reference, &flags);
        let (flags, found) = outputs(&program, folder.path(), "exec");
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let count = ranks.to_string();
        let named = [&path, "--size", &size, "--distribution", fold, "--ranks", &count, "--json"];
        let ran = mpirun(ranks, &[&named[..], layout(ranks, fold), reference, &flags].concat());
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{way:?} {size} on {ranks} {fold}");
        let object = ran.object();
        assert_eq!((&object["backend"], &object["ranks"]), (&"mpi".into(), &ranks.into()));
        assert!(!is_as_written || object["matches_reference"] == true, "{way:?} {size} on {ranks} {fold}");
        assert_eq!(contents(&found), contents(&expected), "{way:?} {size} on {ranks} {fold}");
    }
    if has_singles {
        let (first, ranks, fold) = runs[0];
        hold_singles(way, &path, &sizes(&program, first), (ranks, fold), is_as_written);
    }
}

/// A program on ranks in single precision, against the equations in it.
fn hold_singles(way: &Way, path: &str, size: &str, (ranks, fold): (usize, &str), is_as_written: bool) {
    let kernel = format!("kernels/{}.rec", way.kernel);
    let flags =
        [path, "--size", size, "--distribution", fold, "--reference", &kernel, "--precision", "single", "--json"];
    let ran = mpirun(ranks, &flags);
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{way:?} {size} on {ranks} {fold} in single precision");
    let object = ran.object();
    assert_eq!(object["precision"], "single");
    assert!(!is_as_written || object["rounding"] == 0.0, "{way:?} {size} on {ranks} {fold} in single precision");
}

/// Half of the kernels, or without the feature `long-tests` a quarter, each with its number in it.
fn hold_half(half: usize) {
    let short = kernels().into_iter().filter(|kernel| !LONG.contains(&&**kernel));
    share(short.skip(half).step_by(2), 2).collect::<Vec<_>>().iter().enumerate().for_each(hold);
}

#[test]
fn one_half_of_the_kernels_on_ranks() {
    hold_half(0);
}

#[test]
fn the_other_half_of_the_kernels_on_ranks() {
    hold_half(1);
}

/// Tiled kernels at sizes that do not divide, smaller than the grid of ranks, and 1; with tiles that come back to who sent them.
const TILED_RUNS: [&[Run]; 4] = [
    &[(7, 2, "block"), (1, 3, "block")],
    &[(11, 2, "cyclic"), (7, 4, "block")],
    &[(9, 3, "cyclic"), (7, 1, "block")],
    &[(9, 6, "block-cyclic:2")],
];

/// Half of the tiled kernels, or without the feature `long-tests` a quarter, each with its number in it.
fn hold_half_of_tiled(half: usize) {
    for (number, (way, is_as_written)) in share(tiled().iter().skip(half).step_by(2), 2).enumerate() {
        hold_way(way, &turn(&TILED_RUNS, number), *is_as_written, has_singles(number));
    }
}

#[test]
fn one_half_of_the_tiled_kernels_on_ranks() {
    hold_half_of_tiled(0);
}

#[test]
fn the_other_half_of_the_tiled_kernels_on_ranks() {
    hold_half_of_tiled(1);
}

/// Buses: SUMMA drives each word to a row or a column of PEs.
#[test]
fn buses_cross_ranks() {
    let folder = tempfile::tempdir().expect("a folder");
    let way = ways("matmul").into_iter().find(|way| way.flags.contains(&"summa".to_owned())).expect("a schedule");
    let path = folder.path().join("p.pe").display().to_string();
    std::fs::write(&path, way.emit()).expect("written");
    for (ranks, fold) in [(2, "block"), (3, "cyclic"), (4, "block")] {
        let ran = mpirun(
            ranks,
            &[&path, "--size", "M=5,N=4,K=6", "--distribution", fold, "--reference", "kernels/matmul.rec"],
        );
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(ran.stdout.contains("bit for bit"), "{}", ran.stdout);
    }
}

/// A rank holds what its PEs read and no more. Here the PEs of the first column load rows of A and those of the first row
/// columns of B, so the rank of both holds all of A, 4 x 5, and its half of the columns of B, 5 x 6.
#[test]
fn a_rank_holds_what_its_pes_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("p.pe").display().to_string();
    std::fs::write(&path, ways("matmul")[0].emit()).expect("written");
    for (ranks, held) in [(1, 4 * 5 + 5 * 6), (2, 4 * 5 + 5 * 3), (4, 2 * 5 + 5 * 3)] {
        let ran = mpirun(ranks, &[&path, "--size", "M=4,N=6,K=5", "--json"]);
        let object = ran.object();
        assert_eq!(mpirun::held(&object), held, "{ranks} ranks");
    }
}

/// More messages than receives are posted at a time, in both directions, with packets that are full.
#[test]
fn long_runs_lose_no_message() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("p.pe").display().to_string();
    let text = "(program long (version 1) (parameters N) (array Y out (N 2)) (grid (p 0 1))
        (channel right (offset 1) (latency 1) (depth 700)) (channel left (offset -1) (latency 1) (depth 1))
        (class a (guard (= p 0)) (loop i 0 (- N 1) (let x (index i)) (send right x))
          (loop i 0 (- N 1) (recv y left) (store (Y i 0) y)))
        (class b (guard (= p 1)) (loop i 0 (- N 1) (recv y right) (store (Y i 1) y))
          (loop i 0 (- N 1) (let x (mul 2 (index i))) (send left x))))";
    std::fs::write(&path, text).expect("written");
    let output = folder.path().join("y.npy");
    let ran = mpirun(2, &[&path, "--size", "N=5000", "--output", &format!("Y={}", output.display()), "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let object = ran.object();
    assert_eq!(object["words"], 10_000);
    let found: ndarray::Array2<f64> = ndarray_npy::read_npy(output).expect("an array");
    assert_eq!(
        found,
        ndarray::Array2::from_shape_fn((5000, 2), |(i, side)| if side == 0 { 2.0 * i as f64 } else { i as f64 })
    );
}
