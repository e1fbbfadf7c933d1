//! `--fit-fifos`: the least capacities of shipped kernels against the depths that were proved.

use super::start::{good, json};
use serde_json::Value;

/// A kernel with what picks its design, a size, and the channels that need less than their proved depth there.
type Case = (&'static str, &'static [&'static str], &'static str, &'static [(&'static str, u64)]);

fn hold((kernel, flags, size, smaller): &Case) {
    let path = format!("kernels/{kernel}.rec");
    let found = json(&[&["run", &path, "--size", size, "--fit-fifos"], *flags].concat());
    assert_eq!(found["prove"]["result"], "proved", "{kernel}");
    let fifos = &found["sim"]["fifos"];
    assert_eq!(fifos["cycles"], found["sim"]["cycles"], "{kernel}");
    let number = |row: &Value, key: &str| row[key].as_u64().expect("a number");
    let mut below = vec![];
    for row in fifos["channels"].as_array().expect("a list") {
        let (fitted, declared) = (number(row, "fitted"), number(row, "declared"));
        assert!(fitted <= number(row, "max_depth").max(1), "{kernel}: {row}");
        assert!(number(row, "max_depth") <= declared, "{kernel}: {row}");
        if fitted < declared {
            below.push((row["channel"].as_str().expect("a name"), fitted));
        }
    }
    assert_eq!(below, *smaller, "{kernel} {flags:?} {size}");
}
