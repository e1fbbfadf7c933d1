//! `systole rules check`: what it says of rules that hold, of rules that do not, and of what it could not find out.

use super::start::{good, json, object, systole};
use serde_json::Value;
use tempfile::TempDir;

fn folder_with(text: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("own.rules"), text).unwrap();
    folder
}

/// A rule of the report, by its name.
fn rule<'a>(report: &'a Value, name: &str) -> &'a Value {
    report["rules"].as_array().unwrap().iter().find(|rule| rule["name"] == name).unwrap()
}

#[test]
fn the_rules_that_ship_are_sound() {
    let report = json(&["rules", "check", "--cases", "20"]);
    assert_eq!((&report["cases"], &report["seed"], &report["unsound"]), (&20.into(), &1.into(), &0.into()));
    for rule in report["rules"].as_array().unwrap() {
        assert_eq!(rule["sound"], true, "{rule}");
        assert_eq!((&rule["passed"], &rule["few_cases"]), (&20.into(), &false.into()), "{rule}");
        assert!(rule["kernels"].as_u64() > Some(0), "{rule}");
        assert_eq!(rule["fires_in"].as_array().map(|names| names.len() as u64), rule["kernels"].as_u64(), "{rule}");
    }
    let monoids: Vec<&str> =
        report["monoids"].as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(monoids, ["rescaled", "greatest", "affine"]);
    assert!(report["monoids"].as_array().unwrap().iter().all(|one| one["sound"] == true && one["passed"] == 20));
    let text = good(&["rules", "check", "--cases", "20"]);
    let fibre = text.lines().find(|line| line.trim_start().starts_with("lower-fibre")).unwrap();
    assert!(fibre.split_whitespace().take(3).eq(["lower-fibre", "dataflow.rules:8", "exact"]), "{text}");
    assert!(text.trim_end().ends_with("20 each; 7 proved by Z3, 0 unsound"), "{text}");
    assert!(text.contains("ordered monoid affine"), "{text}");
}

#[test]
fn a_declared_monoid_that_is_none_is_refused() {
    let own = tempfile::tempdir().unwrap();
    std::fs::create_dir(own.path().join("algebra")).unwrap();
    std::fs::write(own.path().join("none.rules"), "").unwrap();
    let text = "# law real: maps a + x y of y\nmonoid maps: (a x) (b y) => ((add a (mul x b)) (mul x y)) from (0 1)\n";
    std::fs::write(own.path().join("algebra/own.rules"), text).unwrap();
    let ran = systole(&["rules", "check", own.path().to_str().unwrap(), "--cases", "20"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    for words in ["monoid `maps` is unsound: it is not commutative", "own.rules:2", "a b = (", "say `ordered monoid`"] {
        assert!(ran.stderr.contains(words), "no `{words}` in\n{}", ran.stderr);
    }
    let ran = systole(&["rules", "check", own.path().to_str().unwrap(), "--cases", "20", "--json"]);
    let report = object(&ran.stdout);
    let maps = report["monoids"].as_array().unwrap().iter().find(|one| one["name"] == "maps").unwrap();
    assert_eq!((ran.code, &maps["sound"], &maps["broken"]), (1, &false.into(), &"commutative".into()));
}

#[test]
fn a_rule_of_ones_own_that_holds_passes() {
    let own = folder_with(
        "# law exact: products of numbers commute\nown-commutes: (mul ?a ?b) => (mul ?b ?a)\n\
         # law real: a number less itself\nown-nothing: (sub ?a ?a) => 0\n\
         # law assume: the number is positive\nown-magnitude: (abs ?a) => ?a\n",
    );
    let folder = own.path().to_str().unwrap();
    let report = json(&["rules", "check", folder, "--cases", "50"]);
    let commutes = rule(&report, "own-commutes");
    assert_eq!(
        (&commutes["sound"], &commutes["origin"], &commutes["tag"]),
        (&true.into(), &"own.rules:2".into(), &"exact".into())
    );
    assert!(commutes["kernels"].as_u64() > Some(5) && commutes["proved"] == false);
    let nothing = rule(&report, "own-nothing");
    assert_eq!((&nothing["proved"], &nothing["kernels"]), (&true.into(), &0.into()));
    assert_eq!(rule(&report, "own-magnitude")["sound"], true, "Z3 does not know what is assumed");
    let text = good(&["rules", "check", folder, "--cases", "50"]);
    assert!(text.contains("warning  rule `own-nothing` never fires in the kernels that ship"), "{text}");
    assert!(text.contains("proved by Z3"), "{text}");
}

#[test]
fn an_unsound_rule_is_refused_with_its_line_and_a_counterexample() {
    let own = folder_with(
        "# law real: a number by itself is 1\nitself: (div ?a ?a) => 1\n\
         # law exact: a factor leaves a sum\nfactor: (reduce ?s sum ?k (mul ?a ?b)) => (mul ?a (reduce ?s sum ?k ?b))\n",
    );
    let folder = own.path().to_str().unwrap();
    let ran = systole(&["rules", "check", folder, "--cases", "50"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    for text in ["own.rules:2", "a number by itself is 1", "?a = 0", "left undefined, right 1", "# law assume:"] {
        assert!(ran.stderr.contains(text), "`{text}` is not in\n{}", ran.stderr);
    }
    assert!(ran.stderr.contains("own.rules:4") && ran.stderr.contains("?k = "), "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("is unsound").count(), 2, "one message a rule\n{}", ran.stderr);
    assert!(ran.stdout.contains("2 unsound"), "{}", ran.stdout);
    let ran = systole(&["rules", "check", folder, "--cases", "50", "--json"]);
    let report = object(&ran.stdout);
    let example = &rule(&report, "itself")["counterexample"];
    assert_eq!((ran.code, &example["variables"]["?a"], &example["right"]), (1, &"0".into(), &"1".into()));
    assert_eq!(example["left"], Value::Null);
}

#[test]
fn variables_that_would_be_two_things_are_refused() {
    let own = folder_with("# law exact: none\ntwo: (in ?s ?f) => ?f\n");
    let ran = systole(&["rules", "check", own.path().to_str().unwrap(), "--cases", "10"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("takes `?f` for an expression"), "{}", ran.stderr);
}

#[test]
fn threads_change_nothing_and_seeds_do() {
    let run =
        |threads: &str, seed: &str| good(&["rules", "check", "--cases", "20", "--threads", threads, "--seed", seed]);
    assert_eq!(run("1", "3"), run("3", "3"));
    assert_ne!(run("2", "3"), run("2", "4"));
}

#[test]
fn at_least_one_case_is_tried() {
    assert_eq!(systole(&["rules", "check", "--cases", "0"]).code, 2);
    assert_eq!(systole(&["rules", "check", "--cases", "1"]).code, 0);
}

#[test]
fn a_folder_without_rules_is_refused() {
    let own = tempfile::tempdir().unwrap();
    let ran = systole(&["rules", "check", own.path().join("none").to_str().unwrap()]);
    assert!(ran.code == 1 && ran.stderr.contains("cannot read rules"), "{}", ran.stderr);
}
