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

/// The targets of links on a page, those to elsewhere left out.
fn links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://")).collect()
}

#[test]
fn links_on_a_page_lead_to_files() {
    let mut pages: Vec<File> = PAGES.iter().map(|path| File { path: (*path).to_owned(), text: page(path) }).collect();
    pages.extend(files("book/src", ".md"));
    let mut count = 0;
    for file in pages {
        let path = root().join(&file.path);
        let folder = path.parent().expect("a page is in a folder");
        for target in links(&file.text).into_iter().filter(|target| target.ends_with(".md")) {
            assert!(folder.join(target).is_file(), "{} links to {target}, which does not exist", file.path);
            count += 1;
        }
    }
    assert!(count > 40, "the links were not found: {count}");
}

/// One meaning for each word, so one row; and a word is explained.
#[test]
fn the_glossary_has_each_word_once() {
    let text = page("book/src/glossary.md");
    let rows = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| word |"));
    let mut seen = BTreeSet::new();
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        assert_eq!(cells.len(), 3, "{row}");
        assert!(!cells[1].is_empty() && !cells[2].is_empty(), "{row}");
        assert!(cells[0].split(", ").all(|word| seen.insert(word)), "{row} is there twice");
    }
    assert!(seen.len() > 60, "the words were not found: {}", seen.len());
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
