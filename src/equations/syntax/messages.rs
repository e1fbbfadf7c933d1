//! Syntax errors in words.
//!
//! In: what the grammar expected and met. Out: a diagnostic that names the whole word it met, not its first letter.

use super::layout::first_word;
use super::tokens::RESERVED;
use super::{habits, schedules, tokens};
use chumsky::error::{Rich, RichPattern, RichReason};
use std::sync::Arc;
use systole_base::diagnostic::{Diagnostic, nearest};
use systole_base::span::{Source, Span};

/// One error of the grammar in the stretch `text`, which begins at `offset` of the source.
pub(super) fn describe(source: &Arc<Source>, text: &str, offset: usize, error: &Rich<char>) -> Diagnostic {
    let ended =
        matches!(error.reason(), RichReason::ExpectedFound { found: None, .. }) && error.span().end >= text.len();
    let start = if ended { text.len() } else { error.span().start.min(text.len()) };
    let start = text.len() - text[start..].trim_start_matches([' ', '\t', '\r', '\n']).len();
    let met = met_at(&text[start..]);
    let span = Span { start: offset + start, end: offset + start + met.len() };
    let diagnostic = match error.reason() {
        RichReason::Custom(message) => {
            let whole = Span { start: offset + start, end: offset + error.span().end };
            Diagnostic::new(message).label(source, whole, "written here")
        }
        RichReason::ExpectedFound { .. } => {
            let message = match met.is_empty() {
                true => "the item ends too early".to_owned(),
                false => format!("unexpected `{met}`"),
            };
            Diagnostic::new(message).label(source, span, expectation(error))
        }
    };
    let wants_name = error.expected().any(|pattern| matches!(pattern, RichPattern::Label(label) if label == "a name"));
    match habits::instead_of(text, start, met).or_else(|| misspelt(text, met, wants_name)) {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

/// The word, number or sign that the text starts with.
fn met_at(text: &str) -> &str {
    let word = first_word(text);
    if !word.is_empty() {
        return word;
    }
    let end = text.chars().next().map_or(0, char::len_utf8);
    &text[..end]
}

/// What would have been right, as `a`, `b` or `c`, where that is known.
fn expectation(error: &Rich<char>) -> String {
    let mut words: Vec<String> = error.expected().filter_map(show_pattern).collect();
    words.sort();
    words.dedup();
    match words.pop() {
        None => "cannot stand here".to_owned(),
        Some(last) if words.is_empty() => format!("expected {last}"),
        Some(last) => format!("expected {} or {last}", words.join(", ")),
    }
}

/// A pattern as a reader knows it: labels that are words of the language stand in backticks, descriptions do not.
fn show_pattern(pattern: &RichPattern<char>) -> Option<String> {
    match pattern {
        RichPattern::Label(label) if label.contains(' ') => Some(label.to_string()),
        RichPattern::Label(label) => Some(format!("`{label}`")),
        RichPattern::EndOfInput => Some("the end of the item".to_owned()),
        _ => None,
    }
}

/// A hint where the item's first word, or the word met, is nearly a word of the language or may not be used.
fn misspelt(text: &str, met: &str, wants_name: bool) -> Option<String> {
    if RESERVED.contains(&met) && wants_name {
        return Some(format!("`{met}` is a word of the language and cannot be a name"));
    }
    if tokens::is_number(met) && tokens::is_word(met) && !RESERVED.contains(&met) {
        return Some(format!("`{met}` would be read as a number in a program, so it cannot be a name"));
    }
    let first = first_word(text);
    let known = || RESERVED.into_iter().chain(schedules::WORDS);
    if !tokens::is_word(first) || first.len() < 3 || known().any(|word| word == first) {
        return None;
    }
    // With subscripts it is a name of the kernel's own.
    if text.strip_prefix(first).is_some_and(|rest| rest.starts_with('[')) {
        return None;
    }
    habits::first_word_instead_of(first)
        .or_else(|| nearest(first, known()))
        .map(|word| format!("did you mean `{word}`?"))
}
