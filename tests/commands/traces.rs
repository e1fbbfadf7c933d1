//! Traces as files: `--trace`, `--vcd` and `--window` of `sim` and `run`.

use super::start::{good, misused, refused, systole};
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

fn in_folder(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

/// A folder with the program of a shipped schedule in `p.pe`.
fn emitted() -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = in_folder(&folder, "p.pe");
    good(&["emit", "kernels/matmul.rec", "--schedule", "cannon", "-o", &path]);
    (folder, path)
}

fn events(path: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).expect("JSON");
    file["traceEvents"].as_array().expect("a list").clone()
}

/// Cycles of all spans of a name.
fn cycles(path: &str, name: &str) -> u64 {
    let events = events(path).into_iter();
    events.filter(|event| event["name"] == name).map(|event| event["dur"].as_u64().unwrap()).sum()
}

fn entries(folder: &TempDir) -> usize {
    std::fs::read_dir(folder.path()).unwrap().count()
}

#[test]
fn both_files_are_written_and_the_rest_is_said_as_ever() {
    let (folder, program) = emitted();
    let [trace, vcd] = ["t.json", "t.vcd"].map(|name| in_folder(&folder, name));
    let command = ["sim", &program, "--size", "M=3,N=3,K=3"];
    let plain = good(&command);
    assert_eq!(good(&[&command[..], &["--trace", &trace, "--vcd", &vcd]].concat()), plain);
    assert_eq!(cycles(&trace, "busy"), 27);
    let wave = std::fs::read_to_string(&vcd).unwrap();
    assert!(wave.contains("$timescale 1 us $end") && wave.contains("$scope module matmul $end"), "{wave}");
    assert_eq!(entries(&folder), 3);
}

#[test]
fn a_window_keeps_its_cycles_only() {
    let (folder, program) = emitted();
    let trace = in_folder(&folder, "t.json");
    let busy = |window: &str| {
        good(&["sim", &program, "--size", "M=3,N=3,K=3", "--trace", &trace, "--window", window]);
        cycles(&trace, "busy")
    };
    assert_eq!([busy("0..1"), busy("1..2"), busy("0..2"), busy("0..200")], [1, 3, 4, 27]);
}

#[test]
fn run_traces_what_it_simulates_for_one_space_and_for_several() {
    let folder = tempfile::tempdir().unwrap();
    let trace = in_folder(&folder, "t.json");
    good(&["run", "ik,kj->ij", "--size", "I=2,J=3,K=4", "--trace", &trace]);
    assert_eq!(cycles(&trace, "busy"), 24);
    good(&["run", "kernels/trisolve.rec", "--schedule", "row", "--size", "N=4", "--trace", &trace, "--window", "0..3"]);
    assert!((1..=12).contains(&cycles(&trace, "busy")));
}

#[test]
fn a_deadlock_is_said_and_its_last_waits_are_in_the_trace() {
    let (folder, program) = emitted();
    let text = std::fs::read_to_string(&program).unwrap();
    std::fs::write(&program, text.replacen("(send A-link A)", "", 1)).unwrap();
    let [trace, vcd] = ["t.json", "t.vcd"].map(|name| in_folder(&folder, name));
    let message = refused(&["sim", &program, "--size", "M=3,N=3,K=3", "--trace", &trace, "--vcd", &vcd]);
    assert!(message.contains("PE (0, 1) waits at clock 1 on `A-link`, which is empty"), "{message}");
    let blocked: Vec<Value> = events(&trace).into_iter().filter(|event| event["name"] == "blocked").collect();
    assert!(blocked.iter().any(|event| event["ts"] == 1 && event["args"]["link"] == "A-link"), "{blocked:?}");
    assert!(Path::new(&vcd).exists());
}

/// Neither file is there, nor a part of one.
#[test]
fn what_cannot_be_traced_is_refused_and_nothing_is_written() {
    let (folder, program) = emitted();
    let [trace, vcd] = ["t.json", "t.vcd"].map(|name| in_folder(&folder, name));
    let misused = |flags: &[&str]| misused(&[&["sim", &program, "--size", "M=3,N=3,K=3"], flags].concat());
    let refused = |flags: &[&str]| refused(&[&["sim", &program, "--size", "M=3,N=3,K=3"], flags].concat());
    let windows = [
        ("9..3", "the window 9..3 ends before it begins"),
        ("3..3", "the window 3..3 holds no cycle"),
        ("early", "`early` is no window of cycles"),
        ("-1..3", "`-1` in the window `-1..3` is no number of cycles"),
        ("0..x", "`x` in the window `0..x` is no number of cycles"),
    ];
    for (window, expected) in windows {
        let message = misused(&["--trace", &trace, "--vcd", &vcd, "--window", window]);
        assert!(message.contains(expected), "{message}");
    }
    // How long a run takes is not known before it has ended.
    let late = refused(&["--trace", &trace, "--vcd", &vcd, "--window", "50..60"]);
    assert!(late.contains("the window 50..60 begins after the run has ended, at clock 7"), "{late}");
    assert!(misused(&["--window", "0..3"]).contains("`--window` cuts a trace, but none is asked for"));
    assert!(refused(&["--trace", &trace, "--vcd", &trace]).contains("are one file"));
    let nowhere = in_folder(&folder, "no-such-folder/t.json");
    assert!(refused(&["--trace", &nowhere]).contains("cannot write"));
    assert_eq!(entries(&folder), 1);
}

/// A window that is none is said before the search begins.
#[test]
fn run_refuses_a_window_at_once() {
    let ran = systole(&["run", "kernels/matmul.rec", "--trace", "t.json", "--window", "4..2"]);
    assert_eq!((ran.code, &*ran.stdout), (2, ""));
    assert!(ran.stderr.contains("ends before it begins"), "{}", ran.stderr);
    assert!(!Path::new(env!("SYSTOLE_ROOT")).join("t.json").exists());
}
