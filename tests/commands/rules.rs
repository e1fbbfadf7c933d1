//! `--rules DIR`: a user's own rules beside the ones that ship.

use super::start::{json, refused};
use std::path::Path;
use tempfile::TempDir;

fn folder_with(text: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("own.rules"), text).unwrap();
    folder
}

fn arguments(folder: &Path) -> [&str; 8] {
    let folder = folder.to_str().unwrap();
    ["search", "kernels/matmul.rec", "--schedule", "cannon", "--size", "M=3,N=3,K=3", "--rules", folder]
}

#[test]
fn a_rule_of_ones_own_takes_part() {
    let own = folder_with("# law exact: products of numbers commute\ncomm-mul: (mul ?a ?b) => (mul ?b ?a)\n");
    let with = json(&arguments(own.path()));
    let without = json(&arguments(own.path())[..6]);
    assert!(with["saturation"]["nodes"].as_u64() > without["saturation"]["nodes"].as_u64());
    assert_eq!(with["front"], without["front"]);
    let check = ["check", "kernels/matmul.rec", "--rules", own.path().to_str().unwrap()];
    assert_eq!(json(&check)["kernel"], "matmul");
}

#[test]
fn a_broken_rule_is_refused_at_its_place() {
    let own = folder_with("# law exact: none\nbroken: (mul ?a ?b) => (mull ?b ?a)\n");
    let message = refused(&arguments(own.path()));
    assert!(message.contains("unknown operator `mull`") && message.contains("own.rules:2"), "{message}");
    assert!(message.contains("did you mean `mul`?"), "{message}");
}

#[test]
fn a_rule_without_a_law_is_refused() {
    let own = folder_with("comm-mul: (mul ?a ?b) => (mul ?b ?a)\n");
    assert!(refused(&arguments(own.path())).contains("law"));
}

#[test]
fn a_folder_that_is_not_there_is_refused() {
    let own = tempfile::tempdir().unwrap();
    assert!(refused(&arguments(&own.path().join("none"))).contains("cannot read rules"));
}
