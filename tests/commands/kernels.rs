//! Every schedule that ships, from text to a checked run, with the cycles and PEs that its file states in closed form.

use super::start::{json, refused};
use serde_json::json;

struct Case {
    kernel: &'static str,
    schedule: &'static str,
    size: &'static str,
    cycles: u64,
    pes: u64,
}

const fn case(kernel: &'static str, schedule: &'static str, size: &'static str, cycles: u64, pes: u64) -> Case {
    Case { kernel, schedule, size, cycles, pes }
}

/// The counts are the formulas of the files' comments at these sizes, worked out by hand.
const CASES: [Case; 20] = [
    case("matmul", "cannon", "M=5,N=5,K=5", 13, 25),
    case("matmul", "weight-stationary", "M=5,N=5,K=5", 13, 25),
    case("matmul", "input-stationary", "M=5,N=5,K=5", 13, 25),
    case("matmul", "summa", "M=5,N=4,K=6", 6, 20),
    case("matmul", "pumma", "M=5,N=4,K=6", 9, 20),
    case("matmul", "kung-leiserson", "M=5,N=5,K=5", 13, 61),
    case("fir", "w2", "N=7,K=4", 10, 4),
    case("fir", "r2", "N=7,K=4", 10, 7),
    case("fir", "w1", "N=7,K=4", 16, 4),
    case("fir", "r1", "N=7,K=4", 13, 7),
    case("conv1d", "weights-stay", "N=7,K=4", 10, 4),
    case("conv1d", "results-stay", "N=7,K=4", 10, 7),
    case("conv2d", "one-port", "M=4,N=3,K=2,L=3", 11, 12),
    case("divergences", "output-stationary", "M=5,N=4,K=6", 13, 20),
    case("flash_attention", "streamed", "N=5,M=6,D=4", 28, 35),
    case("matvec", "result-stationary", "M=6,N=6", 11, 6),
    case("matvec", "vector-stationary", "M=6,N=6", 11, 6),
    case("polynomial_product", "a-stays", "M=6,N=6", 16, 6),
    case("polynomial_product", "b-stays", "M=6,N=6", 16, 6),
    case("polynomial_product", "c-stays", "M=6,N=6", 16, 11),
];

#[test]
fn every_shipped_schedule_is_proved_and_runs_in_the_stated_cycles() {
    for Case { kernel, schedule, size, cycles, pes } in &CASES {
        let path = format!("kernels/{kernel}.rec");
        let found = json(&["run", &path, "--schedule", schedule, "--size", size]);
        assert_eq!(found["prove"]["result"], "proved", "{kernel} {schedule}");
        assert_eq!(found["sim"]["cycles"], *cycles, "{kernel} {schedule}");
        assert_eq!(found["search"]["front"][0]["cycles"], *cycles, "{kernel} {schedule}");
        assert_eq!(found["search"]["front"][0]["pes"], *pes, "{kernel} {schedule}");
        assert_eq!(found["sim"]["matches_reference"], true, "{kernel} {schedule}");
        assert_eq!(found["sim"]["stall"], 0, "{kernel} {schedule}");
        assert_eq!(found["sim"]["starve"], 0, "{kernel} {schedule}");
    }
}

/// Schedules of kernels of several spaces; the counts are the formulas of the files' comments.
const SYSTEMS: [Case; 25] = [
    case("trisolve", "row", "N=8", 15, 8),
    case("trisolve", "column", "N=8", 15, 8),
    case("trisolve", "diagonal", "N=8", 15, 7),
    case("trisolve", "stream", "N=8", 15, 8),
    case("trisolve", "prefetch-b", "N=8", 15, 8),
    case("trisolve", "broadcast-b", "N=8", 15, 8),
    case("trisolve", "prefetch-l", "N=8", 15, 8),
    case("trsm", "grid", "R=4,N=5", 12, 20),
    case("trsm", "summa", "R=4,N=5", 9, 20),
    case("trsm", "split", "R=4,N=5", 9, 20),
    case("trsm", "matrix-stationary", "R=4,N=5", 12, 15),
    case("cholesky", "grid", "N=7", 19, 28),
    case("cholesky", "timed", "N=7", 19, 28),
    case("cholesky", "row-and-sum", "N=7", 19, 28),
    case("lu", "grid", "N=6", 16, 36),
    case("lu", "timed", "N=6", 16, 36),
    case("smith_waterman", "row", "M=5,N=7", 11, 5),
    case("smith_waterman", "column", "M=5,N=7", 11, 7),
    case("edit_distance", "row", "M=5,N=7", 11, 5),
    case("edit_distance", "column", "M=5,N=7", 11, 7),
    case("prefix_sum", "chain", "N=9", 9, 9),
    case("minkowski", "output-stationary", "M=5,N=4,K=6", 14, 20),
    case("ranks", "counting", "N=7", 7, 7),
    case("jacobi1d", "cells", "T=5,N=6", 6, 8),
    case("jacobi2d", "cells", "T=4,N=3", 5, 25),
];

#[test]
fn every_shipped_schedule_of_several_spaces_is_proved_and_runs_in_the_stated_cycles() {
    SYSTEMS.iter().for_each(|case| hold(case, &[]));
}

/// Longer links lengthen what a schedule leaves open: `l i + j` and `(l + 1) i`; `l i + l j + k`, `l i + (l + 1) j` and
/// `(2 l + 1) i`.
#[test]
fn times_are_derived_from_the_place_for_links_of_any_latency() {
    let n = 8;
    for latency in 1..=3u64 {
        let flags = ["--latency", &latency.to_string()];
        hold(&case("trisolve", "row", "N=8", (latency + 1) * (n - 1) + 1, n), &flags);
        hold(&case("cholesky", "grid", "N=8", (2 * latency + 1) * (n - 1) + 1, n * (n + 1) / 2), &flags);
    }
}

fn hold(Case { kernel, schedule, size, cycles, pes }: &Case, flags: &[&str]) {
    let path = format!("kernels/{kernel}.rec");
    let found = json(&[&["run", &path, "--schedule", schedule, "--size", size], flags].concat());
    let what = format!("{kernel} {schedule} {flags:?}");
    assert_eq!(found["prove"]["result"], "proved", "{what}");
    assert_eq!((&found["sim"]["cycles"], &found["sim"]["pes"]), (&json!(cycles), &json!(pes)), "{what}");
    assert_eq!(found["sim"]["matches_reference"], true, "{what}");
}

#[test]
fn the_schedule_that_is_wrong_on_purpose_is_refused_by_every_command_that_needs_it() {
    for command in ["run", "emit", "search", "explain"] {
        let message = refused(&[command, "kernels/matmul.rec", "--schedule", "too-fast", "--size", "M=4,N=4,K=4"]);
        assert!(message.contains("refuted: operands of `C` do not meet"), "{command}: {message}");
    }
}

#[test]
fn kernels_without_schedules_are_searched() {
    let sizes = ["--size", "I=2,J=2,K=2,L=2", "--rank", "2", "--steps", "0..1"];
    for kernel in ["kernels/mttkrp.rec", "kernels/ttm.rec"] {
        let found = json(&[&["run", kernel], &sizes[..]].concat());
        assert_eq!(found["sim"]["matches_reference"], true, "{kernel}");
    }
}
