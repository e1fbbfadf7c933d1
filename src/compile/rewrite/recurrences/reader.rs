//! From text to recurrences.
//!
//! Each line is read on its own, so what is wrong with one hides nothing of the others.

use super::cursor::{Cursor, Read};
use super::print::CARRIERS;
use super::statement::{Carrier, Defined, Recurrence, Statement, Value};
use std::sync::Arc;
use systole_base::diagnostic::{Checked, Diagnostics};
use systole_base::span::{Source, Span};

/// A line, and where it stands.
#[derive(Clone, Debug)]
pub struct LocatedStatement {
    /// What it says.
    pub line: Statement,
    /// Where it stands.
    pub span: Span,
}

/// The line behind which the recurrences of a design stand, in a file that begins with the kernel and the design.
pub const RECURRENCES: &str = "recurrences";

/// A text up to its recurrences, and where these stand, if there are any.
pub fn split_recurrences(source: &Arc<Source>) -> (Arc<Source>, Option<Span>) {
    let mut start = 0;
    for line in source.text.split_inclusive('\n') {
        let end = start + line.len();
        if line.trim_end() == RECURRENCES {
            let before = source.slice(Span { start: 0, end: start });
            return (Source::new(&*source.name, before), Some(Span { start: end, end: source.text.len() }));
        }
        start = end;
    }
    (Arc::clone(source), None)
}

/// The lines of a stretch of a text; what stands behind `#` is no part of them.
///
/// # Errors
/// All lines that cannot be read.
pub fn read_recurrences(source: &Arc<Source>, within: Span) -> Checked<Vec<LocatedStatement>> {
    let (mut lines, mut problems) = (vec![], Diagnostics::new());
    let mut start = within.start;
    for line in source.slice(within).split_inclusive('\n') {
        let code = line.split('#').next().unwrap_or("");
        let begin = start + code.len() - code.trim_start().len();
        let span = Span { start: begin, end: begin + code.trim().len() };
        start += line.len();
        if code.trim().is_empty() {
            continue;
        }
        match Cursor::new(source, span).line() {
            Ok(line) => lines.push(LocatedStatement { line, span }),
            Err(problem) => problems.push(*problem),
        }
    }
    if problems.is_empty() { Ok(lines) } else { Err(problems) }
}

impl Cursor<'_> {
    fn line(mut self) -> Read<Statement> {
        let mut ahead = self.clone();
        let header = ahead.dotted("a name").ok().filter(|_| ahead.takes(":"));
        let (line, rest) = match header {
            Some(space) => (Statement::Space(space), ahead),
            None => (Statement::Recurrence(Box::new(self.recurrence()?)), self),
        };
        if rest.is_at_end() { Ok(line) } else { rest.expected("the end of the line") }
    }

    fn recurrence(&mut self) -> Read<Recurrence> {
        let defined = self.defined()?;
        self.sign("<-")?;
        let (value, carrier) = (self.value()?, self.carrier()?);
        let mut guard = vec![];
        if self.takes_words("where") {
            guard.push(self.condition()?);
            while self.takes_words("and") {
                guard.push(self.condition()?);
            }
        }
        Ok(Recurrence { defined, value, carrier, guard })
    }

    fn defined(&mut self) -> Read<Defined> {
        if self.rest().starts_with('(') {
            return self.instance().map(Defined::Instance);
        }
        match self.word() {
            "" => self.expected("`(` of a point, or the name of a tensor"),
            _ => self.element().map(Defined::Element),
        }
    }

    fn value(&mut self) -> Read<Value> {
        if let Some(given) = self.given()? {
            return Ok(given);
        }
        if !self.is_at_element() {
            return self.expression().map(Value::Computed);
        }
        let element = self.element()?;
        match self.takes_words("of") {
            true => Ok(Value::Among(element, self.dotted("the name of a space")?)),
            false => Ok(Value::Element(element)),
        }
    }

    /// `(i,i-1)_X.sum in X.sum`
    fn given(&mut self) -> Read<Option<Value>> {
        let mut ahead = self.clone();
        let Some(instance) = ahead.instance().ok().filter(|_| ahead.takes_words("in")) else { return Ok(None) };
        *self = ahead;
        Ok(Some(Value::Given(instance, self.dotted("the name of a space")?)))
    }

    /// Whether the name of a tensor is next, and not that of a function.
    fn is_at_element(&self) -> bool {
        let word = self.word();
        !word.is_empty() && word != "infinity" && !self.rest()[word.len()..].trim_start().starts_with('(')
    }

    fn carrier(&mut self) -> Read<Option<Carrier>> {
        if self.takes_words("on a bus along") {
            self.sign("<")?;
            let along = self.form()?;
            self.sign(">")?;
            return Ok(Some(Carrier::Bus(along)));
        }
        let known = CARRIERS.into_iter().find(|(_, words)| self.takes_words(words));
        Ok(known.map(|(carrier, _)| carrier))
    }
}
