//! Limits of saturation: the same flags at every command that saturates, and every output says what ended it.

use super::start::{good, json, refused, systole, written};
use serde_json::Value;
use std::collections::HashSet;

/// Every command that saturates for dataflows, on a small product.
const COMMANDS: [&[&str]; 6] = [
    &["search", "kernels/matmul.rec", "--size", "M=2,N=2,K=2"],
    &["prove", "kernels/matmul.rec"],
    &["explain", "kernels/matmul.rec"],
    &["emit", "kernels/matmul.rec"],
    &["run", "kernels/matmul.rec", "--size", "M=2,N=2,K=2"],
    &["explore", "kernels/matmul.rec", "--sweep", "size.N=2", "--size", "M=2,K=2"],
];

/// A limit with the reason that programs and people are told where it struck.
const LIMITS: [([&str; 2], &str, &str); 3] = [
    (["--nodes", "60"], "NodeLimit", "stopped by the limit of e-nodes in 4 rounds"),
    (["--rounds", "4"], "IterationLimit", "stopped by the limit of rounds in 4 rounds"),
    (["--rounds", "9"], "Saturated", "saturated in 9 rounds"),
];

fn saturation<'a>(command: &[&str], found: &'a Value) -> &'a Value {
    if command[0] == "run" { &found["search"]["saturation"] } else { &found["saturation"] }
}

#[test]
fn each_command_takes_each_limit_and_says_what_ended_it() {
    for command in COMMANDS {
        for (limit, word, words) in LIMITS {
            let flags = [command, &limit[..]].concat();
            let object = super::start::object(&systole(&[&flags[..], &["--json"]].concat()).stdout);
            assert_eq!(saturation(command, &object)["stop"], word, "{flags:?}");
            let told = systole(&flags);
            let said = if command[0] == "emit" { &told.stderr } else { &told.stdout };
            // A program on standard output comes with nothing beside it where all is well.
            let is_quiet = command[0] == "emit" && word == "Saturated";
            assert!(if is_quiet { said.is_empty() } else { said.contains(words) }, "{flags:?}: {said}");
        }
    }
}

#[test]
fn a_limit_that_leaves_nothing_is_named() {
    for command in COMMANDS {
        let why = refused(&[command, &["--nodes", "20"]].concat());
        assert!(why.contains("rewriting was stopped by the limit of e-nodes"), "{why}");
        // What would be said where all rules had their turn is not said beside it.
        let help: Vec<&str> = why.lines().filter(|line| line.contains("help:")).collect();
        assert_eq!(help, ["  help: allow more with --nodes or --rounds"], "{why}");
    }
}

/// With fewer rounds there are fewer ways to move the operands, and each of them is one that more rounds find too.
#[test]
fn what_is_found_within_a_limit_is_right() {
    let within = |rounds: &str| {
        let flags = ["search", "kernels/matmul.rec", "--size", "M=2,N=2,K=2", "--all", "--rounds", rounds];
        let designs = json(&flags)["all"].as_array().expect("a list").clone();
        designs.iter().map(ToString::to_string).collect::<HashSet<String>>()
    };
    let (few, all) = (within("4"), within("100"));
    assert!(!few.is_empty() && few.len() < all.len());
    assert!(few.is_subset(&all));
}

/// The laws of algebra have the same flags where forms are searched, and what ended them is said apart.
#[test]
fn laws_and_dataflows_are_told_apart() {
    let flags = ["search", "kernels/naive/prefix_sum.rec", "--forms", "--size", "N=4", "--rounds", "20"];
    let saturation = json(&flags)["saturation"].clone();
    assert_eq!((&saturation["stop"], &saturation["laws"]["stop"]), (&"Saturated".into(), &"Saturated".into()));
    assert_ne!(saturation["nodes"], saturation["laws"]["nodes"]);
    let text = good(&flags);
    assert!(text.contains("\nlaws     ") && text.contains("\n  rewrite   "), "{text}");
    let written = ["kernels/naive/log_sum_exp.rec", "--size", "N=2,M=3"];
    let none = refused(&[&["search"], &written[..], &["--forms", "--nodes", "20"]].concat());
    assert!(none.contains("rewriting was stopped by the limit of e-nodes"), "{none}");
}

/// A term that is nothing: laws take it apart without end, and the round that goes too far is broken off, before the limit is left far behind.
#[test]
fn a_round_that_goes_too_far_is_broken_off() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nothing.rec").display().to_string();
    std::fs::write(&path, "kernel nothing(N)\nin x[N]\nout y[N]\ny[i] = sum(j in 0..N) (x[j] - x[j])\n").unwrap();
    let found = json(&["derive", &path, "--size", "N=3"]);
    let nodes = found["saturation"]["nodes"].as_u64().expect("a count");
    assert!(found["saturation"]["stop"] == "NodeLimit" && (2000..6000).contains(&nodes), "{nodes}");
    let text = found["forms"][0]["text"].as_str().expect("a text");
    assert!(text.ends_with("y[i] = 0\n") || text.ends_with("y[i] = 0"), "{text}");
}

/// No rule is to blame where the kernel itself has no number.
#[test]
fn a_kernel_without_numbers_has_no_forms_to_compare() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.rec").display().to_string();
    let written =
        |term: &str| std::fs::write(&path, format!("kernel none(N)\nin x[N]\nout y[N]\ny[i] = {term}\n")).unwrap();
    written("infinity - infinity + x[i]");
    let why = refused(&["derive", &path]);
    assert!(why.contains("`y[0]` is not a number as it is written, so no form can be compared with it"), "{why}");
    assert!(!why.contains("unsound"), "{why}");
    written("infinity + x[i]");
    assert!(good(&["derive", &path]).contains("form 0"));
}

/// When the seconds are over the best so far is gone on with, and where nothing was found one PE that runs everything in order. Which it
/// is depends on the machine, and that is said.
#[test]
fn seconds_end_a_search_with_an_answer() {
    let kernels: [(&str, &str); 3] = [
        ("kernels/lu.rec", "N=6"),
        ("kernels/matmul.rec", "M=9,N=9,K=9"),
        ("kernels/naive/softmax_attention.rec", "N=3,M=4,D=2"),
    ];
    for (kernel, sizes) in kernels {
        let flags = [kernel, "--size", sizes, "--seconds", "0"];
        let ran = good(&[&["run"], &flags[..]].concat());
        assert!(
            ran.contains("  stopped   --seconds are over: these are the best so far, which depends on the machine"),
            "{ran}"
        );
        assert!(ran.contains("matches reference"), "{ran}");
        let found = json(&[&["search"], &flags[..]].concat());
        assert!(found["stopped"] == true && found["closed"]["all"] == false, "{kernel}");
        // With time enough nothing is said of it.
        let flags = [kernel, "--size", sizes, "--seconds", "3600"];
        let found = json(&[&["search"], &flags[..]].concat());
        assert!(found["stopped"].is_null(), "{kernel}");
    }
}

/// Of many places that fit some equations none may fit all: that is found out in time, and seconds end it before.
#[test]
fn seconds_end_a_list_of_places_too() {
    let (_folder, machine) = written("[grid]\nextent = [2, 1]\n");
    let kernel = "tests/textbook/conjugate_gradient.rec";
    let flags = ["run", kernel, "--size", "N=3,T=2", "--machine", &machine, "--seconds", "2"];
    let start = std::time::Instant::now();
    let ran = good(&flags);
    assert!(ran.contains("matches reference") && ran.contains("  stopped   --seconds are over"), "{ran}");
    assert!(start.elapsed().as_secs() < 300, "seconds end it");
}

/// What is compared with other searches ends, or says why not.
#[test]
fn seconds_leave_no_row_of_a_sweep_unsaid() {
    let flags = ["explore", "kernels/lu.rec", "--sweep", "size.N=5,6", "--seconds", "0"];
    let told = systole(&flags);
    let rows = told.stdout.lines().filter(|line| line.contains("the search for a design of `lu` was stopped")).count();
    assert_eq!(rows, 2, "{} {}", told.stdout, told.stderr);
}

/// A search says whether it looked at all that its bounds allow, and nothing that left something out does.
#[test]
fn a_search_says_whether_it_is_closed() {
    let small = ["search", "kernels/matmul.rec", "--size", "M=3,N=3,K=3"];
    let (all, few) = (json(&small), json(&[&small[..], &["--budget", "100"]].concat()));
    assert!(all["closed"]["all"] == true && all["closed"]["share"].is_null());
    assert!(few["closed"]["all"] == false && few["closed"]["share"].as_f64().is_some_and(|share| share < 0.5));
    assert!(good(&small).contains("\n  closed    all maps within the bounds were looked at"));
    let exact = [&small[..], &["--exact"]].concat();
    assert_eq!(json(&exact)["closed"], all["closed"]);
    let solve = ["search", "kernels/trisolve.rec", "--size", "N=4"];
    assert!(good(&solve).contains("within the bounds, of spaces in reach of each other, were looked at"));
    assert!(good(&[&solve[..], &["--all"]].concat()).contains("all placements within the bounds were looked at"));
    let lu = good(&["search", "kernels/lu.rec", "--size", "N=4"]);
    assert!(lu.contains("\n  open      ") && lu.contains("left out"), "{lu}");
}
