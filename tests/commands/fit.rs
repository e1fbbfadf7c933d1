//! `--fit-fifos`: the least capacities of shipped kernels against the depths that were proved.

use super::start;
use super::start::good;
use serde_json::{Value, json};

/// A kernel with what picks its design, a size, and the channels in which fewer words hold a slot at one time than the
/// depth that is proved for all sizes, each with the least capacity there.
struct Case {
    kernel: &'static str,
    flags: &'static [&'static str],
    size: &'static str,
    smaller: &'static [(&'static str, u64)],
}

const fn case(kernel: &'static str, size: &'static str, smaller: &'static [(&'static str, u64)]) -> Case {
    Case { kernel, flags: &[], size, smaller }
}

const fn scheduled(kernel: &'static str, flags: &'static [&'static str], size: &'static str) -> Case {
    Case { kernel, flags, size, smaller: &[] }
}

/// Where a list is not empty, the size is so small that no link carries as many words as its depth: a depth of three needs
/// three words one after the other, and arrays of side 3 have links that see two.
const CASES: [Case; 26] = [
    case("matmul", "M=3,N=3,K=3", &[]),
    case("matmul", "M=5,N=4,K=3", &[]),
    case("matvec", "M=3,N=3", &[]),
    case("matvec", "M=5,N=5", &[]),
    case("conv1d", "N=3,K=3", &[("x-link", 2)]),
    case("conv1d", "N=5,K=5", &[]),
    case("fir", "N=3,K=3", &[("x-link", 2)]),
    case("fir", "N=5,K=5", &[]),
    case("polynomial_product", "M=3,N=3", &[("c-link", 2)]),
    case("polynomial_product", "M=5,N=5", &[]),
    case("prefix_sum", "N=3", &[("P.2-to-P.2", 1)]),
    case("prefix_sum", "N=5", &[]),
    case("prefix_sum_by_definition", "N=3", &[]),
    case("prefix_sum_by_definition", "N=5", &[]),
    case("edit_distance", "M=3,N=3", &[("D-to-D", 2)]),
    case("edit_distance", "M=5,N=5", &[]),
    case("smith_waterman", "M=3,N=3", &[("H-to-H", 2)]),
    case("smith_waterman", "M=5,N=5", &[]),
    case("trisolve", "N=3", &[]),
    case("trisolve", "N=5", &[]),
    case("trsm", "R=3,N=3", &[]),
    case("jacobi1d", "T=3,N=3", &[]),
    case("jacobi1d", "T=5,N=5", &[]),
    scheduled("cholesky", &["--schedule", "grid"], "N=5"),
    scheduled("lu", &["--schedule", "grid"], "N=5"),
    scheduled("jacobi2d", &["--schedule", "cells"], "T=3,N=3"),
];

/// The least capacity is the largest depth that is seen, which is the proved one but where the size is too small for it.
fn hold(Case { kernel, flags, size, smaller }: &Case) {
    let path = format!("kernels/{kernel}.rec");
    let found = start::json(&[&["run", &path, "--size", size, "--fit-fifos"], *flags].concat());
    assert_eq!(found["prove"]["result"], "proved", "{kernel}");
    let fifos = &found["sim"]["fifos"];
    assert_eq!((&fifos["cycles"], &fifos["is_least"]), (&found["sim"]["cycles"], &json!(true)), "{kernel}");
    let number = |row: &Value, key: &str| row[key].as_u64().expect("a number");
    let mut below = vec![];
    for row in fifos["channels"].as_array().expect("a list") {
        let (fitted, declared) = (number(row, "fitted"), number(row, "declared"));
        assert_eq!(fitted, number(row, "max_depth").max(1), "{kernel}: {row}");
        assert_eq!(found["sim"]["depth"][row["channel"].as_str().expect("a name")], declared, "{kernel}: {row}");
        assert!(fitted <= declared, "{kernel}: {row}");
        if fitted < declared {
            below.push((row["channel"].as_str().expect("a name"), fitted));
        }
    }
    assert_eq!(below, *smaller, "{kernel} {flags:?} {size}");
}

#[test]
fn proved_depths_are_the_least_capacities_unless_the_size_is_too_small() {
    CASES.iter().for_each(hold);
}

#[test]
fn a_program_is_fitted_by_sim_as_by_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("p.pe").to_str().expect("a path").to_owned();
    good(&["emit", "kernels/conv1d.rec", "--schedule", "results-stay", "-o", &path]);
    let sizes = ["--size", "N=7,K=4", "--fit-fifos"];
    let sim = start::json(&[&["sim", &path], &sizes[..]].concat());
    let run = start::json(&[&["run", "kernels/conv1d.rec", "--schedule", "results-stay"], &sizes[..]].concat());
    assert_eq!(sim["fifos"], run["sim"]["fifos"]);
    let text = good(&[&["sim", &path], &sizes[..]].concat());
    assert!(text.contains("channel") && text.contains("fitted"), "{text}");
    assert!(!good(&["sim", &path, "--size", "N=7,K=4"]).contains("fitted"));
}
