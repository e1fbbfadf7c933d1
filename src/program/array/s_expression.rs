//! S-expressions with the places of their parts.
//!
//! In: a source. Out: one [`SExpression`] in which every atom and list knows its span. `symbolic_expressions` builds the tree; it
//! keeps no places, knows no comments, recurses without bound and ignores what follows the first expression, so a scan
//! before it blanks comments, bounds the nesting, checks the balance and notes where each part starts.

use std::sync::Arc;
use symbolic_expressions::Sexp;
use symbolic_expressions::parser::parse_str;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::span::{Source, Span};

/// How deep parentheses may be nested.
pub(super) const NESTING_LIMIT: usize = 200;

/// An atom or a list.
#[derive(Clone, Debug)]
pub(super) struct SExpression {
    pub span: Span,
    pub content: Content,
}

/// What a form is.
#[derive(Clone, Debug)]
pub(super) enum Content {
    Atom(String),
    List(Vec<SExpression>),
}

impl SExpression {
    /// The word of an atom.
    pub fn atom(&self) -> Option<&str> {
        match &self.content {
            Content::Atom(word) => Some(word),
            Content::List(_) => None,
        }
    }

    /// The parts of a list.
    pub fn list(&self) -> Option<&[SExpression]> {
        match &self.content {
            Content::Atom(_) => None,
            Content::List(parts) => Some(parts),
        }
    }

    /// What it looks like in a message: the word, or the list's opening.
    pub fn show(&self) -> String {
        match &self.content {
            Content::Atom(word) => format!("`{word}`"),
            Content::List(parts) => match parts.first().and_then(SExpression::atom) {
                Some(word) => format!("`({word} ..)`"),
                None => "a list".to_owned(),
            },
        }
    }
}

/// The one form that the source consists of.
pub(super) fn read_form(source: &Arc<Source>) -> Checked<SExpression> {
    let scan = Scan::of(source)?;
    let tree = parse_str(scan.blanked.trim())
        .map_err(|error| vec![Diagnostic::new(format!("`{}` is not an s-expression: {error}", source.name))])?;
    let mut spans = scan.spans.into_iter();
    Ok(attach(tree, &mut spans))
}

/// Puts spans, which come in the order of the text, on the tree.
fn attach(tree: Sexp, spans: &mut impl Iterator<Item = Span>) -> SExpression {
    let span = spans.next().unwrap_or_default();
    let content = match tree {
        Sexp::List(parts) => Content::List(parts.into_iter().map(|part| attach(part, spans)).collect()),
        Sexp::String(word) => Content::Atom(word),
        Sexp::Empty => Content::Atom(String::new()),
    };
    SExpression { span, content }
}

struct Scan<'a> {
    source: &'a Arc<Source>,
    /// The text with comments and tabs as spaces.
    blanked: String,
    /// Of every atom and list, in the order of their starts.
    spans: Vec<Span>,
    /// Positions in `spans` of the lists that are open.
    open: Vec<usize>,
}

impl<'a> Scan<'a> {
    fn of(source: &'a Arc<Source>) -> Checked<Scan<'a>> {
        let blanked = String::with_capacity(source.text.len());
        let mut scan = Scan { source, blanked, spans: vec![], open: vec![] };
        let mut rest = source.text.as_str();
        while let Some(first) = rest.chars().next() {
            let length = scan.token_length(first, rest)?;
            let (token, after) = rest.split_at(length);
            scan.take(first, token)?;
            rest = after;
        }
        scan.finish()
    }

    /// How many bytes the token at the start of `rest` has.
    fn token_length(&self, first: char, rest: &str) -> Checked<usize> {
        let until = |stops: fn(char) -> bool| rest.find(stops).unwrap_or(rest.len());
        match first {
            '(' | ')' | ' ' | '\t' | '\r' | '\n' => Ok(1),
            ';' => Ok(until(|c| c == '\n')),
            '"' => match rest[1..].find(['"', '\\']) {
                Some(end) if rest[1 + end..].starts_with('"') => Ok(end + 2),
                _ => self.fail("a quoted string does not end", self.here(1), "opened here"),
            },
            _ => match until(|c| matches!(c, '(' | ')' | ' ' | '\t' | '\r' | '\n' | ';' | '"')) {
                end if rest[end..].starts_with('"') => self.fail("a word holds a quote", self.here(end), "ends here"),
                end => Ok(end),
            },
        }
    }

    fn take(&mut self, first: char, token: &str) -> Checked<()> {
        let span = self.here(token.len());
        match first {
            ';' => self.blanked.extend(std::iter::repeat_n(' ', token.len())),
            '\t' => self.blanked.push(' '),
            _ => self.blanked.push_str(token),
        }
        match first {
            ' ' | '\t' | '\r' | '\n' | ';' => Ok(()),
            ')' => self.close(span),
            _ => self.open(first == '(', span),
        }
    }

    fn open(&mut self, list: bool, span: Span) -> Checked<()> {
        if self.open.is_empty() && !self.spans.is_empty() {
            return self.fail("text follows the program", span, "nothing may stand after the last parenthesis");
        }
        if list {
            self.open.push(self.spans.len());
        }
        self.spans.push(span);
        match self.open.len() > NESTING_LIMIT {
            true => self.fail("parentheses are nested too deep", span, &format!("the limit is {NESTING_LIMIT}")),
            false => Ok(()),
        }
    }

    fn close(&mut self, span: Span) -> Checked<()> {
        match self.open.pop() {
            Some(list) => self.spans[list].end = span.end,
            None => return self.fail("parentheses do not balance", span, "this one closes nothing"),
        }
        Ok(())
    }

    fn finish(self) -> Checked<Scan<'a>> {
        if let Some(list) = self.open.last() {
            return self.fail("parentheses do not balance", self.spans[*list], "this one is never closed");
        }
        if self.spans.is_empty() {
            return self.fail("the text holds no program", self.here(0), "expected `(program NAME ..)`");
        }
        Ok(self)
    }

    fn here(&self, length: usize) -> Span {
        Span::from(self.blanked.len()..self.blanked.len() + length)
    }

    fn fail<T>(&self, message: &str, span: Span, label: &str) -> Checked<T> {
        let place = format!("{}:{}: {message}", self.source.name, self.source.line(span.start));
        Diagnostic::new(place).label(self.source, span, label).alone()
    }
}
