//! Each kind of refusal as a command writes it under `--json`, beside a twin that is not refused.

use super::start::{json, object, systole, written};
use serde_json::{Value, json as value};

/// The refusal of a command that finds no design; its message is on standard error.
fn refusal(arguments: &[&str]) -> Value {
    let ran = systole(&[arguments, &["--json"]].concat());
    assert_eq!(ran.code, 1, "{arguments:?}: {}", ran.stderr);
    assert!(ran.stderr.contains('×'), "{arguments:?}: {}", ran.stderr);
    object(&ran.stdout)["refusal"].clone()
}

fn file(name: &str, text: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("written");
    path.to_string_lossy().into_owned()
}

#[test]
fn a_cycle_is_shown_at_the_smallest_sizes() {
    let found = refusal(&["search", "tests/errors/cycle-of-two.rec"]);
    assert_eq!(found["kind"], "cycle");
    assert!(found["elements"].as_array().is_some_and(|elements| elements.len() == 2), "{found}");
    assert_eq!(refusal(&["check", "tests/errors/cycle-of-two.rec"]), found);
}

#[test]
fn a_contradiction_names_the_fewest_lines() {
    let text = std::fs::read_to_string("kernels/matmul.rec").expect("a kernel");
    let lines = value!([{ "line": 43, "text": "time i + k" }, { "line": 44, "text": "stream A along j" }]);
    let clash = value!({ "kind": "contradiction", "lines": lines, "without_one": "design" });
    for command in ["search", "prove"] {
        assert_eq!(refusal(&[command, "kernels/matmul.rec", "--schedule", "too-fast"]), clash, "{command}");
    }
    // With these lines alone it is refused, and the twins without either are not.
    let alone = |name: &str, lines: &str| file(name, &format!("{text}schedule alone\n{lines}\n"));
    let both = alone("both.rec", "time i + k   stream A along j");
    assert_eq!(refusal(&["search", &both, "--schedule", "alone"])["kind"], "contradiction");
    for (name, line) in [("time.rec", "time i + k"), ("stream.rec", "stream A along j")] {
        let found = json(&["search", &alone(name, line), "--schedule", "alone"]);
        assert!(found["refusal"].is_null() && found["front"].as_array().is_some_and(|front| !front.is_empty()));
    }
}

#[test]
fn a_machine_is_told_what_it_would_take() {
    let search = |lines: &str| {
        let (_folder, machine) = written(lines);
        let flags = ["search", "kernels/cholesky.rec", "--schedule", "timed", "--size", "N=4", "--machine", &machine];
        systole(&[&flags[..], &["--json"]].concat())
    };
    let small = search("[grid]\nextent = [2, 2]\n");
    assert_eq!(small.code, 1, "{}", small.stderr);
    let found = &object(&small.stdout)["refusal"];
    assert_eq!((&found["kind"], &found["takes"]), (&"machine".into(), &value!(["an array of 4 x 4 PEs"])));
    assert!(small.stderr.contains("is too small for `cholesky`"), "{}", small.stderr);
    assert_eq!(search("[grid]\nextent = [4, 4]\n").code, 0, "the twin: as large as that");
}

#[test]
fn what_is_only_not_found_comes_with_limits_and_flags() {
    let search = ["search", "kernels/polynomial_product.rec", "--size", "M=2,N=2", "--rank"];
    let found = refusal(&[&search[..], &["0"]].concat());
    assert_eq!((&found["kind"], &found["lines"]), (&"not-found".into(), &Value::Null));
    assert!(found["limits"].as_array().is_some_and(|limits| limits.len() >= 2), "{found}");
    let flags: Vec<&str> = found["flags"].as_array().expect("flags").iter().filter_map(Value::as_str).collect();
    let rank = flags.iter().find_map(|flag| flag.strip_prefix("--rank ")).expect("a flag that looks further");
    let wider = json(&[&search[..], &[rank]].concat());
    assert!(wider["refusal"].is_null() && wider["designs"].as_u64() > Some(0), "the twin: it does");
}
