//! Starting the program and looking at what it did.

use assert_cmd::Command;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// What a command did.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Runs `systole` with these arguments from the root of the repository.
pub fn systole(arguments: &[&str]) -> Ran {
    systole_under(&[], arguments)
}

/// The same with these variables in its environment.
pub fn systole_under(variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
    systole_in(Path::new(env!("SYSTOLE_ROOT")), variables, arguments)
}

/// The same from another folder.
pub fn systole_in(folder: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
    command.envs(variables.iter().copied());
    let output = command.args(arguments).current_dir(folder).output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("what it writes is text");
    Ran {
        code: output.status.code().expect("no signal ended it"),
        stdout: text(output.stdout),
        stderr: timeless(&text(output.stderr)),
    }
}

/// What a command says, but for its signs of life, which depend on the machine.
pub fn timeless(said: &str) -> String {
    said.split_inclusive('\n').filter(|line| !line.contains(" s so far")).collect()
}

/// Runs a command that must end well and say nothing on standard error.
pub fn good(arguments: &[&str]) -> String {
    let ran = systole(arguments);
    assert_eq!((ran.code, &*ran.stderr), (0, ""), "{arguments:?}");
    ran.stdout
}

/// Runs a command that must be refused with code 1; what it says on standard error.
pub fn refused(arguments: &[&str]) -> String {
    refused_with(1, arguments)
}

/// The same for what is wrong with the command line itself, which is code 2.
pub fn misused(arguments: &[&str]) -> String {
    refused_with(2, arguments)
}

/// All that people are told is held against what programs are told.
fn refused_with(code: i32, arguments: &[&str]) -> String {
    let is_asked = arguments.contains(&"--json");
    let ran = systole(&[arguments, if is_asked { &[] } else { &["--json"] }].concat());
    super::messages::hold(&ran, arguments);
    assert_eq!(ran.code, code, "{arguments:?}: {}", ran.stderr);
    assert!(!ran.stderr.contains("panicked"), "{arguments:?}: {}", ran.stderr);
    ran.stderr
}

/// The one object that a command writes under `--json`.
pub fn object(stdout: &str) -> Value {
    assert_eq!(stdout.lines().count(), 1, "one object on one line: {stdout}");
    let value: Value = serde_json::from_str(stdout).expect("JSON");
    assert!(value.is_object());
    value
}

/// The object of a command that must end well.
pub fn json(arguments: &[&str]) -> Value {
    object(&good(&[arguments, &["--json"]].concat()))
}

/// The keys of an object.
pub fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// The file of a machine that is ideal but for these lines, in a folder of its own.
pub fn written(lines: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("written.toml");
    std::fs::write(&path, lines).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}
