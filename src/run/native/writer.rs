//! Text of C, line by line.
//!
//! In: statements, braces, comments. Out: text with indentation of which no line is wider than 120 columns: what is longer goes on in the next
//! line, further in.

/// No line has more columns.
const WIDEST: usize = 120;
const INDENT: &str = "    ";

/// Text that grows.
#[derive(Debug, Default)]
pub(super) struct Writer {
    text: String,
    depth: usize,
}

impl Writer {
    /// One statement, or whatever else is on a line of its own.
    pub fn put(&mut self, statement: &str) {
        if !statement.is_empty() {
            wrap(&INDENT.repeat(self.depth), statement).iter().for_each(|line| {
                self.text.push_str(line);
                self.text.push('\n');
            });
        }
    }

    /// A line of its own that is further out by one, as labels are.
    pub fn put_label(&mut self, label: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.put(label);
        self.depth += 1;
    }

    /// Lines as they are, such as a file that is always the same.
    pub fn put_all(&mut self, lines: &str) {
        lines.lines().for_each(|line| match line.is_empty() {
            true => self.blank(),
            false => self.put(line),
        });
    }

    /// An empty line.
    pub fn blank(&mut self) {
        self.text.push('\n');
    }

    /// A comment of some lines, each of which may be a paragraph.
    pub fn remark(&mut self, paragraphs: &[&str]) {
        let indent = INDENT.repeat(self.depth);
        let mut lines = paragraphs.iter().flat_map(|text| filled(text, WIDEST - indent.len() - 6)).collect::<Vec<_>>();
        let is_single = lines.len() == 1;
        if let [first, others @ ..] = &mut lines[..] {
            *first = format!("/* {first}");
            others.iter_mut().for_each(|line| *line = format!(" * {line}").trim_end().to_owned());
        }
        if let Some(last) = lines.last_mut() {
            last.push_str(if is_single || !last.ends_with('*') { " */" } else { "/" });
        }
        lines.iter().for_each(|line| self.text.push_str(&format!("{indent}{line}\n")));
    }

    /// A comment of one paragraph.
    pub fn comment(&mut self, text: &str) {
        self.remark(&[text]);
    }

    /// A head with a body in braces.
    pub fn braces(&mut self, head: &str, body: impl FnOnce(&mut Writer)) {
        self.braces_with(head, "", body);
    }

    /// The same with something behind the closing brace.
    pub fn braces_with(&mut self, head: &str, tail: &str, body: impl FnOnce(&mut Writer)) {
        self.put(format!("{head} {{").trim_start());
        self.indented(body);
        self.put(&format!("}}{tail}"));
    }

    /// A function: its brace is on a line of its own.
    pub fn function(&mut self, head: &str, body: impl FnOnce(&mut Writer)) {
        self.put(head);
        self.function_body(body);
    }

    /// What follows the head of a function.
    pub fn function_body(&mut self, body: impl FnOnce(&mut Writer)) {
        self.put("{");
        self.indented(body);
        self.put("}");
        self.blank();
    }

    /// What stands further in by one.
    pub fn indented(&mut self, body: impl FnOnce(&mut Writer)) {
        self.depth += 1;
        body(self);
        self.depth -= 1;
    }

    /// A statement that hangs below a head without braces.
    pub fn hanging(&mut self, head: &str, statement: &str) {
        self.put(head);
        self.indented(|writer| writer.put(statement));
    }

    /// What another writer has, at this depth.
    pub fn append(&mut self, other: &Writer) {
        self.text.push_str(&other.text);
    }

    /// An empty writer that goes on at this depth.
    pub fn fresh(&self) -> Writer {
        Writer { text: String::new(), depth: self.depth }
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Whether a name occurs outside comments.
    pub fn mentions(&self, name: &str) -> bool {
        let mut is_comment = false;
        self.text.lines().any(|line| {
            is_comment |= line.trim_start().starts_with("/*");
            let was_comment = is_comment;
            is_comment &= !line.ends_with("*/");
            !was_comment && mentions(line, name)
        })
    }

    /// All of it.
    pub fn finish(self) -> String {
        self.text
    }
}

/// Whether a name occurs in text as a word of its own that is no field of something.
fn mentions(text: &str, name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        !before.ends_with(is_letter)
            && !before.ends_with("->")
            && !before.ends_with('.')
            && !after.starts_with(is_letter)
    })
}

/// A paragraph in lines of so many columns; spaces that it begins with stay, as does what is empty.
fn filled(text: &str, columns: usize) -> Vec<String> {
    let indent = &text[..text.len() - text.trim_start().len()];
    let mut lines = vec![indent.to_owned()];
    for piece in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.trim().is_empty() => line.push_str(piece),
            Some(line) if line.len() + 1 + piece.len() <= columns => {
                line.push(' ');
                line.push_str(piece);
            }
            _ => lines.push(format!("{indent}{piece}")),
        }
    }
    lines
}

/// A statement in lines, broken at spaces that are in no string: behind a comma or before an operator of logic where there is such a place.
fn wrap(indent: &str, statement: &str) -> Vec<String> {
    let further = format!("{indent}{INDENT}{INDENT}");
    let mut lines = vec![];
    let mut left = pieces(statement);
    while !left.is_empty() {
        let indent = if lines.is_empty() { indent } else { &further };
        let (line, rest) = left.split_at(fitting(&left, WIDEST.saturating_sub(indent.len())));
        lines.push(format!("{indent}{}", line.join(" ")));
        left = rest.to_vec();
    }
    lines
}

/// How many of the first pieces make a line of so many columns: one at least.
fn fitting(pieces: &[&str], columns: usize) -> usize {
    let ends = pieces.iter().scan(0, |end, piece| {
        *end += piece.len() + 1;
        Some(*end - 1)
    });
    let most = ends.take_while(|end| *end <= columns).count().max(1);
    let is_good = |count: &usize| {
        pieces[count - 1].ends_with(',') || pieces.get(*count).is_some_and(|next| ["&&", "||"].contains(next))
    };
    let good = (most.div_ceil(2)..=most).rev().find(is_good);
    if most == pieces.len() { most } else { good.unwrap_or(most) }
}

/// What lies between the spaces of a statement; those in strings do not count.
fn pieces(statement: &str) -> Vec<&str> {
    let (mut is_quoted, mut start, mut pieces) = (false, 0, vec![]);
    for (at, c) in statement.char_indices() {
        match c {
            '"' => is_quoted = !is_quoted,
            ' ' if !is_quoted => {
                pieces.push(&statement[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(&statement[start..]);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_statements_go_on_further_in() {
        let mut writer = Writer::default();
        writer.braces("if (a)", |writer| writer.put(&vec!["term"; 40].join(" + ")));
        let text = writer.finish();
        assert!(text.lines().all(|line| line.len() <= WIDEST) && text.lines().count() == 5, "{text}");
        assert!(text.contains("\n            term"), "{text}");
    }

    /// A product may go on in the next line, which then begins as a line of a comment does.
    #[test]
    fn names_in_comments_are_not_mentioned() {
        let mut writer = Writer::default();
        writer.remark(&["N", "M"]);
        writer.put(&format!("{} * K;", "x".repeat(WIDEST)));
        assert!(writer.mentions("K") && !writer.mentions("N") && !writer.mentions("M"), "{}", writer.finish());
    }

    #[test]
    fn strings_are_not_broken() {
        let text = format!("puts(\"{}\");", "a ".repeat(100));
        assert_eq!(pieces(&text).len(), 1);
    }

    #[test]
    fn names_are_whole_words_and_no_fields() {
        assert!(mentions("a + N;", "N") && mentions("N", "N"));
        assert!(!mentions("run->N", "N") && !mentions("sizes.N", "N") && !mentions("NN + N_2", "N"));
    }
}
