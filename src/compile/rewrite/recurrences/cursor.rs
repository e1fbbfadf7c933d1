//! Goes through the letters of one line.
//!
//! In: the line's place in its source. Out: signs, words, names and numbers in the order in which they are asked for; or a message at
//! what stands there in place of what was expected. Blanks may stand between any two of them.

use std::sync::Arc;
use systole_base::diagnostic::Diagnostic;
use systole_base::integer::{Name, name};
use systole_base::span::{Source, Span};

/// What is read, or the message of the first thing that is wrong.
pub(super) type Read<T> = Result<T, Box<Diagnostic>>;

/// Where in a line the reader is.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    source: &'a Arc<Source>,
    line: Span,
    /// Bytes of the line that have been read.
    at: usize,
    /// Brackets that enclose the place.
    depth: usize,
    /// Operators that have been read.
    operators: usize,
}

/// How many brackets may enclose a place in a line.
const NESTING_LIMIT: usize = 400;

/// How many operators a line may have; their tree can be this deep.
const OPERATOR_LIMIT: usize = 1_000;

impl<'a> Cursor<'a> {
    /// At the start of the line.
    pub fn new(source: &'a Arc<Source>, line: Span) -> Cursor<'a> {
        let mut cursor = Cursor { source, line, at: 0, depth: 0, operators: 0 };
        cursor.pass_blanks();
        cursor
    }

    /// What is left of the line.
    pub fn rest(&self) -> &'a str {
        self.source.slice(self.line).get(self.at..).unwrap_or("")
    }

    pub fn is_at_end(&self) -> bool {
        self.rest().is_empty()
    }

    fn pass_blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Goes on by so many bytes, and by the blanks behind them.
    fn pass(&mut self, length: usize) {
        self.at += length;
        self.pass_blanks();
    }

    /// Reads the sign, if it is next.
    pub fn takes(&mut self, sign: &str) -> bool {
        let is_next = self.rest().starts_with(sign);
        if is_next {
            self.pass(sign.len());
        }
        is_next
    }

    /// Reads the sign.
    pub fn sign(&mut self, sign: &str) -> Read<()> {
        if self.takes(sign) { Ok(()) } else { self.expected(&format!("`{sign}`")) }
    }

    /// Reads the words, if they are next.
    pub fn takes_words(&mut self, words: &str) -> bool {
        let mut ahead = self.clone();
        let are_next = words.split(' ').all(|word| ahead.takes_word(word));
        if are_next {
            *self = ahead;
        }
        are_next
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let is_next = self.word() == word;
        if is_next {
            self.pass(word.len());
        }
        is_next
    }

    /// The word that is next, or nothing.
    pub fn word(&self) -> &'a str {
        let rest = self.rest();
        let is_inner = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        match rest.starts_with(|first: char| is_inner(first) && !first.is_ascii_digit()) {
            true => &rest[..rest.find(|letter| !is_inner(letter)).unwrap_or(rest.len())],
            false => "",
        }
    }

    /// A name, such as `i`.
    pub fn name(&mut self, expected: &str) -> Read<Name> {
        let word = self.word();
        if word.is_empty() {
            return self.expected(expected);
        }
        self.pass(word.len());
        Ok(name(word))
    }

    /// A name that may have parts, such as `X`, `X.sum` or `A.2`.
    pub fn dotted(&mut self, expected: &str) -> Read<Name> {
        let is_inner = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let (rest, mut length) = (self.rest(), self.word().len());
        if length == 0 {
            return self.expected(expected);
        }
        while let Some(part) = rest[length..].strip_prefix('.') {
            let inner = part.find(|letter| !is_inner(letter)).unwrap_or(part.len());
            if inner == 0 {
                break;
            }
            length += 1 + inner;
        }
        self.pass(length);
        Ok(name(&rest[..length]))
    }

    /// Reads what stands in brackets, if they do not lie too deep.
    pub fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == NESTING_LIMIT {
            return Err(self.wrong(
                1,
                &format!("more than {NESTING_LIMIT} brackets inside each other"),
                "the last one",
            ));
        }
        self.depth += 1;
        let read = inner(self)?;
        self.depth -= 1;
        Ok(read)
    }

    /// Counts an operator.
    pub fn count_operator(&mut self) -> Read<()> {
        self.operators += 1;
        match self.operators > OPERATOR_LIMIT {
            true => {
                Err(self.wrong(1, &format!("more than {OPERATOR_LIMIT} operators in one line"), "behind the last one"))
            }
            false => Ok(()),
        }
    }

    /// Digits as a whole number of 64 bits.
    pub fn integer(&mut self, expected: &str) -> Read<i64> {
        let digits = digits(self.rest());
        match self.rest()[..digits].parse() {
            Ok(value) => {
                self.pass(digits);
                Ok(value)
            }
            Err(_) if digits > 0 => self.too_large(digits),
            Err(_) => self.expected(expected),
        }
    }

    /// A literal without its sign: `2`, `0.5`, `1e30`, `infinity`.
    pub fn number(&mut self, expected: &str) -> Read<f64> {
        if self.takes_words("infinity") {
            return Ok(f64::INFINITY);
        }
        let length = number_length(self.rest());
        match self.rest()[..length].parse::<f64>() {
            Ok(value) if value.is_finite() => {
                self.pass(length);
                Ok(value)
            }
            Ok(_) => self.too_large(length),
            Err(_) => self.expected(expected),
        }
    }

    fn too_large<T>(&self, length: usize) -> Read<T> {
        Err(self.wrong(length, "the number is too large", "does not fit"))
    }

    /// A message that something else was expected here.
    pub fn expected<T>(&self, expected: &str) -> Read<T> {
        let length = match (self.word().len(), self.rest().chars().next()) {
            (0, Some(letter)) => digits(self.rest()).max(letter.len_utf8()),
            (length, _) => length,
        };
        let message = match &self.rest()[..length] {
            "" => "the line ends too early".to_owned(),
            met => format!("unexpected `{met}`"),
        };
        Err(self.wrong(length, &message, &format!("expected {expected}")))
    }

    /// A message at the next bytes.
    pub fn wrong(&self, length: usize, message: &str, label: &str) -> Box<Diagnostic> {
        let start = self.line.start + self.at;
        Box::new(Diagnostic::new(message).label(self.source, Span { start, end: start + length }, label))
    }
}

/// How many digits a text begins with.
fn digits(text: &str) -> usize {
    text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len())
}

/// How long the literal is that a text begins with.
fn number_length(text: &str) -> usize {
    let whole = digits(text);
    let fraction = text[whole..].strip_prefix('.').map_or(0, digits);
    let mantissa = if fraction > 0 { whole + 1 + fraction } else { whole };
    let Some(exponent) = text[mantissa..].strip_prefix('e').filter(|_| whole > 0) else { return mantissa };
    let sign = usize::from(exponent.starts_with(['-', '+']));
    match digits(&exponent[sign..]) {
        0 => mantissa,
        power => mantissa + 1 + sign + power,
    }
}
