//! The files of the repository, for the other tests, and what stands at the top level.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file with its path from the root, `/` between the parts.
pub struct File {
    pub path: String,
    pub text: String,
}

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("SYSTOLE_ROOT"))
}

/// All text files with this ending below a folder, in the order of their paths.
pub fn files(folder: &str, ending: &str) -> Vec<File> {
    let mut found = vec![];
    collect(&root().join(folder), ending, &mut found);
    found.sort();
    found.into_iter().map(|path| File { text: read(&path), path: from_root(&path) }).collect()
}

/// The text of a file at this path from the root.
pub fn page(path: &str) -> String {
    read(&root().join(path))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn from_root(path: &Path) -> String {
    path.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/")
}

fn collect(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("a readable entry").path();
        if path.ends_with("target") {
            continue;
        }
        if path.is_dir() {
            collect(&path, ending, found);
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
}

const TOP_LEVEL: [&str; 24] = [
    ".cargo",
    ".ci",
    ".gitignore",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "Makefile",
    "README.md",
    "STYLE.md",
    "benches",
    "book",
    "build.rs",
    "examples",
    "kernels",
    "machines",
    "paper-notes",
    "python",
    "rules",
    "rustfmt.toml",
    "src",
];

/// What git tracks; `None`, loudly, where there is no git to ask.
fn tracked() -> Option<Vec<String>> {
    let output = Command::new("git").args(["ls-files"]).current_dir(root()).output();
    match output {
        Ok(output) if output.status.success() => {
            Some(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
        }
        _ => {
            // Written past the capture of test output, so that it is seen.
            let _ =
                writeln!(std::io::stderr(), "SKIPPED: git does not list the tracked files, so they are not checked");
            None
        }
    }
}

#[test]
fn nothing_but_the_agreed_entries_stands_at_the_top() {
    let Some(tracked) = tracked() else { return };
    let found: BTreeSet<&str> = tracked.iter().filter_map(|path| path.split('/').next()).collect();
    let agreed: BTreeSet<&str> = TOP_LEVEL.into_iter().chain(["tests"]).collect();
    assert_eq!(found, agreed);
}

/// The words are put together here, so that this file does not hold them.
const UNWANTED: [&str; 6] = [
    concat!("/t", "mp/"),
    concat!("/ro", "ot/"),
    concat!("/wo", "rk/"),
    concat!("todo", "!("),
    concat!("unimplemented", "!("),
    concat!("#[ig", "nore"),
];

#[test]
fn no_file_names_a_machine_or_puts_work_off() {
    let Some(tracked) = tracked() else { return };
    let mut problems = vec![];
    for path in tracked.iter().filter(|path| *path != "Cargo.lock" && root().join(path).is_file()) {
        let text = String::from_utf8_lossy(&std::fs::read(root().join(path)).expect("a readable file")).into_owned();
        let unwanted = UNWANTED.iter().filter(|word| text.contains(**word));
        problems.extend(unwanted.map(|word| format!("{path} holds `{word}`")));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
