//! The command line: every flag is in a test, every command's help opens with an example that names files which exist.

use crate::tree::{File, files, root};
use std::collections::BTreeSet;
use std::process::Command;

fn help(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_systole")).args(arguments).arg("--help").output();
    String::from_utf8(output.expect("the program starts").stdout).expect("help is text")
}

/// The commands, from the list in the program's own help.
fn commands() -> Vec<String> {
    let text = help(&[]);
    let list = text.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    list.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(str::to_owned).collect()
}

/// The long flags of a help text.
fn flags(help: &str) -> BTreeSet<String> {
    let heads = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let words = heads.flat_map(|line| line.split([' ', ','])).filter(|word| word.starts_with("--"));
    words.filter(|word| !["--help", "--version"].contains(word)).map(str::to_owned).collect()
}

#[test]
fn every_flag_of_every_command_is_in_a_test() {
    let tests: Vec<File> = files("tests", ".rs").into_iter().filter(|file| !file.path.contains("/tidy/")).collect();
    let commands = commands();
    assert!(commands.len() >= 8, "the commands were not found: {commands:?}");
    let all: BTreeSet<String> = commands.iter().flat_map(|command| flags(&help(&[command]))).collect();
    let is_tested = |flag: &&String| !tests.iter().any(|file| has_word(&file.text, flag));
    let missing: Vec<&String> = all.iter().filter(is_tested).collect();
    assert!(missing.is_empty(), "flags in no test: {missing:?}");
}

fn has_word(text: &str, flag: &str) -> bool {
    text.match_indices(flag).any(|(at, _)| {
        let next = text[at + flag.len()..].chars().next();
        next.is_none_or(|c| !(c.is_alphanumeric() || c == '-'))
    })
}

#[test]
fn every_help_text_opens_with_an_example_on_files_that_exist() {
    for command in commands() {
        let text = help(&[&command]);
        let example = text.lines().find_map(|line| line.strip_prefix("Example: "));
        let example = example.unwrap_or_else(|| panic!("`{command}` has no example"));
        assert!(example.starts_with(&format!("systole {command}")), "{example}");
        let kernels = example.split(' ').filter(|word| word.starts_with("kernels/"));
        kernels.for_each(|path| assert!(root().join(path).is_file(), "{path} of `{example}` does not exist"));
    }
}
