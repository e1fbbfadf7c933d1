//! The prose of the pages for people: lines that fit, sentences that are short.
//!
//! Code blocks, tables and headings are left out. Code between backquotes counts as one word, since nobody reads it word by word.

use crate::tree::{File, files, page};

/// The longest line, in characters.
const WIDEST: usize = 120;
/// The most words of a sentence.
const LONGEST: usize = 35;
/// The most words of a sentence in the mean over a page.
const MEAN: f64 = 18.0;
/// The most lines of a page.
const LENGTHS: [(&str, usize); 2] = [("README.md", 120), ("ARCHITECTURE.md", 250)];

fn pages() -> Vec<File> {
    let single = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];
    let mut all: Vec<File> = single.iter().map(|path| File { path: (*path).to_owned(), text: page(path) }).collect();
    all.extend(files("book/src", ".md"));
    all
}

/// The lines that are prose, each with its number; `None` where a paragraph ends.
fn prose(text: &str) -> Vec<Option<(usize, &str)>> {
    let mut fenced = false;
    let mut found = vec![];
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        let is_fence = trimmed.starts_with("```");
        fenced ^= is_fence;
        let is_other = trimmed.is_empty() || ["#", "|", "<!--"].iter().any(|begin| trimmed.starts_with(begin));
        match fenced || is_fence || is_other {
            true => found.push(None),
            false => {
                if item(trimmed).is_some() {
                    found.push(None);
                }
                found.push(Some((number + 1, line)));
            }
        }
    }
    found
}

/// The text of an item of a list.
fn item(line: &str) -> Option<&str> {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = if number.len() < line.len() { number.strip_prefix(". ") } else { None };
    line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).or(numbered)
}

/// A paragraph with each piece of code as one word.
fn without_code(text: &str) -> String {
    text.split('`').enumerate().map(|(number, part)| if number % 2 == 1 { "code" } else { part }).collect()
}

/// The numbers of words of all sentences, with their first words.
fn sentences(text: &str) -> Vec<(usize, String)> {
    let lines = prose(text);
    let paragraphs = lines.split(|line| line.is_none()).map(|lines| {
        let texts = lines.iter().flatten().map(|(_, line)| item(line.trim()).unwrap_or(line.trim()));
        without_code(&texts.collect::<Vec<_>>().join(" "))
    });
    let mut found = vec![];
    for paragraph in paragraphs {
        let mut sentence: Vec<&str> = vec![];
        for word in paragraph.split_whitespace() {
            sentence.push(word);
            if word.trim_end_matches(['*', ')', '"', '_']).ends_with(['.', '!', '?', ':', ';']) && !is_dots(word) {
                found.push(counted(&sentence));
                sentence.clear();
            }
        }
        found.push(counted(&sentence));
    }
    found.retain(|(words, _)| *words > 0);
    found
}

/// `..` within a list of names ends no sentence.
fn is_dots(word: &str) -> bool {
    word.starts_with("..")
}

/// Signs such as `-` and `=` are no words.
fn counted(sentence: &[&str]) -> (usize, String) {
    let is_word = |word: &&&str| word.chars().any(char::is_alphanumeric);
    let first: Vec<&str> = sentence.iter().copied().take(8).collect();
    (sentence.iter().filter(is_word).count(), first.join(" "))
}

#[test]
fn lines_fit() {
    let mut problems = vec![];
    for file in pages() {
        for (number, line) in prose(&file.text).into_iter().flatten() {
            if line.chars().count() > WIDEST {
                problems.push(format!("{}:{number} has {} characters", file.path, line.chars().count()));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn sentences_are_short() {
    let mut problems = vec![];
    for file in pages() {
        let all = sentences(&file.text);
        let long = all.iter().filter(|(words, _)| *words > LONGEST);
        problems.extend(long.map(|(words, first)| format!("{}: {words} words: {first} ..", file.path)));
        let mean = all.iter().map(|(words, _)| *words).sum::<usize>() as f64 / all.len().max(1) as f64;
        if mean > MEAN {
            problems.push(format!("{}: {mean:.1} words a sentence in the mean", file.path));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn pages_are_short() {
    for (path, most) in LENGTHS {
        let lines = page(path).lines().count();
        assert!(lines <= most, "{path} has {lines} lines, of which {most} are allowed");
    }
}

#[test]
fn words_and_sentences_are_counted_as_people_do() {
    let text = "# A heading of five words\n\nOne two `three four` five. Six\nseven: eight!\n\n- nine ten\n- eleven; twelve\n\n\
        | a | table |\n\n```sh\ncode is no prose.\n```\n\n1. 13 of them (14.) and\n   more\n";
    let counts: Vec<usize> = sentences(text).into_iter().map(|(words, _)| words).collect();
    assert_eq!(counts, [4, 2, 1, 2, 1, 1, 4, 2]);
    let lines: Vec<usize> = prose(text).into_iter().flatten().map(|(number, _)| number).collect();
    assert_eq!(lines, [3, 4, 6, 7, 15, 16]);
}

#[test]
fn what_is_too_long_is_found() {
    let long = "word ".repeat(LONGEST + 1) + "end.";
    assert!(sentences(&long).iter().any(|(words, _)| *words > LONGEST));
    assert!(sentences(&long.replace("word word", "word. word")).iter().all(|(words, _)| *words <= LONGEST));
}
