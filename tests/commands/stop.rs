//! Ctrl-C: a search tells the best so far, with code 130.

use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Five indices have 250 million maps: more than anybody waits for.
const DEPTHWISE: &str = "\
kernel depthwise(C, M, N, K, L)
in W[C, K, L], X[C, M + K - 1, N + L - 1]
out Y[C, M, N]
Y[c, i, j] = sum(k, l) W[c, k, l] * X[c, i + k, j + l]
";

/// Starts a search that takes hours, interrupts it, and gives what it wrote.
fn interrupted(command: &str) -> (Option<i32>, String, String) {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("depthwise.rec");
    std::fs::write(&path, DEPTHWISE).expect("a kernel");
    let mut systole = Command::new(env!("CARGO_BIN_EXE_systole"));
    systole.args([command, path.to_str().expect("text"), "--size", "C=2,M=2,N=2,K=2,L=2", "--budget", "1000000000"]);
    let child = systole.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    std::thread::sleep(Duration::from_secs(4));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(kill.success(), "it has not ended by itself");
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_search_that_is_stopped_tells_the_best_so_far() {
    let (code, table, said) = interrupted("search");
    assert_eq!((code, &*said), (Some(130), ""), "{table}");
    assert!(table.contains("stopped   these are the best so far"), "{table}");
    assert!(table.contains("PE ("), "{table}");
    let (code, _, said) = interrupted("emit");
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("the search for a design of `depthwise` was stopped"), "{said}");
    assert!(said.contains("the best so far"), "{said}");
}
