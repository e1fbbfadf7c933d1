//! What all parts of the parser share: taking forms apart, and saying what was expected and what was found.

use super::s_expression::SExpression;
use super::validate::Place;
use std::collections::BTreeMap;
use std::sync::Arc;
use systole_base::diagnostic::{Diagnostic, nearest};
use systole_base::integer::{Name, name};
use systole_base::span::{Source, Span};

/// What reading one form gives.
pub(super) type Read<T> = Result<T, Diagnostic>;

/// The text that is read, and where its declarations and instructions stand.
pub(super) struct Reader {
    pub source: Arc<Source>,
    pub places: BTreeMap<Place, Span>,
}

impl Reader {
    pub fn new(source: &Arc<Source>) -> Reader {
        Reader { source: Arc::clone(source), places: BTreeMap::new() }
    }

    /// A message that names the line, with the form underlined.
    pub fn fault(&self, span: Span, message: &str, label: &str) -> Diagnostic {
        let line = self.source.line(span.start);
        Diagnostic::new(format!("{}:{line}: {message}", self.source.name)).label(&self.source, span, label)
    }

    /// A message that `expected` was wanted where `form` stands.
    pub fn expected<T>(&self, form: &SExpression, expected: &str) -> Read<T> {
        Err(self.fault(form.span, &format!("expected {expected}, found {}", form.show()), "here"))
    }

    /// A message that no such word is known, with the nearest known one.
    pub fn unknown<T>(&self, form: &SExpression, kind: &str, known: &[&str]) -> Read<T> {
        let word = form.list().and_then(|parts| parts.first()).unwrap_or(form).show();
        let fault = self.fault(form.span, &format!("{word} is not {kind}"), "here");
        Err(match nearest(word.trim_matches('`'), known.iter().copied()) {
            Some(meant) => fault.help(format!("did you mean `{meant}`?")),
            None => fault.help(format!("known are `{}`", known.join("`, `"))),
        })
    }

    /// The keyword and the other parts of a list such as `(recv A east)`.
    pub fn call<'a>(&self, form: &'a SExpression, expected: &str) -> Read<(&'a str, &'a [SExpression])> {
        match form.list() {
            Some([head, rest @ ..]) => match head.atom() {
                Some(word) => Ok((word, rest)),
                None => self.expected(head, "a keyword"),
            },
            _ => self.expected(form, expected),
        }
    }

    /// The parts of a list that must begin with `keyword`.
    pub fn call_of<'a>(&self, form: &'a SExpression, keyword: &str, usage: &str) -> Read<&'a [SExpression]> {
        match self.call(form, usage)? {
            (word, rest) if word == keyword => Ok(rest),
            _ => self.expected(form, usage),
        }
    }

    /// The parts of a list, which must be so many; `usage` shows how the list is written.
    pub fn exactly<'a, const N: usize>(
        &self,
        form: &SExpression,
        parts: &'a [SExpression],
        usage: &str,
    ) -> Read<&'a [SExpression; N]> {
        match parts.try_into() {
            Ok(parts) => Ok(parts),
            Err(_) => {
                let found = parts.len();
                let message = format!("expected `{usage}`, with {N} parts after the first word, found {found}");
                Err(self.fault(form.span, &message, "here"))
            }
        }
    }

    /// The parts of a list without a keyword.
    pub fn list<'a>(&self, form: &'a SExpression, expected: &str) -> Read<&'a [SExpression]> {
        form.list().map_or_else(|| self.expected(form, expected), Ok)
    }

    pub fn name(&self, form: &SExpression, expected: &str) -> Read<Name> {
        form.atom().map_or_else(|| self.expected(form, expected), |word| Ok(name(word)))
    }

    pub fn integer(&self, form: &SExpression) -> Read<i64> {
        let value = form.atom().and_then(|word| word.parse().ok());
        value.map_or_else(|| self.expected(form, "a whole number of 64 bits"), Ok)
    }

    pub fn natural(&self, form: &SExpression) -> Read<u64> {
        let value = form.atom().and_then(|word| word.parse().ok());
        value.map_or_else(|| self.expected(form, "a whole number from 0 on, of 64 bits"), Ok)
    }

    /// Reads each form; the first fault ends it.
    pub fn each<T>(
        &self,
        forms: &[SExpression],
        mut read: impl FnMut(&Reader, &SExpression) -> Read<T>,
    ) -> Read<Vec<T>> {
        forms.iter().map(|form| read(self, form)).collect()
    }
}
