//! Signs of life of what takes long, where nobody sees a progress bar.

use super::start::good;
use super::stop::DEPTHWISE;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

fn started(arguments: &[&str]) -> Child {
    let mut systole = Command::new(env!("CARGO_BIN_EXE_systole"));
    systole.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    systole.spawn().expect("the program starts")
}

/// The first line that a command says while it works; it is ended then.
fn first_sign(mut child: Child) -> String {
    let said = BufReader::new(child.stderr.take().expect("a pipe"));
    let first = said.lines().map_while(Result::ok).find(|line| line.contains("so far")).unwrap_or_default();
    child.kill().expect("it has not ended by itself");
    child.wait().expect("it ends");
    first
}

/// A search of hours, and two commands that wait for a file which nobody writes.
#[test]
fn what_takes_long_says_so_in_a_pipe() {
    let folder = tempfile::tempdir().expect("a folder");
    let [kernel, never] = ["depthwise.rec", "never.rec"].map(|name| folder.path().join(name).display().to_string());
    std::fs::write(&kernel, DEPTHWISE).expect("written");
    assert!(Command::new("mkfifo").arg(&never).status().expect("mkfifo").success());
    let sizes = ["--size", "C=2,M=2,N=2,K=2,L=2", "--budget", "1000000000", "--threads", "1"];
    let search = started(&[&["search", &kernel], &sizes[..]].concat());
    let [check, object] = [&["check", &never][..], &["check", &never, "--json"]].map(started);
    let sign = first_sign(search);
    assert!(sign.starts_with("  search    ") && sign.contains("--seconds N, or Ctrl-C, ends it"), "{sign}");
    // Programs that wait for an object hear of it too.
    for sign in [check, object].map(first_sign) {
        assert!(sign.starts_with("  working   ") && sign.ends_with(" s so far"), "{sign}");
    }
    // The twin, which is soon done, says nothing: `good` looks at that.
    good(&["check", "kernels/matmul.rec"]);
}
