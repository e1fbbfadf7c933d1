//! Source text and positions in it.
//!
//! A [`Source`] is a named text; a [`Span`] is a range of its bytes. Every stage that can blame the user's text carries
//! spans; only [`crate::diagnostic`] turns them into lines and columns.

use std::ops::Range;
use std::sync::Arc;

/// A range of bytes of a [`Source`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// Whether all of the other lies within it.
    pub fn holds(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Span {
        Span { start: range.start, end: range.end }
    }
}

/// The byte-order mark of UTF-8.
const MARK: char = '\u{feff}';

/// A text with the name that messages give it (a path, or `<einsum>`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What messages call the text.
    pub name: String,
    /// The text itself.
    pub text: String,
}

impl Source {
    /// A shared source. A byte-order mark, which some editors put before a text, is none of it.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Source> {
        let mut text = text.into();
        if text.starts_with(MARK) {
            text.drain(..MARK.len_utf8());
        }
        Arc::new(Source { name: name.into(), text })
    }

    /// The line, from 1, on which byte `offset` lies.
    pub fn line(&self, offset: usize) -> usize {
        let end = offset.min(self.text.len());
        1 + self.text.as_bytes()[..end].iter().filter(|byte| **byte == b'\n').count()
    }

    /// The line and the column, both from 1, of byte `offset`. Columns count characters.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..offset.min(self.text.len())).unwrap_or("");
        let of_line = before.rsplit_once('\n').map_or(before, |(_, rest)| rest);
        (self.line(offset), 1 + of_line.chars().count())
    }

    /// The text a span covers.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start..span.end).unwrap_or("")
    }
}
