//! The keys of the JSON objects: programs rely on them, so they are never renamed.

use super::start::{json, keys, object, systole};
use serde_json::Value;
use std::collections::BTreeSet;

const SMALL: [&str; 2] = ["--size", "M=3,N=3,K=3"];

fn assert_keys(value: &Value, expected: &str) {
    assert_eq!(keys(value), expected.split_whitespace().collect::<BTreeSet<_>>());
}

fn assert_search(value: &Value, more: &str) {
    assert_keys(value, &format!("front winner maps legal designs closed seconds saturation {more}"));
    assert_keys(&value["closed"], "all share");
    assert_keys(&value["saturation"], "nodes classes iterations stop seconds");
    assert_eq!(value["saturation"]["stop"], "Saturated");
    let design = &value["front"][0];
    assert_keys(design, "place step cycles pes transport channel_words memory_words buffers fanout design");
    assert_keys(&design["place"], "S");
    assert_keys(&design["step"], "S");
    assert_keys(&design["transport"], "A B C");
}

fn assert_prove(value: &Value) {
    for obligation in value["obligations"].as_array().expect("a list") {
        let mut found = keys(obligation);
        if obligation["result"] != "proved" {
            assert!(found.remove("reason"));
        }
        assert_eq!(found.remove("counterexample"), obligation["result"] == "refuted");
        assert_eq!(found, BTreeSet::from(["kind", "ms", "of", "result"]));
    }
}

fn assert_sim(value: &Value) {
    let all = "cycles pes busy stall starve utilisation fullest messages max_depth depth memory_words operations \
               matches_reference rounding deadlock";
    assert_keys(value, all);
    assert_keys(&value["max_depth"], "A-link B-link");
    assert_keys(&value["depth"], "A-link B-link");
    assert_keys(&value["memory_words"]["A"], "loaded prefetched local stored");
    assert_keys(&value["operations"], "add mul");
}

#[test]
fn search_writes_its_keys() {
    let found = json(&[&["search", "kernels/matmul.rec", "--schedule", "cannon"], &SMALL[..]].concat());
    assert_search(&found, "bound");
    assert_keys(&found["bound"], "cycles operations pes chain share");
    assert_eq!(found["winner"], 0);
    assert_eq!((&found["front"][0]["cycles"], &found["front"][0]["pes"]), (&7.into(), &9.into()));
    assert_eq!(found["front"][0]["place"]["S"].to_string(), "[[1,0,0],[0,1,0]]");
    assert_eq!(found["front"][0]["step"]["S"].to_string(), "[1,1,1]");
    assert_eq!(found["front"][0]["transport"]["A"], "stream <j>");
    assert_eq!(found["front"][0]["design"], "t = i + j + k PE (i, j) A streams east, B streams south, C stays");
}

#[test]
fn search_for_all_has_all_in_place_of_the_front() {
    let found = json(&[&["search", "kernels/matmul.rec", "--schedule", "summa", "--all"], &SMALL[..]].concat());
    assert_keys(&found, "all winner maps legal designs bound closed seconds saturation");
    let all = found["all"].as_array().expect("a list");
    assert_eq!(Some(all.len() as u64), found["designs"].as_u64());
}

#[test]
fn prove_writes_its_keys_whether_it_proves_or_refutes() {
    let proved = json(&["prove", "kernels/matmul.rec", "--schedule", "cannon"]);
    assert_prove(&proved);
    assert_keys(&proved, "obligations result saturation");
    assert_keys(&proved["saturation"], "nodes classes iterations stop");
    assert_eq!(proved["result"], "proved");
    let ran = systole(&["prove", "kernels/matmul.rec", "--schedule", "too-fast", "--json"]);
    let refuted = object(&ran.stdout);
    assert_prove(&refuted);
    assert_eq!((ran.code, &refuted["result"]), (1, &"refuted".into()));
    assert_eq!(refuted["obligations"][0]["counterexample"].to_string(), r#"{"M":1,"N":2,"K":1,"i":0,"j":1,"k":0}"#);
}

#[test]
fn run_writes_the_three_objects_and_the_programs_size() {
    let found = json(&[&["run", "kernels/matmul.rec", "--schedule", "cannon"], &SMALL[..]].concat());
    assert_keys(&found, "sizes search prove sim record program unstated");
    assert_eq!(found["unstated"], serde_json::json!([]));
    assert_search(&found["search"], "");
    assert_prove(&found["prove"]);
    assert_keys(&found["prove"], "obligations result");
    assert_sim(&found["sim"]);
    assert_keys(&found["program"], "classes lines");
    assert_eq!((&found["sim"]["cycles"], &found["sim"]["matches_reference"]), (&7.into(), &true.into()));
    assert!(found["sim"]["deadlock"].is_null());
}

#[test]
fn sim_writes_its_keys() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cannon.pe");
    let path = path.to_str().unwrap();
    let written = json(&["emit", "kernels/matmul.rec", "--schedule", "cannon", "-o", path]);
    assert_keys(&written, "classes thin_classes lines program proofs saturation");
    let found = json(&[&["sim", path], &SMALL[..]].concat());
    assert_sim(&found);
    assert!(found["matches_reference"].is_null());
}

#[test]
fn the_other_commands_write_one_object_too() {
    let checked = json(&["check", "kernels/matmul.rec"]);
    assert_keys(&checked, "kernel parameters tensors equations schedules normal_form spaces");
    assert_keys(
        &json(&["explain", "kernels/matmul.rec", "--schedule", "cannon"]),
        "recurrences steps checked saturation",
    );
    assert_keys(&json(&["doctor"]), "solver cores mpirun findings");
}

#[test]
fn a_refusal_is_an_object_of_messages() {
    let ran = systole(&["check", "tests/errors/missing-bracket.rec", "--json"]);
    assert_eq!(ran.code, 1);
    assert_keys(&object(&ran.stdout), "diagnostics");
    assert_eq!(systole(&["check", "tests/errors/missing-bracket.rec"]).stdout, "");
}
