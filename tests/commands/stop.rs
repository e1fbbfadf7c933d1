//! Ctrl-C: a search tells the best so far, with code 130.

use super::start::{object, timeless};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Five indices have 250 million maps: more than anybody waits for.
pub const DEPTHWISE: &str = "\
kernel depthwise(C, M, N, K, L)
in W[C, K, L], X[C, M + K - 1, N + L - 1]
out Y[C, M, N]
Y[c, i, j] = sum(k, l) W[c, k, l] * X[c, i + k, j + l]
";

/// Starts a search that takes hours in a folder, interrupts it, and gives what it wrote.
fn interrupted(folder: &TempDir, command: &str, flags: &[&str]) -> (Option<i32>, String, String) {
    let path = folder.path().join("depthwise.rec");
    std::fs::write(&path, DEPTHWISE).expect("a kernel");
    let mut systole = Command::new(env!("CARGO_BIN_EXE_systole"));
    systole.args([command, path.to_str().expect("text"), "--size", "C=2,M=2,N=2,K=2,L=2", "--budget", "1000000000"]);
    systole.args(flags).current_dir(folder.path());
    let child = systole.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    std::thread::sleep(Duration::from_secs(4));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(kill.success(), "it has not ended by itself");
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), timeless(&text(output.stderr)))
}

#[test]
fn a_search_that_is_stopped_tells_the_best_so_far() {
    let folder = TempDir::new().expect("a folder");
    let (code, table, said) = interrupted(&folder, "search", &[]);
    assert_eq!((code, &*said), (Some(130), ""), "{table}");
    assert!(table.contains("stopped   these are the best so far"), "{table}");
    assert!(
        table.contains("PE (") && table.contains("maps at most, for which --budget 1000000000 has no room"),
        "{table}"
    );
    let (code, _, said) = interrupted(&folder, "emit", &["-o", "depthwise.pe"]);
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("the search for a design of `depthwise` was stopped"), "{said}");
    assert!(said.contains("the best so far"), "{said}");
    assert!(!folder.path().join("depthwise.pe").exists());
}

/// Programs that wait for an object get one.
#[test]
fn what_is_no_search_leaves_an_object_behind() {
    let mut systole = Command::new(env!("CARGO_BIN_EXE_systole"));
    systole.args(["calibrate", "--tile", "64", "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = systole.spawn().expect("the program starts");
    // It has begun when it says how much it measures.
    let mut said = BufReader::new(child.stderr.take().expect("a pipe"));
    said.read_line(&mut String::new()).expect("a line");
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(kill.success(), "it has not ended by itself");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let object = object(&String::from_utf8(output.stdout).expect("text"));
    let message = "the command was interrupted, and has no result";
    assert_eq!(object["diagnostics"][0]["message"], message, "{object}");
}

/// A point whose search was stopped is not done, so the next run looks at it again.
#[test]
fn an_exploration_that_is_stopped_keeps_no_row_of_it() {
    let folder = TempDir::new().expect("a folder");
    let (code, _, said) = interrupted(&folder, "explore", &["--sweep", "link.latency=1,2", "--out", "points"]);
    assert_eq!(code, Some(130), "{said}");
    let journal = std::fs::read_to_string(folder.path().join("points/journal.jsonl")).expect("a journal");
    assert!(!journal.contains("\"point\""), "{journal}");
}
