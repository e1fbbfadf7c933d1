//! The pages for people: what they name exists.

use crate::data::{named, rules};
use crate::imports::{PACKAGES, modules};
use crate::tree::{File, files, page, root};
use std::collections::BTreeSet;

const PAGES: [&str; 6] =
    ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "STYLE.md", "CHANGELOG.md", "rules/README.md"];

/// What stands between backquotes on one line, code blocks left out.
fn quoted(text: &str) -> Vec<String> {
    let mut fenced = false;
    let prose = text.lines().filter(|line| {
        fenced ^= line.trim_start().starts_with("```");
        !fenced && !line.starts_with("    ") && !line.trim_start().starts_with("```")
    });
    prose.flat_map(|line| line.split('`').skip(1).step_by(2).map(str::to_owned)).collect()
}

#[test]
fn files_named_on_a_page_exist() {
    let mut pages: Vec<File> = PAGES.iter().map(|path| File { path: (*path).to_owned(), text: page(path) }).collect();
    pages.extend(["paper-notes", "book/src"].iter().flat_map(|folder| files(folder, ".md")));
    let folders = ["src/", "tests/", "rules/", "kernels/", "machines/", "benches/", "paper-notes/", "book/", ".ci/"];
    for file in pages {
        let paths = quoted(&file.text).into_iter().filter(|word| folders.iter().any(|folder| word.starts_with(folder)));
        for path in paths.filter(|path| !path.contains(['*', ' ', '<', '{'])) {
            assert!(root().join(&path).exists(), "{} names {path}, which does not exist", file.path);
        }
    }
}

#[test]
fn the_table_of_stages_is_the_list_of_modules() {
    let text = page("ARCHITECTURE.md");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let is_package =
        |name: &&str| name.strip_prefix("systole").is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    let (packages, stages): (Vec<&str>, Vec<&str>) = rows.partition(is_package);
    let names: Vec<&str> = packages.iter().map(|name| name.trim_start_matches("systole-")).collect();
    assert_eq!(names, PACKAGES.map(|(name, _)| name), "one row for each package, in their order");
    assert_eq!(stages, modules(), "one row for each module of the packages' lib.rs, in its order");
}

/// Words with a hyphen that a page may quote: rules, schedules, kernels, and words that the sources use.
#[test]
fn hyphenated_names_on_the_architecture_page_exist() {
    let mut known: BTreeSet<String> = rules().into_iter().map(|(name, _)| name).collect();
    for file in files("kernels", ".rec") {
        known.extend(["schedule", "kernel"].iter().flat_map(|word| named(&file.text, word)));
    }
    known.extend(PACKAGES.map(|(package, _)| format!("systole-{package}")));
    let sources = files("src", ".rs");
    let in_source = |word: &str| sources.iter().any(|file| file.text.contains(&format!("\"{word}\"")));
    let is_name = |word: &&String| {
        word.contains('-')
            && word.starts_with(|c: char| c.is_ascii_lowercase())
            && word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
    };
    for word in quoted(&page("ARCHITECTURE.md")).iter().filter(is_name) {
        assert!(known.contains(word) || in_source(word), "`{word}` is no rule, schedule or keyword");
    }
}
