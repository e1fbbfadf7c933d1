//! Places in a text as the protocol has them: lines from 0, and columns in units of UTF-16.

use lsp_types::{Position, Range};
use systole_base::span::Span;

/// The place of a byte.
pub fn position(text: &str, byte: usize) -> Position {
    let before = text.get(..byte.min(text.len())).unwrap_or_default();
    let of_line = before.rsplit_once('\n').map_or(before, |(_, rest)| rest);
    Position { line: number(before.matches('\n').count()), character: number(of_line.encode_utf16().count()) }
}

/// The byte at a place; the end of the line where it has no such column.
pub fn byte(text: &str, at: Position) -> usize {
    let line = usize::try_from(at.line).unwrap_or(usize::MAX);
    let start = match line {
        0 => 0,
        _ => text.match_indices('\n').nth(line - 1).map_or(text.len(), |(end, _)| end + 1),
    };
    let mut left = at.character;
    let rest = text.get(start..).unwrap_or_default();
    let end = rest.char_indices().find(|(_, letter)| {
        let is_there = left == 0 || *letter == '\n';
        left = left.saturating_sub(number(letter.len_utf16()));
        is_there
    });
    start + end.map_or(rest.len(), |(end, _)| end)
}

/// The range of a span; one without extent is the letter that begins there.
pub fn range(text: &str, span: Span) -> Range {
    let after = text.get(span.start..).and_then(|rest| rest.chars().next()).filter(|letter| *letter != '\n');
    let least = span.start + after.map_or(0, char::len_utf8);
    Range { start: position(text, span.start), end: position(text, span.end.max(least)) }
}

/// The name at a byte, or just before it. There is none in a comment.
pub fn word(text: &str, byte: usize) -> Option<(Span, &str)> {
    let line = text.get(..byte)?.rfind('\n').map_or(0, |end| end + 1);
    if text.get(line..byte)?.contains('#') {
        return None;
    }
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let before = text.get(..byte)?;
    let start = before.trim_end_matches(is_part).len();
    let rest = text.get(start..)?;
    let end = start + rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
    Some((Span { start, end }, text.get(start..end)?)).filter(|(_, word)| !word.is_empty())
}

/// A number that the protocol has room for.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_units_of_utf_16() {
        let text = "a\u{1d400}é b\nx\n";
        for (at, character) in [(0, 0), (1, 1), (5, 3), (7, 4), (8, 5)] {
            let place = position(text, at);
            assert_eq!(place, Position { line: 0, character });
            assert_eq!(byte(text, place), at);
        }
        assert_eq!(position(text, 10), Position { line: 1, character: 0 });
        assert_eq!(byte(text, Position { line: 0, character: 99 }), 9);
        assert_eq!(byte(text, Position { line: 9, character: 9 }), text.len());
    }

    #[test]
    fn a_word_is_found_from_either_end() {
        let text = "time i + jk # no jk\n";
        let found = |at| word(text, at).map(|(_, word)| word);
        assert_eq!([9, 11, 5, 8, 18].map(found), [Some("jk"), Some("jk"), Some("i"), None, None]);
    }
}
