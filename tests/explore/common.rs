//! Explorations as processes, and what they write.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// The files of an exploration whose every plot has something to draw.
pub const FILES: [&str; 6] =
    ["points.csv", "points.json", "pareto.svg", "cycles.svg", "utilisation-by-size.svg", "utilisation.svg"];

/// A command that is not started yet, from the root of the repository.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
    command.arg("explore").args(arguments).current_dir(env!("SYSTOLE_ROOT")).env("NO_COLOR", "1");
    command
}

/// Runs an exploration to its end.
pub fn explore(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the program starts")
}

/// The object of an exploration that must end well.
pub fn json(arguments: &[&str]) -> Value {
    let output = explore(&[arguments, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// What an exploration that must be refused with code 1 says.
pub fn refused(arguments: &[&str]) -> String {
    refused_with(1, arguments)
}

/// The same of what is wrong with the command line itself, which is code 2.
pub fn misused(arguments: &[&str]) -> String {
    refused_with(2, arguments)
}

fn refused_with(code: i32, arguments: &[&str]) -> String {
    let output = explore(arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    String::from_utf8(output.stderr).expect("text")
}

/// Runs an exploration into a folder that must end well.
pub fn into(folder: &Path, arguments: &[&str]) {
    let output = explore(&[arguments, &["--out", folder.to_str().expect("a path")]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The bytes of all files but the journal.
pub fn contents(folder: &Path) -> Vec<Vec<u8>> {
    FILES.iter().map(|name| fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))).collect()
}

/// A count of a point.
pub fn number(point: &Value, key: &str) -> u64 {
    point[key].as_u64().unwrap_or_else(|| panic!("no {key} in {point}"))
}
