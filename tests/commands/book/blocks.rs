//! The fenced blocks of a page, the commands of a console block, and whether a text is what a page shows.

use std::ops::Range;

/// A fenced block of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What stands behind the opening fence.
    pub language: String,
    /// The lines between the fences, as numbers of lines of the page.
    pub lines: Range<usize>,
    /// The same as text, each line with its end.
    pub text: String,
}

impl Block {
    /// What the first line says behind a word such as `file:`, in a comment of any of the languages.
    pub fn says(&self, word: &str) -> Option<&str> {
        let first = self.text.lines().next()?.trim_start_matches(['#', ';', '/', ' ']);
        Some(first.strip_prefix(word)?.trim())
    }
}

/// All fenced blocks, or the line of a fence that is not closed.
pub fn blocks(page: &str) -> Result<Vec<Block>, usize> {
    let mut found = vec![];
    let mut open: Option<(usize, &str)> = None;
    let lines: Vec<&str> = page.lines().collect();
    for (number, line) in lines.iter().enumerate() {
        let Some(fence) = line.trim_start().strip_prefix("```") else { continue };
        open = match open {
            None => Some((number + 1, fence)),
            Some((first, language)) => {
                let text = lines[first..number].iter().map(|line| format!("{line}\n")).collect();
                found.push(Block { language: language.trim().to_owned(), lines: first..number, text });
                None
            }
        };
    }
    match open {
        None => Ok(found),
        Some((first, _)) => Err(first),
    }
}

/// A command of a console block, and the lines that follow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub command: String,
    /// What is printed, as numbers of lines of the page.
    pub lines: Range<usize>,
}

/// The commands of a console block; nothing stands before the first.
pub fn steps(block: &Block) -> Vec<Step> {
    let mut steps: Vec<Step> = vec![];
    for (number, line) in block.lines.clone().zip(block.text.lines()) {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => steps.push(Step { command: command.to_owned(), lines: number + 1..number + 1 }),
            (None, Some(last)) => last.lines.end = number + 1,
            (None, None) => panic!("`{line}` is printed by no command"),
        }
    }
    steps
}

/// A command's words; what stands in quotation marks is one.
pub fn words(command: &str) -> Vec<String> {
    let mut found = vec![];
    for (number, part) in command.split('"').enumerate() {
        match number % 2 {
            1 => found.push(part.to_owned()),
            _ => found.extend(part.split_whitespace().map(str::to_owned)),
        }
    }
    found
}

/// The lines that count: blanks as one, no empty lines, and every `12.3 ms` without its number.
pub fn counting(text: &str) -> Vec<String> {
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_time = |at: usize| words.get(at + 1) == Some(&"ms") && words[at].parse::<f64>().is_ok();
        (0..words.len()).filter(|at| !is_time(*at)).map(|at| words[at]).collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).filter(|line| !line.is_empty()).collect()
}

/// Whether `found` is what is shown, where a line `...` stands for any lines and `...` within a line for any words.
pub fn is_shown(shown: &[String], found: &[String]) -> bool {
    match shown.split_first() {
        None => found.is_empty(),
        Some((first, rest)) if first == "..." => (0..=found.len()).any(|left_out| is_shown(rest, &found[left_out..])),
        Some((first, rest)) => {
            found.split_first().is_some_and(|(line, others)| is_line(first, line) && is_shown(rest, others))
        }
    }
}

fn is_line(shown: &str, found: &str) -> bool {
    let pieces: Vec<&str> = shown.split("...").map(str::trim).collect();
    let [first, middle @ .., last] = &pieces[..] else { return shown == found };
    let Some(mut rest) = found.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else { return false };
    middle.iter().all(|piece| match rest.split_once(piece) {
        Some((_, behind)) => {
            rest = behind;
            true
        }
        None => false,
    })
}

fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

#[test]
fn blocks_have_their_language_and_their_lines() {
    let page = "a\n```rec\n# file: k.rec\nx\n```\nb\n```\ny\n```\n";
    let found = blocks(page).expect("all are closed");
    assert_eq!((&*found[0].language, found[0].lines.clone(), found[0].says("file:")), ("rec", 2..4, Some("k.rec")));
    assert_eq!((&*found[1].language, found[1].lines.clone(), found[1].says("file:")), ("", 7..8, None));
    assert_eq!(blocks("a\n```rec\nb\n"), Err(2));
}

#[test]
fn commands_end_where_the_next_begins() {
    let page = "```console\n$ systole doctor\none\ntwo\n$ systole run \"ik,kj->ij\"\n```\n";
    let found = steps(&blocks(page).expect("closed")[0]);
    assert_eq!(found[0], Step { command: "systole doctor".to_owned(), lines: 2..4 });
    assert_eq!(words(&found[1].command), ["systole", "run", "ik,kj->ij"]);
    assert_eq!(found[1].lines, 5..5);
}

#[test]
fn times_are_left_out_and_nothing_else() {
    assert_eq!(counting("  proofs   13 of 13   118 ms\n\n7 cycles"), ["proofs 13 of 13 ms", "7 cycles"]);
}

#[test]
fn what_is_left_out_is_said() {
    let found = owned(&["a 1 b", "c", "d"]);
    for shown in
        [&["a 1 b", "c", "d"][..], &["...", "d"], &["a ... b", "..."], &["...", "c", "..."], &["a 1 b", "...", "d"]]
    {
        assert!(is_shown(&owned(shown), &found), "{shown:?}");
    }
    for shown in [&["a 1 b", "c"][..], &["...", "c"], &["a ... c", "..."], &["a 1 b", "d"], &["d", "..."], &[]] {
        assert!(!is_shown(&owned(shown), &found), "{shown:?}");
    }
}
