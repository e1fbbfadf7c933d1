//! The shape of source files: each opens with its purpose, none is long, no function is long.

use crate::tree::files;

const LONGEST_FILE: usize = 400;

const LONGEST_FUNCTION: usize = 60;

#[test]
fn every_source_file_opens_with_what_it_is_for() {
    for folder in ["src", "tests", "benches"] {
        for file in files(folder, ".rs") {
            assert!(file.text.starts_with("//! "), "{} does not begin with `//!`", file.path);
        }
    }
}

#[test]
fn no_source_file_is_long() {
    for file in files("src", ".rs") {
        let lines = file.text.lines().count();
        assert!(lines <= LONGEST_FILE, "{} has {lines} lines", file.path);
    }
}

#[test]
fn no_function_is_long() {
    for file in files("src", ".rs") {
        for (name, lines) in functions(&file.text) {
            assert!(lines <= LONGEST_FUNCTION, "`{name}` in {} has {lines} lines", file.path);
        }
    }
}

/// Functions with their numbers of lines: in formatted text a function ends at the brace below its first letter.
fn functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = vec![];
    for (number, line) in lines.iter().enumerate() {
        let Some((before, after)) = line.split_once("fn ") else { continue };
        let indent = line.len() - line.trim_start().len();
        let is_head =
            before.trim().split(' ').all(|word| word.is_empty() || word == "const" || word.starts_with("pub"));
        let end = format!("{}}}", " ".repeat(indent));
        if let (true, Some(length)) = (is_head, lines[number..].iter().position(|line| *line == end)) {
            let name = after.split(['(', '<']).next().unwrap_or(after);
            found.push((name.to_owned(), length + 1));
        }
    }
    found
}

#[test]
fn functions_are_measured() {
    let text = "fn one() {\n    two\n}\n\nimpl X {\n    pub(super) fn three(\n        a: u8,\n    ) {\n        if a {\n        }\n    }\n}\n";
    assert_eq!(functions(text), [("one".to_owned(), 3), ("three".to_owned(), 6)]);
}
