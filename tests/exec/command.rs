//! `systole exec` as a user meets it.

use super::programs::{Way, ways};
use ndarray::ArrayD;
use ndarray_npy::{read_npy, write_npy};
use serde_json::Value;
use std::process::{Command, Output};
use tempfile::TempDir;

/// A folder with the program of a shipped schedule in `p.pe`.
pub struct Emitted {
    pub folder: TempDir,
    pub program: String,
}

impl Emitted {
    /// The program of the first schedule of a kernel.
    pub fn new(kernel: &str) -> Emitted {
        Emitted::by(&ways(kernel)[0])
    }

    /// The program of a shipped kernel, written in this way.
    pub fn by(way: &Way) -> Emitted {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("p.pe").display().to_string();
        std::fs::write(&program, way.emit()).expect("written");
        Emitted { folder, program }
    }

    /// What `systole emit` makes of a file.
    pub fn of(kernel: &str, flags: &[&str]) -> Emitted {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("p.pe").display().to_string();
        let output = systole(&[&["emit", kernel, "-o", &program], flags].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Emitted { folder, program }
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }
}

pub fn systole(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
    command.args(arguments).current_dir(env!("SYSTOLE_ROOT")).env("NO_COLOR", "1");
    command.output().expect("the program starts")
}

pub fn exec(emitted: &Emitted, flags: &[&str]) -> Output {
    systole(&[&["exec", &emitted.program], flags].concat())
}

pub fn refused(emitted: &Emitted, flags: &[&str]) -> String {
    refused_with(1, emitted, flags)
}

/// What is wrong with the command line itself is code 2.
pub fn misused(emitted: &Emitted, flags: &[&str]) -> String {
    refused_with(2, emitted, flags)
}

fn refused_with(code: i32, emitted: &Emitted, flags: &[&str]) -> String {
    let output = exec(emitted, flags);
    assert_eq!(output.status.code(), Some(code), "{flags:?}");
    String::from_utf8(output.stderr).expect("text")
}

#[test]
fn the_object_says_where_it_ran_and_what_was_counted() {
    let emitted = Emitted::new("matmul");
    let flags = ["--size", "M=4,N=6,K=5", "--threads", "2", "--reference", "kernels/matmul.rec", "--json"];
    let output = exec(&emitted, &[&flags[..], &["--distribution", "cyclic"]].concat());
    assert!(output.status.success() && output.stderr.is_empty());
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&found["backend"], &found["ranks"]), (&"threads".into(), &2.into()));
    assert_eq!((&found["pes"], &found["matches_reference"]), (&24.into(), &true.into()));
    // A product for each of 4 x 6 x 5 points, a sum for all but the first of each element.
    assert_eq!(found["operations"], 4 * 6 * 5 + 4 * 6 * 4);
    assert!(found["deadlock"].is_null() && found["seconds"].is_number() && found["gflops"].is_number());
}

/// Words between workers: A crosses each border of columns, B each border of rows, K words a PE.
#[test]
fn the_words_between_workers_are_those_of_the_channels_that_are_cut() {
    let emitted = Emitted::new("matmul");
    let words = |threads: &str, fold: &str| {
        let flags = ["--size", "M=4,N=6,K=5", "--json", "--threads", threads, "--distribution", fold];
        let found: Value = serde_json::from_slice(&exec(&emitted, &flags).stdout).expect("JSON");
        found["words"].as_u64()
    };
    assert_eq!(words("1", "block"), Some(0));
    assert_eq!(words("2", "block"), Some(4 * 5));
    assert_eq!(words("2", "cyclic"), Some(6 * 3 * 5));
    assert_eq!(words("2", "block-cyclic:2"), Some(6 * 5));
}

#[test]
fn arrays_are_read_and_written_and_the_seed_fills_as_for_the_simulator() {
    let emitted = Emitted::new("matmul");
    let (a, one, other) = (emitted.path("a.npy"), emitted.path("one.npy"), emitted.path("other.npy"));
    write_npy(&a, &ArrayD::from_elem(vec![2, 3], 0.25)).expect("written");
    let flags = ["--size", "M=2,N=2,K=3", "--seed", "9", "--input", &format!("A={a}"), "--output"].map(str::to_owned);
    for (command, path, more) in [("sim", &one, &[][..]), ("exec", &other, &["--backend", "threads"][..])] {
        let target = format!("C={path}");
        let flags: Vec<&str> = flags.iter().map(String::as_str).chain([&*target]).collect();
        assert!(systole(&[&[command, &emitted.program], &flags[..], more].concat()).status.success());
    }
    let [one, other] = [one, other].map(|path| read_npy::<_, ArrayD<f64>>(path).expect("an array"));
    assert_eq!(one, other);
}

#[test]
fn a_text_that_was_changed_runs_with_a_warning() {
    let emitted = Emitted::new("matmul");
    let text = std::fs::read_to_string(&emitted.program).expect("a program");
    std::fs::write(&emitted.program, text.replace("(mul A B)", "(mul B A)")).expect("written");
    let output = exec(&emitted, &["--size", "M=2,N=2,K=2"]);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("is not the text that was proved"));
}

#[test]
fn a_run_that_deadlocks_writes_nothing() {
    let emitted = Emitted::new("matmul");
    let text = std::fs::read_to_string(&emitted.program).expect("a program");
    std::fs::write(&emitted.program, text.replacen("(send A-link A)", "", 1)).expect("written");
    let output = emitted.path("c.npy");
    let message = refused(&emitted, &["--size", "M=3,N=3,K=3", "--threads", "2", "--output", &format!("C={output}")]);
    assert!(message.contains("PE (0, 1) waits on `A-link`, which is empty"), "{message}");
    assert!(!std::path::Path::new(&output).exists());
}

#[test]
fn a_reference_that_means_something_else_is_code_1() {
    let emitted = Emitted::new("matmul");
    let other = emitted.path("twice.rec");
    let text = "kernel twice(M, N, K)\nin A[M, K], B[K, N]\nout C[M, N]\nC[i, j] = sum(k) 2 * A[i, k] * B[k, j]\n";
    std::fs::write(&other, text).expect("written");
    let output = exec(&emitted, &["--size", "M=2,N=2,K=2", "--reference", &other]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("DIFFERS"));
}

#[test]
fn flags_that_mean_nothing_are_refused() {
    let emitted = Emitted::new("matmul");
    let refused = |flags: &[&str]| misused(&emitted, &[&["--size", "M=2,N=2,K=2"], flags].concat());
    assert!(refused(&["--backend", "thread"]).contains("did you mean `threads`?"));
    assert!(refused(&["--distribution", "cyclical"]).contains("did you mean `cyclic`?"));
    assert!(refused(&["--distribution", "block-cyclic:0"]).contains("`0` is no number of PEs"));
    assert!(refused(&["--layout", "blok"]).contains("did you mean `block`?"));
    assert!(refused(&["--layout", "block-cyclic:0"]).contains("`0` is no number of words"));
    assert!(refused(&["--order", "turn"]).contains("did you mean `turns`?"));
    assert!(refused(&["--order", "turns:0"]).contains("write --order turns:4"));
    assert!(refused(&["--broadcast", "three"]).contains("did you mean `tree`?"));
    assert!(refused(&["--broadcast", "tree,star"]).contains("there are star, tree, chain"));
    assert!(refused(&["--threads", "0"]).contains("at least 1 worker"));
    assert!(refused(&["--threads", "1025"]).contains("at most 1024 threads, and 1025 are asked for"));
    assert!(refused(&["--threads", "100000000000"]).contains("at most 65536 workers"));
    assert!(refused(&["--capacity", "0"]).contains("at least 1"));
    assert!(refused(&["--memory", "12 apples"]).contains("`12 apples` is no number of bytes"));
    assert!(refused(&["--ranks", "2"]).contains("`--ranks` is for `--backend mpi`"));
}

/// Weights of a filter stay, whose words are three on one of its channels at a time.
#[test]
fn fewer_slots_than_are_proved_are_warned_of() {
    let emitted = Emitted::of("kernels/fir.rec", &["--schedule", "w2"]);
    let told = |slots: &str| {
        let output = exec(&emitted, &["--size", "N=12,K=4", "--threads", "2", "--capacity", slots]);
        assert!(output.status.success());
        String::from_utf8(output.stderr).expect("text")
    };
    let warning = told("2");
    assert!(warning.contains("`x-link` has 2 of the 3 slots") && warning.contains("say `--capacity 3`"), "{warning}");
    assert_eq!(told("3"), "");
}

#[test]
fn a_program_runs_as_often_as_is_asked_and_counts_one_run() {
    let emitted = Emitted::new("matmul");
    let flags = ["--size", "M=4,N=6,K=5", "--threads", "2", "--reference", "kernels/matmul.rec", "--json", "--repeat"];
    let object = |times: &str| -> Value {
        let output = exec(&emitted, &[&flags[..], &[times]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let (once, thrice) = (object("1"), object("3"));
    let runs = |found: &Value| found["runs"].as_array().map(Vec::len);
    assert_eq!((runs(&once), runs(&thrice)), (Some(1), Some(3)));
    assert_eq!(thrice["runs"][2]["seconds"], thrice["seconds"]);
    assert_eq!((&thrice["operations"], &thrice["words"]), (&once["operations"], &once["words"]));
    assert_eq!(thrice["matches_reference"], true);
    assert!(misused(&emitted, &["--size", "M=4,N=6,K=5", "--repeat", "0"]).contains("at least once"));
}

#[test]
fn workers_stand_as_is_asked() {
    let emitted = Emitted::new("matmul");
    let flags = ["--size", "M=4,N=6,K=5", "--threads", "2", "--json", "--grid"];
    for (grid, words) in [("1x2", 4 * 5), ("2x1", 6 * 5)] {
        let output = exec(&emitted, &[&flags[..], &[grid]].concat());
        let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(found["words"], words, "{grid}");
    }
    let unfit = |grid| misused(&emitted, &[&flags[..], &[grid]].concat());
    let said = unfit("3x1");
    for part in ["grid of 3x1 do not fit", "the number of workers is 2, and 3 in the grid", "grids that fit: 1x2, 2x1"]
    {
        assert!(said.contains(part), "{said}");
    }
    assert!(unfit("2").contains("the number of axes is 2 in the array of PEs, and 1 in the grid"));
    assert!(unfit("2y1").contains("no grid of workers"));
}
