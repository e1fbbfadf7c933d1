//! Where items begin and end, found before any grammar is applied.
//!
//! In: the text with comments blanked. Out: one byte range for each stretch of text that is parsed on its own, so that
//! an error in one item leaves the others readable. A line begins a new item when it starts with a declaring word, looks
//! like the head of an equation, or stands no deeper than the item before it and neither line can be continued.

use super::tokens::is_word;
use std::ops::Range;

/// The words that begin an item wherever they begin a line.
const OPENERS: [&str; 9] = ["kernel", "const", "function", "in", "out", "local", "inout", "reduction", "schedule"];

/// The text with each comment replaced by as many blanks as it has bytes, so that every offset stays.
pub(super) fn blank_comments(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches(['\n', '\r']);
        let code = body.find('#').map_or(body, |start| &body[..start]);
        clean.push_str(code);
        clean.extend(std::iter::repeat_n(' ', body.len() - code.len()));
        clean.push_str(&line[body.len()..]);
    }
    clean
}

/// The stretches that hold one item each (or several that share a line), without blanks around them.
pub(super) fn split_items(clean: &str) -> Vec<Range<usize>> {
    let mut items: Vec<Range<usize>> = vec![];
    let mut state = Open::default();
    let mut offset = 0;
    for line in clean.split_inclusive('\n') {
        let code = line.trim();
        if !code.is_empty() {
            let indent = line.len() - line.trim_start().len();
            let range = offset + indent..offset + indent + code.len();
            match items.last_mut() {
                Some(item) if !state.ends_before(code, indent) => item.end = range.end,
                _ => {
                    state = Open { indent, ..Open::default() };
                    items.push(range);
                }
            }
            state.read(code);
        }
        offset += line.len();
    }
    items
}

/// What is known of the item that the last line belongs to.
#[derive(Default)]
struct Open {
    indent: usize,
    brackets: i64,
    dangling: bool,
}

impl Open {
    /// Whether a line with this code and depth starts the next item.
    fn ends_before(&self, code: &str, indent: usize) -> bool {
        let opener = OPENERS.contains(&first_word(code)) || is_equation_head(code);
        if self.brackets > 0 {
            return opener && first_word(code) != "in";
        }
        opener || !(self.dangling || continues(code) || indent > self.indent)
    }

    fn read(&mut self, code: &str) {
        for byte in code.bytes() {
            match byte {
                b'(' | b'[' => self.brackets += 1,
                b')' | b']' => self.brackets -= 1,
                _ => {}
            }
        }
        self.dangling = code.ends_with(['+', '-', '*', '/', '<', '>', '=', ',', '.']);
    }
}

/// Whether the line can only go on with what stands before it.
fn continues(code: &str) -> bool {
    code.starts_with(['+', '-', '*', '/', '<', '>', '=', '!', ',', '.', ')', ']'])
        || ["where", "over", "elsewhere", "else", "along", "with", "from"].contains(&first_word(code))
}

/// Whether the line starts with `name =`, `name[...] =` or `(...) =`.
fn is_equation_head(code: &str) -> bool {
    let rest = code[first_word(code).len()..].trim_start();
    let is_joint = code.starts_with('(');
    let rest = match rest.starts_with('[') || is_joint {
        true => after_bracket(rest).trim_start(),
        false => rest,
    };
    (is_joint || is_word(first_word(code))) && rest.starts_with('=') && !rest.starts_with("==")
}

/// What follows the bracket that `text` starts with, nothing where it is not closed.
pub(super) fn after_bracket(text: &str) -> &str {
    let mut depth = 0;
    for (position, byte) in text.bytes().enumerate() {
        depth += i64::from(b"[(".contains(&byte)) - i64::from(b"])".contains(&byte));
        if depth == 0 {
            return &text[position + 1..];
        }
    }
    ""
}

/// What the bracket that `text` starts with holds, as far as it goes.
pub(super) fn within_bracket(text: &str) -> &str {
    let held = &text[1..];
    match after_bracket(text) {
        "" if !text.ends_with([')', ']']) => held,
        after => &held[..held.len() - after.len() - 1],
    }
}

/// The letters, digits and underscores that `code` starts with.
pub(super) fn first_word(code: &str) -> &str {
    let end = code.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(code.len());
    &code[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        let clean = blank_comments(text);
        split_items(&clean).into_iter().map(|range| clean[range].split_whitespace().collect()).collect()
    }

    #[test]
    fn an_item_goes_on_where_the_line_is_indented_open_or_dangling() {
        assert_eq!(split("a = b\n  + c\nd = e +\nf # +\ng = h[\ni]"), ["a=b+c", "d=e+f", "g=h[i]"]);
    }

    #[test]
    fn a_scalar_maximum_does_not_swallow_the_next_equation() {
        assert_eq!(split("kernel k()\n  a = max(b, c)\n  d[i] = e"), ["kernelk()", "a=max(b,c)", "d[i]=e"]);
    }

    #[test]
    fn a_tuple_of_targets_begins_an_item() {
        assert_eq!(
            split("kernel k()\n  (a[i], b) = f(j) (c, d)\n  (e) = g"),
            ["kernelk()", "(a[i],b)=f(j)(c,d)", "(e)=g"]
        );
        assert_eq!(split("a = b *\n(c + d) * e"), ["a=b*(c+d)*e"]);
    }

    #[test]
    fn an_open_bracket_ends_at_the_next_equation() {
        assert_eq!(split("a = b[c\nd = e"), ["a=b[c", "d=e"]);
    }
}
