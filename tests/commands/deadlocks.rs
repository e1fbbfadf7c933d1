//! What `systole sim` says of each program of `tests/sim/deadlocks`, and with which code it ends.

use super::expected::cases;
use super::start::systole;
use std::path::{Path, PathBuf};

/// Every program that has a size is run at this one.
const SIZE: i64 = 4;

/// The programs that deadlock; each has a twin that does not.
fn programs() -> Vec<PathBuf> {
    let mut paths = cases("tests/sim/deadlocks", "pe");
    paths.retain(|path| !path.to_string_lossy().ends_with(".twin.pe"));
    assert!(paths.len() >= 12, "only {} deadlocks are tested", paths.len());
    paths
}

/// The code and the messages of `systole sim`.
fn sim(path: &Path) -> (i32, String) {
    let text = std::fs::read_to_string(path).expect("a program");
    let program = systole::array::parse("deadlock.pe", &text).expect("a program that parses");
    let sizes = program.parameters.iter().map(|parameter| format!("{parameter}={SIZE}")).collect::<Vec<_>>().join(",");
    let path = path.display().to_string();
    let flags: &[&str] = if sizes.is_empty() { &[] } else { &["--size", &sizes] };
    let ran = systole(&[&["sim", &path], flags].concat());
    (ran.code, ran.stderr)
}

#[test]
fn a_deadlock_is_code_1_with_its_message_and_its_twin_code_0() {
    for path in programs() {
        let (code, message) = sim(&path);
        assert_eq!(code, 1, "{}: {message}", path.display());
        let wanted = std::fs::read_to_string(path.with_extension("expect")).expect("the expected message");
        assert!(message.contains(wanted.trim_end()), "{message}");
        let twin = path.with_extension("twin.pe");
        assert_eq!(sim(&twin).0, 0, "{}", twin.display());
    }
}
