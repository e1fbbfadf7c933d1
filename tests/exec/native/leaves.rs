//! `exec --leaves native`: leaves compiled by the system's C compiler. Bits and counts are those of loop leaves, whatever
//! state the cache and the compiler are in.

use crate::command::Emitted;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

/// A program at sizes with ragged tiles, run by native leaves and by loops.
struct Native {
    emitted: Emitted,
    sizes: &'static str,
    inputs: Vec<(String, String)>,
    outputs: Vec<String>,
    cache: TempDir,
}

/// What says that loops run after all.
const INTERPRETED: &str = "leaves are interpreted, with the same bits";

impl Native {
    fn new(kernel: &str, flags: &[&str], sizes: &'static str, arrays: [&[(&str, &[i64])]; 2]) -> Native {
        let emitted = Emitted::of(&format!("kernels/{kernel}.rec"), flags);
        let [inputs, outputs] = arrays;
        let write = |(seed, (name, shape)): (usize, &(&str, &[i64]))| {
            let path = emitted.path(&format!("{name}.npy"));
            ndarray_npy::write_npy(&path, &crate::programs::filled(seed, &to_shape(shape))).expect("written");
            ((*name).to_owned(), path)
        };
        let inputs = inputs.iter().enumerate().map(write).collect();
        let outputs = outputs.iter().map(|(name, _)| (*name).to_owned()).collect();
        Native { emitted, sizes, inputs, outputs, cache: tempfile::tempdir().expect("a folder") }
    }

    /// The triangular solve in tiles, which has a leaf with a triangle and one that divides.
    fn solve() -> Native {
        let arrays: [&[(&str, &[i64])]; 2] = [&[("L", &[7, 7]), ("B", &[7])], &[("X", &[7])]];
        Native::new("trisolve", &["--schedule", "row", "--tile", "i=3"], "N=7", arrays)
    }

    fn command(&self, leaves: &str, run: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
        command.args(["exec", &self.emitted.program, "--size", self.sizes, "--threads", "2", "--leaves", leaves]);
        command.arg("--json").env("NO_COLOR", "1").env("XDG_CACHE_HOME", self.cache.path());
        self.inputs.iter().for_each(|(name, path)| _ = command.args(["--input", &format!("{name}={path}")]));
        for name in &self.outputs {
            command.args(["--output", &format!("{name}={}", self.output(name, run))]);
        }
        command
    }

    fn output(&self, name: &str, run: &str) -> String {
        self.emitted.path(&format!("{name}.{run}.npy"))
    }

    fn bytes(&self, run: &str) -> Vec<Vec<u8>> {
        self.outputs.iter().map(|name| std::fs::read(self.output(name, run)).expect("an output")).collect()
    }

    /// Runs by loops and, in an environment, by native leaves; what that said. Outputs and counts must be the same.
    fn hold(&self, environment: &[(&str, &str)]) -> String {
        let loops = self.command("loops", "loops").output().expect("it starts");
        let native = self.command("native", "native").envs(environment.iter().copied()).output().expect("it starts");
        assert_eq!(self.bytes("native"), self.bytes("loops"), "{}", self.emitted.program);
        let counts = |output: &Output| {
            let object: Value = serde_json::from_slice(&output.stdout).expect("an object");
            [object["applied"].clone(), object["calls"].clone()]
        };
        assert_eq!(counts(&native), counts(&loops));
        String::from_utf8_lossy(&native.stderr).into_owned()
    }

    /// The objects in the cache.
    fn entries(&self) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(self.cache.path().join("systole/leaves")) else { return vec![] };
        entries.map(|entry| entry.expect("an entry").path()).collect()
    }
}

fn to_shape(shape: &[i64]) -> Vec<usize> {
    shape.iter().map(|side| usize::try_from(*side).expect("a side")).collect()
}

/// A compiler that writes down what it is asked for, with lines before what it does.
fn recording(folder: &Path, before: &str) -> (String, PathBuf) {
    let (path, record) = (folder.join("recording-cc"), folder.join("record"));
    let text = format!("#!/bin/sh\necho \"$@\" >> {}\n{before}\nexec cc \"$@\"\n", record.display());
    std::fs::write(&path, text).expect("written");
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("made a program");
    (path.display().to_string(), record)
}

/// How many objects were compiled.
fn compiled(record: &Path) -> usize {
    std::fs::read_to_string(record).map_or(0, |text| text.lines().filter(|line| line.contains("leaves.so")).count())
}

#[test]
fn native_leaves_have_the_bits_of_loops_and_are_compiled_once() {
    let solve = Native::solve();
    let folder = tempfile::tempdir().expect("a folder");
    let (compiler, record) = recording(folder.path(), "");
    for _ in 0..2 {
        assert_eq!(solve.hold(&[("CC", &compiler)]), "");
        assert_eq!((solve.entries().len(), compiled(&record)), (1, 1));
    }
    // Another processor has other instructions: what was compiled for this one is not taken.
    let (other, record) = recording(folder.path(), "case \"$*\" in *-dM*) echo '#define __OTHER__ 1';; esac");
    let before = compiled(&record);
    assert_eq!(solve.hold(&[("CC", &other)]), "");
    assert_eq!((solve.entries().len(), compiled(&record)), (2, before + 1));
}

#[test]
fn without_a_compiler_loops_run_and_it_is_said_once() {
    let solve = Native::solve();
    for (compiler, why) in [("/nonexistent/cc", "which is not found"), ("false", "which fails"), ("echo", "is no C")] {
        let said = solve.hold(&[("CC", compiler)]);
        assert_eq!(said.matches(INTERPRETED).count(), 1, "{said}");
        assert!(said.contains(why) && said.contains("--leaves loops"), "{said}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (broken, _) =
        recording(folder.path(), "case \"$*\" in *-dM*) ;; *) echo error: no space left >&2; exit 1;; esac");
    let said = solve.hold(&[("CC", &broken)]);
    assert!(said.contains(INTERPRETED) && said.contains("no space left"), "{said}");
    assert_eq!(solve.entries(), Vec::<PathBuf>::new());
}

#[test]
fn a_cache_that_cannot_be_written_or_was_damaged_changes_nothing() {
    let solve = Native::solve();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "no folder").expect("written");
    assert_eq!(solve.hold(&[("XDG_CACHE_HOME", &file.join("below").display().to_string())]), "");
    assert_eq!(solve.entries(), Vec::<PathBuf>::new());
    assert_eq!(solve.hold(&[]), "");
    let entries = solve.entries();
    let [entry] = &entries[..] else { panic!("{entries:?}") };
    let right = std::fs::read(entry).expect("an entry");
    // Another program's object under this one's name computes something else.
    let other = Native::new("prefix_sum", &["--tile", "i=4"], "N=10", [&[("A", &[10])], &[("P", &[10])]]);
    assert_eq!(other.hold(&[]), "");
    let wrong = std::fs::read(&other.entries()[0]).expect("an entry");
    for damaged in [&right[..right.len() / 2], b"", b"no object", &wrong] {
        std::fs::write(entry, damaged).expect("written");
        assert_eq!(solve.hold(&[]), "");
        assert_eq!(std::fs::read(entry).expect("an entry").len(), right.len());
    }
}

#[test]
fn two_processes_at_once_both_have_their_leaves() {
    let solve = Native::solve();
    let start = |run: &str| -> Child {
        solve.command("native", run).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts")
    };
    let both = [start("one"), start("other")];
    for child in both {
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(solve.bytes("one"), solve.bytes("other"));
    assert_eq!(solve.entries().len(), 1);
}

/// Machine code checks nothing, so what loops refuse is refused before it runs: an element beyond its window, in the last round alone.
#[test]
fn an_element_outside_of_its_window_is_refused_as_by_loops() {
    let right = crate::tiled::programs::STATIONARY;
    for (what, by, is_refused) in [("(2 k j)", "(2 (+ k 1) j)", true), ("(2 k j)", "(2 (+ k 0) j)", false)] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("p.pe");
        std::fs::write(&path, right.replace(what, by)).expect("written");
        let ran = |leaves: &str| -> Output {
            let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
            command.arg("exec").arg(&path).args(["--size", "M=4,N=5,K=6", "--threads", "1", "--leaves", leaves]);
            command.env("NO_COLOR", "1").env("XDG_CACHE_HOME", folder.path()).output().expect("it starts")
        };
        let (loops, native) = (ran("loops"), ran("native"));
        assert_eq!(native.status.code(), Some(i32::from(is_refused)), "{native:?}");
        assert_eq!((native.status.code(), &native.stderr), (loops.status.code(), &loops.stderr), "{by}");
    }
}
