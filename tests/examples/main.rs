//! The examples run.

use systole::diagnostic::{Diagnostics, render};

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

fn runs(ran: Result<(), Diagnostics>) {
    ran.unwrap_or_else(|problems| panic!("{}", render(&problems, false)));
}

#[test]
fn one_space_runs() {
    runs(one_space::run());
}

#[test]
fn several_spaces_run() {
    runs(several_spaces::run());
}

#[test]
fn a_rule_of_ones_own_runs() {
    runs(own_rule::run());
}

#[test]
fn a_machine_of_ones_own_runs() {
    runs(own_machine::run());
}

#[test]
fn a_program_runs_from_rust() {
    runs(run_program::run());
}

/// None is forgotten here.
#[test]
fn every_example_runs() {
    let folder = std::path::Path::new(env!("SYSTOLE_ROOT")).join("examples");
    let files = std::fs::read_dir(folder).expect("a folder").count();
    let tested = include_str!("main.rs").matches("#[path = ").count() - 1;
    assert_eq!(files, tested);
}
