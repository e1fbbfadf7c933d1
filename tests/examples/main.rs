//! The examples run, each of them.

use systole::diagnostic::{Checked, render};

#[path = "../../examples/one_space.rs"]
mod one_space;

#[path = "../../examples/several_spaces.rs"]
mod several_spaces;

#[path = "../../examples/own_rule.rs"]
mod own_rule;

#[path = "../../examples/own_machine.rs"]
mod own_machine;

#[path = "../../examples/run_program.rs"]
mod run_program;

type Run = fn() -> Checked<()>;

const EXAMPLES: [(&str, Run); 5] = [
    ("one_space.rs", one_space::run),
    ("own_machine.rs", own_machine::run),
    ("own_rule.rs", own_rule::run),
    ("run_program.rs", run_program::run),
    ("several_spaces.rs", several_spaces::run),
];

#[test]
fn every_example_runs() {
    for (name, run) in EXAMPLES {
        run().unwrap_or_else(|problems| panic!("{name}: {}", render(&problems, false)));
    }
}

#[test]
fn none_is_forgotten() {
    let files = std::fs::read_dir(concat!(env!("SYSTOLE_ROOT"), "/examples")).expect("a folder");
    let mut found: Vec<String> = files.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    found.sort();
    assert_eq!(found, EXAMPLES.map(|(name, _)| name));
}
