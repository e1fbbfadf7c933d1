//! The deadlocks that the simulator is tested with: each is the same deadlock on threads, told in the same words but for
//! the clocks, whoever runs which PE; and each twin runs to its end.

use super::programs::{program, settings, shown, sizes};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use systole::array::Tensors;
use systole::exec::{Settings, execute};
use systole::shared::Deadlock;

/// Every program that has a size is run at this one, as in the simulator's tests.
const SIZE: i64 = 4;

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("SYSTOLE_ROOT")).join("tests/sim/deadlocks");
    let paths = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "expect")).collect();
    paths.sort();
    assert!(paths.len() >= 12, "only {} deadlocks are tested", paths.len());
    paths.into_iter().map(|path| path.with_extension("pe")).collect()
}

fn run(path: &Path, settings: &Settings) -> Option<Deadlock> {
    let program = program(&fs::read_to_string(path).expect("a program"));
    let pairs: Vec<(&str, i64)> = program.parameters.iter().map(|parameter| (&**parameter, SIZE)).collect();
    let execution = execute(&program, &sizes(&pairs), &Tensors::new(), settings);
    execution.unwrap_or_else(|faults| panic!("{}: {}", path.display(), shown(&faults))).deadlock
}

/// The words of a message, wherever its lines are broken.
pub fn words(message: &str) -> Vec<&str> {
    message.split_whitespace().filter(|word| *word != "│").collect()
}

/// The message of the simulator without its clocks.
pub fn expected(path: &Path) -> String {
    let text = fs::read_to_string(path.with_extension("expect")).expect("the expected message");
    let mut parts = text.split(" at clock ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

#[test]
fn every_deadlock_is_reported_in_the_words_of_the_simulator() {
    for path in programs() {
        for settings in settings() {
            let found = run(&path, &settings).unwrap_or_else(|| panic!("{} runs to its end", path.display()));
            let message = shown(&vec![found.to_diagnostic()]);
            assert_eq!(words(&message), words(&expected(&path)), "{} with {settings:?}", path.display());
        }
    }
}

#[test]
fn every_twin_runs_to_its_end() {
    for path in programs() {
        for settings in settings() {
            assert_eq!(run(&path.with_extension("twin.pe"), &settings), None, "{} with {settings:?}", path.display());
        }
    }
}

#[test]
fn the_command_says_it_and_ends_with_code_1() {
    for path in programs() {
        let text = fs::read_to_string(&path).expect("a program");
        let names = program(&text).parameters.iter().map(|name| format!("{name}={SIZE}")).collect::<Vec<_>>().join(",");
        let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
        command.arg("exec").arg(&path).args(["--size", &names, "--threads", "3", "--json"]).env("NO_COLOR", "1");
        let output = command.output().expect("the program starts");
        let message = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(1), "{}: {message}", path.display());
        let (said, wanted) = (words(&message).join(" "), words(&expected(&path)).join(" "));
        assert!(said.contains(&wanted), "{message}");
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert!(found["deadlock"]["total"].as_u64().is_some_and(|total| total > 0), "{found}");
    }
}
