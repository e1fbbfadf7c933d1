//! The front of all forms together, against the fronts of searches of each form by itself.

use crate::whole::{forms, object};
use serde_json::Value;
use std::collections::BTreeMap;

/// What a design costs, entry by entry.
type Costs = [u64; 6];

/// How many designs of a form have these costs.
type Counted = BTreeMap<(usize, Costs), usize>;

fn costs(design: &Value) -> Costs {
    ["cycles", "pes", "channel_words", "memory_words", "buffers", "fanout"].map(|key| design[key].as_u64().unwrap())
}

fn list(found: &Value) -> &[Value] {
    found.as_array().unwrap()
}

fn counted(designs: impl Iterator<Item = (usize, Costs)>) -> Counted {
    let mut counted = Counted::new();
    designs.for_each(|design| *counted.entry(design).or_default() += 1);
    counted
}

/// The front that the search over forms shows.
fn shown(flags: &[&str]) -> Counted {
    let found = object(&[flags, &["--forms"]].concat());
    counted(list(&found["together"]["front"]).iter().map(|one| (one["form"].as_u64().unwrap() as usize, costs(one))))
}

/// The designs of all forms, each searched as a kernel of its own.
fn alone(kernel: &str, flags: &[&str]) -> Vec<(usize, Costs)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("form.rec").display().to_string();
    let mut all = vec![];
    for (number, form) in forms(kernel, flags[3]).iter().enumerate() {
        std::fs::write(&path, &form.text).unwrap();
        let found = object(&[&["search", &path], &flags[2..]].concat());
        all.extend(list(&found["front"]).iter().map(|design| (number, costs(design))));
    }
    all
}

/// Those that no other is better than in one entry and no worse in all.
fn unbeaten(all: &[(usize, Costs)]) -> Counted {
    let beats = |one: &Costs, other: &Costs| one != other && one.iter().zip(other).all(|(one, other)| one <= other);
    counted(all.iter().filter(|(_, costs)| !all.iter().any(|(_, other)| beats(other, costs))).copied())
}

/// Each kernel with the forms that are on the front.
#[test]
fn the_front_of_all_forms_is_that_of_each_form_alone() {
    for (kernel, size, on_front) in [
        ("two_factors", "M=3,N=3,K=3", &[0, 1][..]),
        ("two_terms", "N=4", &[0, 1]),
        ("log_sum_exp", "N=3,M=4", &[0, 1]),
        ("polynomial", "N=3,K=3", &[0, 1]),
        ("prefix_sum", "N=4", &[0, 1]),
    ] {
        for objective in ["cycles", "systolic"] {
            let path = format!("kernels/naive/{kernel}.rec");
            let flags = ["search", &path, "--size", size, "--objective", objective];
            let (shown, all) = (shown(&flags), alone(kernel, &flags));
            assert_eq!(shown, unbeaten(&all), "{kernel}");
            let mut forms: Vec<usize> = shown.keys().map(|(form, _)| *form).collect();
            forms.dedup();
            assert_eq!(forms, on_front, "{kernel}");
        }
    }
}

/// The twins: a design that is not shown, one that is beaten in one entry, and one under another form's number.
#[test]
fn a_front_with_a_wrong_design_is_another_front() {
    let flags = ["search", "kernels/naive/polynomial.rec", "--size", "N=3,K=3", "--objective", "cycles"];
    let (shown, all) = (shown(&flags), alone("polynomial", &flags));
    for left_out in shown.keys() {
        let fewer: Vec<(usize, Costs)> = all.iter().filter(|design| *design != left_out).copied().collect();
        assert_ne!(shown, unbeaten(&fewer));
        for entry in 0..6 {
            let mut beaten = *left_out;
            beaten.1[entry] += 1;
            let mut wrong = shown.clone();
            wrong.insert(beaten, 1);
            assert_ne!(wrong, unbeaten(&all));
        }
        let mut renamed = shown.clone();
        let count = renamed.remove(left_out).unwrap();
        *renamed.entry((left_out.0 + 7, left_out.1)).or_default() += count;
        assert_ne!(renamed, unbeaten(&all));
    }
}
