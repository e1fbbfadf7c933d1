//! `systole predict`, `exec --machine` and `calibrate` as a user meets them. How long something takes is chance in the last two.

use super::command::{Emitted, exec, refused};
use super::traces::{SIZE, tiled};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};
use systole::machine::{Machine, OTHER, Rate, TASKS};
use systole::span::Source;

/// A message takes 2 s, a function of a leaf 1 s.
const MACHINE: &str = "[cluster]\nalpha = 2\n[loops]\ngemm = 1e-9\n";

fn systole(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
    command.args(arguments).current_dir(env!("SYSTOLE_ROOT")).env("NO_COLOR", "1");
    command.output().expect("the program starts")
}

/// The object of a command that must be right.
fn object(arguments: &[&str]) -> Value {
    let output = systole(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn message(arguments: &[&str]) -> String {
    refused_with(1, arguments)
}

fn refused_with(code: i32, arguments: &[&str]) -> String {
    let output = systole(arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    String::from_utf8(output.stderr).expect("text")
}

fn with_machine() -> (Emitted, String) {
    let emitted = tiled();
    let machine = emitted.path("cluster.toml");
    std::fs::write(&machine, MACHINE).expect("written");
    (emitted, machine)
}

/// 4 x 4 tiles of C with 4 terms of 128 functions each.
#[test]
fn a_prediction_is_exact_and_runs_nothing() {
    let (emitted, machine) = with_machine();
    let flags = ["predict", &emitted.program, "--machine", &machine, "--size", "M=16,N=16,K=16"];
    let found = object(&[&flags[..], &["--ranks", "1,2", "--distribution", "cyclic", "--capacity", "4"]].concat());
    let rows = found["rows"].as_array().expect("rows");
    assert_eq!(
        (&rows[0]["seconds"], &rows[0]["waiting"], &rows[0]["efficiency"]),
        (&8192.0.into(), &0.0.into(), &1.0.into())
    );
    assert_eq!((&rows[0]["calls"], &rows[0]["applied"], &rows[0]["words"]), (&64.into(), &8192.into(), &0.into()));
    let [seconds, efficiency] = ["seconds", "efficiency"].map(|key| rows[1][key].as_f64().expect("a number"));
    assert!(seconds > 4096.0 && (efficiency - 4096.0 / seconds).abs() < 1e-12, "{seconds} {efficiency}");
    assert_eq!((&rows[1]["ranks"], &rows[1]["sizes"]["K"], &rows[1]["words"]), (&2.into(), &16.into(), &48.into()));
}

/// Sizes of sixteen ranks are four times those of one, as powers say; and a table and plots come of it, the same every time.
#[test]
fn sizes_grow_with_the_ranks_into_a_table_and_plots() {
    let (emitted, machine) = with_machine();
    let folder = emitted.path("out");
    let flags = ["predict", &emitted.program, "--machine", &machine, "--size", "M=8,N=8,K=6", "--ranks", "1,4,16"];
    let flags = [&flags[..], &["--grow", "M=0.5,N=0.5", "--out", &folder]].concat();
    let read = &|name: &str| std::fs::read_to_string(Path::new(&folder).join(name)).expect("a file");
    let found = object(&flags);
    let sizes: Vec<&Value> = found["rows"].as_array().expect("rows").iter().map(|row| &row["sizes"]["M"]).collect();
    assert_eq!(sizes, [8, 16, 32]);
    let csv = read("ranks.csv");
    assert!(
        csv.starts_with("ranks,M,N,K,seconds,gflops,efficiency,waiting,words,packets,bytes\n1,8,8,6,768.000000,"),
        "{csv}"
    );
    assert_eq!((csv.lines().count(), csv.lines().last().map(|line| line.starts_with("16,32,32,6,"))), (4, Some(true)));
    let pictures = ["seconds.svg", "efficiency.svg"].map(read);
    assert!(pictures.iter().all(|text| text.starts_with("<svg") && text.matches("<circle").count() == 3));
    object(&flags);
    assert_eq!((read("ranks.csv"), ["seconds.svg", "efficiency.svg"].map(read)), (csv, pictures));
}

#[test]
fn what_a_prediction_lacks_is_said() {
    let (emitted, machine) = with_machine();
    let predict = |machine: &str, flags: &[&str]| {
        message(&[&["predict", &emitted.program, "--machine", machine], flags].concat())
    };
    let misused =
        |flags: &[&str]| refused_with(2, &[&["predict", &emitted.program, "--machine", &*machine], flags].concat());
    let sizes = ["--size", "M=16,N=16,K=16"];
    assert!(misused(&[]).contains("the size of `M` is missing"));
    assert!(misused(&[&sizes[..], &["--ranks", "0"]].concat()).contains("at least 1 worker"));
    assert!(misused(&[&sizes[..], &["--leaves", "fear"]].concat()).contains("did you mean `faer`?"));
    assert!(
        predict(&machine, &[&sizes[..], &["--leaves", "faer"]].concat()).contains("the rate of `faer.gemm`, which")
    );
    let other = predict(&machine, &[&sizes[..], &["--leaves", "faer"]].concat());
    let other = other.replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(other.contains("which `--leaves faer` needs; it has those of loops"), "{other}");
    assert!(
        other.contains("say `--leaves loops`, or measure this cluster with `systole calibrate --leaves faer`"),
        "{other}"
    );
    let twice = misused(&[&sizes[..], &["--grow", "M=0.5", "--grow", "M=1"]].concat());
    assert!(twice.contains("`M=0.5` and `M=1`"), "{twice}");
    assert!(misused(&[&sizes[..], &["--grow", "Q=1"]].concat()).contains("`Q` is not a parameter"));
    assert!(misused(&[&sizes[..], &["--grow", "M=-1"]].concat()).contains("power from 0 to 4"));
    let no_rates = emitted.path("messages.toml");
    std::fs::write(&no_rates, "[cluster]\nalpha = 2e-6\n").expect("written");
    assert!(predict(&no_rates, &sizes).contains("the rate of `loops.gemm`"));
    assert!(predict("machines/ideal.toml", &sizes).contains("does not say how long messages, ops and leaves take"));
    assert!(misused(&[&sizes[..], &["--ranks", "65537"]].concat()).contains("at most 65536 workers"));
    assert!(predict("machines/none.toml", &sizes).contains("there is no such file"));
    let missing = systole(&["predict", &emitted.program, "--size", "M=16,N=16,K=16"]);
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn a_program_that_deadlocks_has_no_prediction() {
    let (emitted, machine) = with_machine();
    let text = std::fs::read_to_string(&emitted.program).expect("a program");
    std::fs::write(&emitted.program, text.replacen("(send A-link A)", "", 1)).expect("written");
    let flags = ["predict", &emitted.program, "--machine", &machine, "--size", "M=16,N=16,K=16", "--ranks", "2"];
    assert!(message(&flags).contains("waits on `A-link`, which is empty"));
}

#[test]
fn exec_says_prediction_and_measurement_side_by_side() {
    let (emitted, machine) = with_machine();
    let output = exec(&emitted, &[&SIZE[..], &["--threads", "1", "--machine", &machine]].concat());
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let predicted = &found["predicted"];
    assert_eq!(predicted["seconds"], 8192.0);
    let keys = ["operations", "calls", "applied", "words", "elements", "packets", "pes", "arrangement"];
    keys.iter().for_each(|key| assert_eq!(predicted[key], found[key], "{key}"));
    let output = exec(&emitted, &[&SIZE[..2], &["--threads", "1", "--machine", &machine]].concat());
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("predicted 8192.000 s, measured 0.") && !text.contains("later runs"), "{text}");
    let output = exec(&emitted, &[&SIZE[..], &["--repeat", "4", "--machine", &machine]].concat());
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut later: Vec<f64> = (1..4).filter_map(|run| found["runs"][run]["seconds"].as_f64()).collect();
    later.sort_by(f64::total_cmp);
    assert_eq!(found["measured"]["seconds"], later[1]);
    let output = exec(&emitted, &[&SIZE[..2], &["--repeat", "4", "--machine", &machine]].concat());
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("the median of the 3 later runs"), "{text}");
    let lacking = refused(&emitted, &[&SIZE[..2], &["--leaves", "faer", "--machine", &machine]].concat());
    assert!(lacking.contains("the rate of `faer.gemm`"), "{lacking}");
}

fn calibrate(flags: &[&str]) -> Vec<String> {
    let all = [&["calibrate", "--tile", "4,2", "--runs", "2", "--work", "1"], flags].concat();
    all.iter().map(|flag| (*flag).to_owned()).collect()
}

/// Every number is there, more than 0 where it must be, and a prediction can be made of it.
#[test]
fn a_calibration_is_a_machine_file_for_predictions() {
    let emitted = tiled();
    let path = emitted.path("cluster.toml");
    let flags = calibrate(&["--leaves", "loops,faer", "--backend", "threads", "--output", &path]);
    let found = object(&flags.iter().map(String::as_str).collect::<Vec<_>>());
    // Seven distances for each task of a library; loops have one rate for each side, a library two.
    assert_eq!(found["figures"].as_array().map(Vec::len), Some(5 + OTHER * 7 + TASKS.len() * 2 + OTHER * 2 * 2));
    let text = std::fs::read_to_string(&path).expect("a file");
    let machine = Machine::parse(&Source::new("cluster.toml", text.clone())).expect("a machine");
    let rates = |library: usize| machine.cluster.rates[library].iter();
    let has_both =
        |rate: &Rate| matches!(rate, Rate::BySide(table) if table.len() == 2 && table[0].0 == 2 && table[1].0 == 4);
    assert!(rates(0).all(has_both) && rates(1).take(OTHER).all(has_both), "{text}");
    let rises = |pair: &[(u64, f64)]| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1;
    let [reuse @ .., of_others] = &machine.cluster.reuse;
    assert!(reuse.iter().all(|shares| shares.len() == 7 && shares.windows(2).all(rises)), "{text}");
    assert!(of_others.is_empty(), "{text}");
    assert!(machine.cluster.message > 0.0 && machine.cluster.operation > 0.0 && machine.cluster.memory > 0.0, "{text}");
    let flags = ["predict", &emitted.program, "--machine", &path, "--size", "M=16,N=16,K=16", "--leaves", "faer"];
    assert!(object(&flags)["rows"][0]["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
}

/// One call of loops with a tile of 256 takes a second, and tells no more than one with 128: it is left out beside a smaller one, and
/// measured alone. It is said first how many figures there are at most.
#[test]
fn loops_are_measured_on_tiles_that_are_no_larger_than_needed() {
    for (sides, measured) in [("2,128", vec![2, 128]), ("2,256", vec![2]), ("256", vec![256])] {
        let flags = ["calibrate", "--leaves", "loops", "--tile", sides, "--runs", "1", "--work", "1", "--json"];
        let done = systole(&flags);
        let found: Value = serde_json::from_slice(&done.stdout).expect("an object");
        let figures = found["figures"].as_array().expect("figures");
        let of_leaves: BTreeSet<u64> = figures.iter().filter_map(|figure| figure["side"].as_u64()).collect();
        assert_eq!(of_leaves, BTreeSet::from_iter(measured), "{sides}");
        let (said, first) = (String::from_utf8_lossy(&done.stderr), figures.len());
        assert!(said.starts_with(&format!("at most {first} figures are measured")), "{said}");
    }
}

#[test]
fn a_calibration_that_cannot_be_writes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cluster.toml").display().to_string();
    let refused = |flags: &[&str]| refused_with(2, &[&["calibrate", "--output", &path], flags].concat());
    assert!(refused(&["--tile", "0,32"]).contains("a tile of side 0 cannot be measured"));
    assert!(refused(&["--tile", "1,32"]).contains("sides are from 2 to 2048"));
    assert!(refused(&["--tile", "2049"]).contains("a tile of side 2049 cannot be measured"));
    assert!(refused(&["--runs", "0"]).contains("a median is of 1 run at least"));
    assert!(refused(&["--leaves", "fear"]).contains("did you mean `faer`?"));
    assert!(refused(&["--backend", "thread"]).contains("did you mean `threads`?"));
    assert!(!Path::new(&path).exists());
    let missing = folder.path().join("none/cluster.toml").display().to_string();
    let flags = calibrate(&["--leaves", "faer", "--output", &missing]);
    assert!(message(&flags.iter().map(String::as_str).collect::<Vec<_>>()).contains("cannot write"));
}
