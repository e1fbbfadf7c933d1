//! An exploration that was broken off goes on, and what it writes is the same to the byte.

use super::common::{FILES, command, contents, explore, into};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tempfile::{TempDir, tempdir};

const SWEEP: [&str; 8] = [
    "kernels/matmul.rec",
    "--schedule",
    "cannon",
    "--sweep",
    "size.N=1..3",
    "--sweep",
    "link.response=0,1",
    "--size=M=3,K=2",
];

/// An uninterrupted run.
fn whole() -> (TempDir, Vec<u8>, Vec<Vec<u8>>) {
    let folder = tempdir().expect("a folder");
    into(folder.path(), &SWEEP);
    let journal = fs::read(folder.path().join("journal.jsonl")).expect("a journal");
    let files = contents(folder.path());
    (folder, journal, files)
}

/// Goes on from a journal.
fn resumed(journal: &[u8]) -> (Vec<u8>, Vec<Vec<u8>>) {
    let folder = tempdir().expect("a folder");
    fs::write(folder.path().join("journal.jsonl"), journal).expect("written");
    into(folder.path(), &SWEEP);
    (fs::read(folder.path().join("journal.jsonl")).expect("a journal"), contents(folder.path()))
}

fn sorted_lines(journal: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = journal.split_inclusive(|byte| *byte == b'\n').collect();
    lines.sort_unstable();
    lines
}

#[test]
fn a_journal_that_is_cut_anywhere_gives_the_same_files() {
    let (_folder, journal, files) = whole();
    let ends: Vec<usize> = (0..journal.len()).filter(|at| journal[*at] == b'\n').collect();
    assert_eq!(ends.len(), 7, "a head and six points");
    let cuts = [0, 1, ends[0], ends[0] + 1, ends[1] + 9, ends[3], ends[3] + 1, journal.len() - 1, journal.len()];
    for cut in cuts {
        let (found, again) = resumed(&journal[..cut]);
        assert_eq!(again, files, "cut at {cut} of {}", journal.len());
        assert_eq!(sorted_lines(&found), sorted_lines(&journal), "cut at {cut}");
        let whole = ends.iter().rfind(|end| **end < cut).map_or(0, |end| end + 1);
        assert!(found.starts_with(&journal[..whole]), "what was done is not done again");
    }
}

#[test]
fn a_line_that_is_no_entry_is_done_again_with_all_behind_it() {
    let (_folder, journal, files) = whole();
    let text = String::from_utf8(journal).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    for spoilt in ["", "{}", "{\"point\":99,\"reason\":\"beyond the last\"}", "\u{0}\u{0}"] {
        let broken = format!("{}\n{}\n{spoilt}\n{}\n", lines[0], lines[1], lines[3]);
        assert_eq!(resumed(broken.as_bytes()).1, files, "{spoilt}");
    }
}

#[test]
fn a_finished_exploration_only_reads_its_journal() {
    let (folder, journal, files) = whole();
    into(folder.path(), &SWEEP);
    assert_eq!(fs::read(folder.path().join("journal.jsonl")).expect("a journal"), journal);
    assert_eq!(contents(folder.path()), files);
}

/// Each of these differs from the sweep in one word.
#[test]
fn the_journal_of_another_exploration_is_refused_and_left_alone() {
    let (folder, journal, _) = whole();
    for (word, other) in
        [("size.N=1..3", "size.N=1..4"), ("cannon", "input-stationary"), ("--size=M=3,K=2", "--size=M=3,K=3")]
    {
        let path = folder.path().to_str().expect("a path");
        let changed: Vec<&str> = SWEEP.iter().map(|given| if *given == word { other } else { given }).collect();
        let output = explore(&[&changed[..], &["--out", path]].concat());
        assert_eq!(output.status.code(), Some(1), "{other}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("the journal of another exploration"), "{other}");
    }
    assert_eq!(fs::read(folder.path().join("journal.jsonl")).expect("a journal"), journal);
}

const LONG: [&str; 7] =
    ["kernels/matmul.rec", "--sweep", "size.N=1..12", "--size=M=4,K=4", "--rank=2", "--steps=0..1", "--threads=1"];

fn lines(folder: &Path) -> usize {
    let journal = fs::read(folder.join("journal.jsonl")).unwrap_or_default();
    journal.iter().filter(|byte| **byte == b'\n').count()
}

#[test]
fn a_process_that_is_killed_goes_on_where_it_was() {
    let (cut, uncut) = (tempdir().expect("a folder"), tempdir().expect("a folder"));
    let path = cut.path().to_str().expect("a path");
    let mut process = command(&[&LONG[..], &["--out", path]].concat());
    let mut process = process.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    let start = Instant::now();
    while lines(cut.path()) < 4 {
        assert!(start.elapsed() < Duration::from_secs(120), "nothing is entered");
        std::thread::sleep(Duration::from_millis(2));
    }
    process.kill().expect("killed");
    process.wait().expect("ended");
    let done = lines(cut.path());
    assert!(done < 13, "it ended before it was killed");
    assert!(FILES.iter().all(|name| !cut.path().join(name).exists()), "nothing is written before the end");
    into(cut.path(), &LONG);
    into(uncut.path(), &LONG);
    assert_eq!(lines(cut.path()), 13);
    assert_eq!(contents(cut.path()), contents(uncut.path()));
}
