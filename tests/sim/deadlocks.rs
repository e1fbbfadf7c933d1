//! Each `deadlocks/*.pe` deadlocks with the message in the `.expect` beside it, and its `.twin.pe`, one edit away, runs to
//! its end. `BLESS=1` rewrites the messages.

use super::common::sizes;
use super::expected::{cases, hold};
use std::fs;
use std::path::{Path, PathBuf};
use systole_base::diagnostic::render;
use systole_program::array::{Program, Tensors, parse};
use systole_run::shared::Deadlock;
use systole_run::sim::{Order, Settings, simulate};

/// Every program that has a size is run at this one.
const SIZE: i64 = 4;

fn programs() -> Vec<PathBuf> {
    let mut paths = cases("tests/sim/deadlocks", "pe");
    paths.retain(|path| !path.to_string_lossy().ends_with(".twin.pe"));
    assert!(paths.len() >= 12, "only {} deadlocks are tested", paths.len());
    paths
}

fn load(path: &Path) -> Program {
    let text = fs::read_to_string(path).expect("a program");
    parse("deadlock.pe", &text).unwrap_or_else(|faults| panic!("{}: {}", path.display(), render(&faults, false)))
}

/// The deadlock, which must be the same whichever PE the host runs first.
fn deadlock(path: &Path) -> Option<Deadlock> {
    let program = load(path);
    let pairs: Vec<(&str, i64)> = program.parameters.iter().map(|parameter| (&**parameter, SIZE)).collect();
    let [first, last] = [Order::FirstIn, Order::LastIn].map(|order| {
        let settings = Settings { order, ..Settings::default() };
        let outcome = simulate(&program, &sizes(&pairs), &Tensors::new(), &settings);
        let outcome = outcome.unwrap_or_else(|faults| panic!("{}: {}", path.display(), render(&faults, false)));
        (outcome.deadlock, outcome.counters)
    });
    assert_eq!(first, last, "{}", path.display());
    first.0
}

#[test]
fn every_deadlock_is_diagnosed_as_expected() {
    hold(&programs(), |path| match deadlock(path) {
        Some(found) => Ok(render(&[found.to_diagnostic()], false)),
        None => Err(format!("{} runs to its end", path.display())),
    });
}

#[test]
fn every_twin_runs_to_its_end() {
    for path in programs() {
        let twin = path.with_extension("twin.pe");
        assert_eq!(deadlock(&twin), None, "{}", twin.display());
    }
}

/// Every wait leads to a cycle or to a wait that nobody ends, and these two exclude each other.
#[test]
fn every_deadlock_has_a_cause() {
    for path in programs() {
        let found = deadlock(&path).expect("a deadlock");
        let ends = found.ends();
        assert!(found.cycles().next().is_some() || !ends.is_empty(), "{}", path.display());
        assert!(found.cycles().flatten().all(|position| !ends.contains(position)), "{}", path.display());
    }
}
