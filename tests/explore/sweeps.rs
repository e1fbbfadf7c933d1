//! What the points of a sweep are and what stands in their rows.

use super::common::{FILES, explore, json, number};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;
use tempfile::tempdir;

const CANNON: [&str; 3] = ["kernels/matmul.rec", "--schedule", "cannon"];

fn points(arguments: &[&str]) -> Vec<Value> {
    json(arguments)["points"].as_array().expect("a list").clone()
}

fn column(points: &[Value], key: &str) -> Vec<u64> {
    points.iter().map(|point| number(point, key)).collect()
}

#[test]
fn ranges_have_steps_and_the_last_sweep_is_the_fastest() {
    let sweeps = ["--sweep", "link.response=0..1", "--sweep", "size.N=1..6:2,8", "--size=M=2,K=2"];
    let found = points(&[&CANNON[..], &sweeps].concat());
    assert_eq!(column(&found, "link.response"), [0, 0, 0, 0, 1, 1, 1, 1]);
    assert_eq!(column(&found, "size.N"), [1, 3, 5, 8, 1, 3, 5, 8]);
}

/// M + N + K - 2 cycles on M N PEs, whatever the response; a register that is free at once needs one slot, not two.
#[test]
fn rows_have_the_counts_of_the_textbook() {
    let found =
        points(&[&CANNON[..], &["--sweep", "link.response=0,1", "--sweep", "size.N=2,5", "--size=M=3,K=4"]].concat());
    assert_eq!(column(&found, "cycles"), [7, 10, 7, 10]);
    assert_eq!(column(&found, "predicted"), column(&found, "cycles"));
    assert_eq!(column(&found, "pes"), [6, 15, 6, 15]);
    let words = |n: u64| 3 * 4 * (n - 1) + 2 * 4 * n;
    assert_eq!(column(&found, "words"), [words(2), words(5), words(2), words(5)]);
    let links = |n: u64| 3 * (n - 1) + 2 * n;
    assert_eq!(column(&found, "fifo_slots"), [links(2), links(5), 2 * links(2), 2 * links(5)]);
    assert!(found.iter().all(|point| point["proved"] == true));
    let work = |n: u64, cycles: u64| (3 * n * 4) as f64 / (3 * n * cycles) as f64;
    assert_eq!((&found[0]["utilisation"], &found[1]["utilisation"]), (&json!(work(2, 7)), &json!(work(5, 10))));
}

/// Where links are slower the search finds another time, and a kept design waits for its words without a proof.
#[test]
fn a_design_is_searched_at_each_point_or_kept() {
    let sweep = ["kernels/trisolve.rec", "--schedule", "row", "--sweep", "link.latency=1..3", "--size=N=6"];
    let searched = points(&sweep);
    assert_eq!(column(&searched, "cycles"), [11, 16, 21], "(l + 1) (n - 1) + 1");
    assert!(searched.iter().all(|point| point["proved"] == true));
    let kept = points(&[&sweep[..], &["--keep"]].concat());
    assert_eq!(kept.iter().map(|point| point["proved"] == true).collect::<Vec<_>>(), [true, false, false]);
    assert_eq!(kept[0]["cycles"], searched[0]["cycles"]);
    assert!(kept.iter().all(|point| point["design"] == kept[0]["design"] && point["predicted"].is_null()));
    assert_ne!(searched[1]["design"], searched[0]["design"]);
}

/// Two slots are enough for a word a cycle; with one a link carries a word every second cycle.
#[test]
fn a_kept_design_is_timed_by_the_machine_of_the_point() {
    let found = points(&[&CANNON[..], &["--sweep", "link.capacity=1..3", "--keep", "--size=M=4,N=4,K=4"]].concat());
    let cycles = column(&found, "cycles");
    assert!(cycles[0] > cycles[1], "{cycles:?}");
    assert_eq!(cycles[1..], [10, 10]);
}

#[test]
fn a_point_without_a_design_is_a_row_with_the_reason() {
    let found = points(&[&CANNON[..], &["--sweep", "grid.extent=3x3,4x4", "--size=M=4,N=4,K=4"]].concat());
    assert!(found[0]["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{}", found[0]);
    assert!(found[0].get("cycles").is_none());
    assert_eq!(found[1]["cycles"], 10);
}

#[test]
fn words_are_swept_as_well_as_numbers() {
    let flags = ["--size=M=3,N=3,K=3", "--rank=2"];
    let found = points(
        &[
            &["kernels/matmul.rec", "--sweep", "grid.network=mesh,wire", "--sweep", "bus.kinds=row+column,none"],
            &flags[..],
        ]
        .concat(),
    );
    assert_eq!(found.iter().map(|point| &point["grid.network"]).collect::<Vec<_>>(), ["mesh", "mesh", "wire", "wire"]);
    assert_eq!(
        found.iter().map(|point| &point["bus.kinds"]).collect::<Vec<_>>(),
        ["row+column", "none", "row+column", "none"]
    );
}

#[test]
fn a_row_says_what_run_says() {
    let output = Command::new(env!("CARGO_BIN_EXE_systole"))
        .args(["run", "kernels/matmul.rec", "--size", "M=3,N=4,K=5", "--latency", "2", "--rank", "2", "--json"])
        .current_dir(env!("SYSTOLE_ROOT"))
        .output()
        .expect("the program starts");
    let run: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let sweep = ["--sweep", "link.latency=2", "--sweep", "size.K=5", "--size=M=3,N=4", "--rank=2"];
    let point = points(&[&["kernels/matmul.rec"], &sweep[..]].concat()).remove(0);
    for (mine, theirs) in [("cycles", "cycles"), ("pes", "pes"), ("utilisation", "utilisation"), ("words", "messages")]
    {
        assert_eq!(point[mine], run["sim"][theirs], "{mine}");
    }
    let winner = run["search"]["winner"].as_u64().expect("a winner") as usize;
    assert_eq!(point["predicted"], run["search"]["front"][winner]["cycles"]);
}

#[test]
fn rows_do_not_depend_on_threads_and_the_front_is_that_of_the_rows() {
    let sweep =
        ["kernels/matmul.rec", "--sweep", "link.latency=1,2", "--sweep", "size.N=1..3", "--size=M=2,K=2", "--rank=2"];
    let [one, three] = ["--threads=1", "--threads=3"].map(|threads| json(&[&sweep[..], &[threads]].concat()));
    assert_eq!(one, three);
    let counts: Vec<(u64, u64)> = one["points"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|point| (number(point, "cycles"), number(point, "pes")))
        .collect();
    let beaten = |(a, b): (u64, u64)| counts.iter().any(|(c, d)| *c <= a && *d <= b && (*c, *d) != (a, b));
    let front: Vec<usize> = (0..counts.len()).filter(|at| !beaten(counts[*at])).collect();
    assert_eq!(one["pareto"], json!(front));
}

#[test]
fn tables_and_plots_are_written() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("deep/sweep");
    let flags = [
        "--sweep",
        "size.N=2,4",
        "--size=M=2,K=2",
        "--seed",
        "3",
        "--limit",
        "20000",
        "--out",
        path.to_str().expect("a path"),
    ];
    let output = explore(&[&CANNON[..], &flags].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    for name in FILES {
        let text = fs::read_to_string(path.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!name.ends_with(".svg") || (text.starts_with("<svg") && text.trim_end().ends_with("</svg>")), "{name}");
    }
    let csv = fs::read_to_string(path.join("points.csv")).expect("a table");
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "size.N,predicted,cycles,pes,utilisation,words,fifo_slots,proved,design,reason");
    assert_eq!(
        lines[1],
        "2,4,4,4,0.500000,8,8,yes,\"t = i + j + k PE (i, j) A streams east, B streams south, C stays\","
    );
    assert_eq!(lines.len(), 3);
    let circles = |name: &str| fs::read_to_string(path.join(name)).expect("a plot").matches("<circle").count();
    assert_eq!((circles("pareto.svg"), circles("cycles.svg")), (2, 2));
}
