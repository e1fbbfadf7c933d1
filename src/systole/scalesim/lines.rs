//! Numbers of a file, and where they stand in it.

use std::sync::Arc;
use systole_base::diagnostic::{Diagnostic, MessageCode};
use systole_base::span::{Source, Span};

/// The largest number that a file may have.
pub const MOST: i64 = 1_000_000;

/// The line that begins at a byte, without what is around its words.
pub fn line_at(source: &Source, start: usize) -> Span {
    let rest = source.text.get(start..).unwrap_or("");
    let line = rest.lines().next().unwrap_or("");
    let first = start + line.len() - line.trim_start().len();
    Span { start: first, end: first + line.trim().len() }
}

/// A message about a place in such a file.
pub fn refusal(source: &Arc<Source>, span: Span, message: String, label: &str) -> Diagnostic {
    Diagnostic::new(message).label(source, span, label).about(MessageCode::File)
}

/// A whole number from `least` to [`MOST`].
pub fn number(word: &str, least: i64) -> Option<i64> {
    word.parse().ok().filter(|number| (least..=MOST).contains(number))
}
