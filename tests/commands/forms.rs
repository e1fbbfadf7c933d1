//! `--forms`: what the search over forms shows.

use super::start::{good, json, keys};
use serde_json::{Value, json};

const FLAGS: [&str; 5] = ["kernels/naive/two_terms.rec", "--forms", "--size", "N=4", "--objective"];

fn together(found: &Value) -> &Vec<Value> {
    found["together"]["front"].as_array().expect("a list")
}

#[test]
fn each_design_has_the_number_of_its_form() {
    let found = json(&[&["search"], &FLAGS[..], &["cycles"]].concat());
    assert_eq!(keys(&found["together"]), ["counted_at", "front"].into());
    assert_eq!(found["together"]["counted_at"], serde_json::json!({ "N": 4 }));
    let forms: Vec<&Value> = together(&found).iter().map(|design| &design["form"]).collect();
    assert_eq!(forms, [0, 1]);
    // But for the number it is the design as it stands on the front of its form; the best form is searched alone, too.
    let mut best = together(&found)[0].clone();
    best.as_object_mut().expect("an object").remove("form");
    assert_eq!(best, found["front"][0]);
    let table = good(&[&["search"], &FLAGS[..], &["cycles"]].concat());
    let rows: Vec<&str> = table.lines().skip_while(|line| !line.starts_with("  form  cycles")).skip(1).collect();
    let starts: Vec<Vec<&str>> = rows.iter().map(|row| row.split_whitespace().take(3).collect()).collect();
    assert_eq!(starts, [["0", "4", "1"], ["1", "4", "1"]]);
    assert!(table.contains("\n  2 designs on the front of all forms\n"), "{table}");
}

#[test]
fn the_table_of_all_forms_shows_as_many_designs_as_asked_for() {
    let flags = ["search", "kernels/naive/polynomial.rec", "--forms", "--size", "N=3,K=3"];
    let count = together(&json(&flags)).len();
    let table = good(&[&flags[..], &["--most", "2"]].concat());
    let rows = table.lines().skip_while(|line| !line.starts_with("  form  cycles")).skip(1).count();
    assert_eq!(rows, 2 + 1, "{table}");
    assert!(table.ends_with(&format!("  and {} more: --most {count}, or --json\n", count - 2)), "{table}");
}

#[test]
fn all_designs_are_those_of_the_best_form() {
    let found = json(&[&["search"], &FLAGS[..], &["cycles", "--all"]].concat());
    assert_eq!(Some(found["all"].as_array().expect("a list").len() as u64), found["designs"].as_u64());
    assert_eq!(together(&found).len(), 2);
    assert!(json(&["search", "kernels/matmul.rec", "--size", "M=2,N=2,K=2"])["together"].is_null());
}

/// At these sizes the product of the matrices has too many points to count, and the two products of vectors have not. So all are counted
/// at sizes at which both can be; at its own the product of the matrices would seem to load less because it is counted at fewer points.
#[test]
fn forms_are_compared_at_the_same_sizes() {
    let flags = ["search", "kernels/naive/two_factors.rec", "--forms", "--size", "M=10001,N=1,K=1", "--objective"];
    let flags = [&flags[..], &["words", "--transports", "feed"]].concat();
    let table = good(&flags);
    assert!(table.contains("that has too many points to count: each form at K=1,M=64,N=1\n"), "{table}");
    let lines = |start: &str| {
        table
            .lines()
            .filter(|line| line.starts_with(start) && line.contains("operations"))
            .map(str::to_owned)
            .collect::<Vec<String>>()
    };
    let [first, again] = &lines("form 0")[..] else { panic!("{table}") };
    assert!(first.contains(" 10,003 loaded") && again.contains(" 66 loaded"), "{table}");
    // At sizes of their own form 1 would seem to load least.
    assert!(table.contains("form 0 is best of 2"), "{table}");
    assert!(lines("form 1").iter().all(|line| line.contains(" 192 loaded")) && lines("form 1").len() == 2, "{table}");
}

/// What a kernel assumes of its sizes, its forms assume too: without it an extent, or a read, would be refused.
#[test]
fn what_is_assumed_of_sizes_is_assumed_of_forms() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("k.rec").display().to_string();
    let kernels = [
        "kernel k(N, K) where K <= N\nin x[N], w[K]\nout y[N - K + 1]\ny[i] = sum(k in 0..K) x[i + k] * w[k]\n",
        "kernel k(N) where N >= 2\nin x[N]\nout y[N]\ny[0] = x[0]\ny[1] = x[1]\n\
         y[i] = y[i - 2] + x[i] where i >= 2\n",
    ];
    for (text, size) in kernels.into_iter().zip(["N=5,K=3", "N=2"]) {
        std::fs::write(&path, text).expect("written");
        let derived = json(&["derive", &path]);
        let forms = derived["forms"].as_array().expect("forms");
        let texts: Vec<&str> = forms.iter().filter_map(|form| form["text"].as_str()).collect();
        assert!(
            !texts.is_empty()
                && texts.iter().all(|text| text.lines().next().is_some_and(|head| head.contains(" where "))),
            "{derived}"
        );
        let ran = json(&["run", &path, "--forms", "--size", size]);
        assert_eq!((&ran["prove"]["result"], &ran["sim"]["matches_reference"]), (&json!("proved"), &json!(true)));
    }
}
