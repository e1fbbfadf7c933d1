//! The shape of source files: each opens with its purpose. How long files and functions are is judgement, not law.

use crate::tree::files;

#[test]
fn every_source_file_opens_with_what_it_is_for() {
    for folder in ["src", "tests", "benches"] {
        for file in files(folder, ".rs") {
            assert!(file.text.starts_with("//! "), "{} does not begin with `//!`", file.path);
        }
    }
}

/// Only the package at the root runs its examples: one elsewhere would look as if it ran, and would not.
#[test]
fn examples_stand_where_they_are_run() {
    let mut examples = 0;
    for file in files("src", ".rs") {
        let comments = file.text.lines().map(str::trim_start);
        let comments = comments.filter_map(|line| line.strip_prefix("//!").or(line.strip_prefix("///")));
        let fences = comments.filter_map(|line| line.trim().strip_prefix("```"));
        let run = fences.step_by(2).filter(|language| *language != "text").count();
        assert!(run == 0 || file.path.starts_with("src/systole/"), "{} has an example that is not run", file.path);
        examples += run;
    }
    assert!(examples > 0);
}
