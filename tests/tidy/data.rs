//! Rules and kernels: each rule has its law and its test, each kernel its comment, each schedule its test.

use crate::tree::{File, files};
use systole::scalar::Function;

/// Every rule of `rules/` with the file it stands in.
pub fn rules() -> Vec<(String, String)> {
    files("rules", ".rules")
        .iter()
        .flat_map(|file| heads(file).into_iter().map(|(name, _)| (name, file.path.clone())))
        .collect()
}

/// The names of a rule file with the line before each.
fn heads(file: &File) -> Vec<(String, String)> {
    let lines: Vec<&str> = file.text.lines().collect();
    let head = |number: usize| {
        let name = lines[number].split(':').next().filter(|_| lines[number].contains(": "))?;
        let is_name =
            !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        is_name.then(|| (name.to_owned(), lines[number.saturating_sub(1)].to_owned()))
    };
    (0..lines.len()).filter_map(head).collect()
}

/// The name behind a word that begins a line, such as `schedule`.
pub fn named(text: &str, word: &str) -> Vec<String> {
    let name = |line: &str| {
        let rest = line.strip_prefix(word)?.strip_prefix(' ')?;
        Some(rest.split(|c: char| !(c.is_alphanumeric() || "-_".contains(c))).next()?.to_owned())
    };
    text.lines().filter_map(name).collect()
}

/// Whether some of `files` has `name` as a whole word.
fn mentioned(files: &[File], name: &str) -> bool {
    let is_whole = |text: &str, at: usize| {
        let joins = |c: char| c.is_alphanumeric() || "-_".contains(c);
        !text[..at].ends_with(joins) && !text[at + name.len()..].starts_with(joins)
    };
    files.iter().any(|file| file.text.match_indices(name).any(|(at, _)| is_whole(&file.text, at)))
}

/// Whether a rule is one of those that a test builds the names of, one for each function.
fn is_pushed_through(tests: &[File], name: &str) -> bool {
    let function = name.strip_prefix("push-in-").filter(|word| Function::ALL.iter().any(|f| f.keyword() == *word));
    function.is_some() && tests.iter().any(|file| file.text.contains("\"push-in-{}\""))
}

#[test]
fn every_rule_has_a_law_and_a_test() {
    let tests: Vec<File> = ["tests/rewrite", "tests/algebra"].iter().flat_map(|folder| files(folder, ".rs")).collect();
    for file in files("rules", ".rules") {
        for (name, before) in heads(&file) {
            let tagged =
                ["exact", "real", "finite", "assume"].iter().any(|tag| before.starts_with(&format!("# law {tag}: ")));
            assert!(tagged, "rule `{name}` of {} has no law", file.path);
            assert!(
                mentioned(&tests, &name) || is_pushed_through(&tests, &name),
                "rule `{name}` of {} is in no test",
                file.path
            );
        }
    }
    assert!(rules().len() > 20, "the rules were not found");
}

#[test]
fn every_kernel_begins_with_a_comment_and_is_named_after_its_file() {
    let kernels = files("kernels", ".rec");
    assert!(!kernels.is_empty());
    for file in kernels {
        assert!(file.text.starts_with("# "), "{} does not begin with a comment", file.path);
        let stem = file.path.trim_end_matches(".rec").rsplit('/').next();
        assert_eq!(named(&file.text, "kernel").first().map(String::as_str), stem, "{}", file.path);
    }
}

#[test]
fn every_schedule_is_in_a_test() {
    let tests: Vec<File> = files("tests", ".rs").into_iter().filter(|file| !file.path.contains("/tidy/")).collect();
    for file in files("kernels", ".rec") {
        for schedule in named(&file.text, "schedule") {
            assert!(mentioned(&tests, &schedule), "schedule `{schedule}` of {} is in no test", file.path);
        }
    }
}
