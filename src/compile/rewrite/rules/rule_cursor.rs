//! Goes through the tokens of one entry of a rule file.
//!
//! In: the entry's place in its source. Out: trees, names, words, conditions, in the order in which they are asked for; or a message at
//! the token that is not what was expected.

use super::rule_text::{ConditionText, Tag, Token, Tree, missing_law, read_law, wrong_at};
use std::sync::Arc;
use systole_base::diagnostic::Diagnostic;
use systole_base::span::{Source, Span};

/// The words and brackets of an entry.
fn tokenize(source: &Source, span: Span) -> Vec<Token> {
    let mut tokens: Vec<Token> = vec![];
    let mut start = None;
    let text = source.slice(span);
    for (position, letter) in text.char_indices().chain([(text.len(), ' ')]) {
        let single = matches!(letter, '(' | ')' | '&' | '!');
        if single || letter.is_whitespace() {
            tokens.extend(start.take().map(|begin| token(text, span, begin, position)));
            tokens.extend(single.then(|| token(text, span, position, position + 1)));
        } else {
            start.get_or_insert(position);
        }
    }
    tokens
}

fn token(text: &str, within: Span, start: usize, end: usize) -> Token {
    let span = Span { start: within.start + start, end: within.start + end };
    Token { text: text[start..end].to_owned(), span }
}

/// Where in an entry the reader is.
pub(super) struct Cursor<'a> {
    source: &'a Arc<Source>,
    tokens: Vec<Token>,
    at: usize,
    end: Span,
}

impl<'a> Cursor<'a> {
    /// At the start of the entry at `span`.
    pub fn new(source: &'a Arc<Source>, span: Span) -> Cursor<'a> {
        let end = Span { start: span.end, end: span.end };
        Cursor { source, tokens: tokenize(source, span), at: 0, end }
    }

    pub fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(|token| token.text.as_str())
    }

    fn next(&mut self, expected: &str) -> Result<Token, Diagnostic> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        token.ok_or_else(|| wrong_at(self.source, self.end, format!("expected {expected}"), "the rule ends here"))
    }

    fn wrong(&self, token: &Token, expected: &str) -> Diagnostic {
        let message = format!("expected {expected}, found `{}`", token.text);
        wrong_at(self.source, token.span, message, "not here")
    }

    /// Whether a monoid is declared here, and whether an ordered one.
    pub fn monoid_words(&mut self) -> Option<bool> {
        let word = |position: usize| self.tokens.get(position).map(|token| token.text.as_str());
        let ordered = match (word(0), word(1)) {
            (Some("monoid"), _) => false,
            (Some("ordered"), Some("monoid")) => true,
            _ => return None,
        };
        self.at += 1 + usize::from(ordered);
        Some(ordered)
    }

    pub fn word(&mut self, expected: &str) -> Result<(), Diagnostic> {
        let token = self.next(&format!("`{expected}`"))?;
        if token.text == expected { Ok(()) } else { Err(self.wrong(&token, &format!("`{expected}`"))) }
    }

    pub fn ended(&self, what: &str) -> Result<(), Diagnostic> {
        let rest = self.tokens.get(self.at);
        rest.map_or(Ok(()), |token| Err(self.wrong(token, &format!("the end of {what}"))))
    }

    /// The law of what is called `name`.
    pub fn law(&self, name: &Token, law: Option<(String, Span)>) -> Result<(Tag, String), Diagnostic> {
        let (text, span) = law.ok_or_else(|| missing_law(self.source, name))?;
        read_law(self.source, &text, span)
    }

    pub fn rule_name(&mut self) -> Result<Token, Diagnostic> {
        let token = self.next("a rule name and `:`")?;
        let kebab = |text: &str| {
            text.starts_with(|first: char| first.is_ascii_lowercase())
                && text.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-')
        };
        match token.text.strip_suffix(':').filter(|name| kebab(name)) {
            Some(name) => {
                let span = Span { start: token.span.start, end: token.span.end - 1 };
                Ok(Token { text: name.to_owned(), span })
            }
            None => Err(self.wrong(&token, "a rule name in kebab-case and `:`")),
        }
    }

    pub fn arrow(&mut self) -> Result<bool, Diagnostic> {
        let token = self.next("`=>` or `<=>`")?;
        match token.text.as_str() {
            "=>" => Ok(false),
            "<=>" => Ok(true),
            _ => Err(self.wrong(&token, "`=>` or `<=>`")),
        }
    }

    pub fn tree(&mut self) -> Result<Tree, Diagnostic> {
        let token = self.next("a term")?;
        match token.text.as_str() {
            "(" => self.list(token.span),
            ")" | "&" | "!" | "=>" | "<=>" => Err(self.wrong(&token, "a term")),
            _ => Ok(Tree::Atom(token)),
        }
    }

    fn list(&mut self, open: Span) -> Result<Tree, Diagnostic> {
        let mut children = vec![];
        loop {
            match self.peek() {
                None => return Err(wrong_at(self.source, open, "parenthesis is never closed", "opened here")),
                Some(")") => {
                    let close = self.next("`)`")?;
                    return Ok(Tree::List(children, open.to(close.span)));
                }
                Some(_) => children.push(self.tree()?),
            }
        }
    }

    pub fn conditions(&mut self) -> Result<Vec<ConditionText>, Diagnostic> {
        let mut conditions = vec![];
        let mut word = "if";
        while self.at < self.tokens.len() {
            let expected = format!("`{word}` or the end of the rule");
            let token = self.next(&expected)?;
            if token.text != word {
                return Err(self.wrong(&token, &expected));
            }
            conditions.push(self.condition()?);
            word = "&";
        }
        Ok(conditions)
    }

    fn condition(&mut self) -> Result<ConditionText, Diagnostic> {
        let negated = self.peek() == Some("!");
        self.at += usize::from(negated);
        let name = self.next("a condition such as `input(?x)`")?;
        let open = self.next("`(`")?;
        if open.text != "(" {
            return Err(self.wrong(&open, "`(`"));
        }
        let Tree::List(children, _) = self.list(open.span)? else { return Err(self.wrong(&open, "arguments")) };
        let arguments = children.into_iter().map(|child| self.variable(child)).collect::<Result<_, _>>()?;
        Ok(ConditionText { name, negated, arguments })
    }

    fn variable(&self, tree: Tree) -> Result<Token, Diagnostic> {
        match tree {
            Tree::Atom(token) if token.text.starts_with('?') => Ok(token),
            other => Err(wrong_at(self.source, other.span(), "a condition takes variables only", "not a variable")),
        }
    }
}
