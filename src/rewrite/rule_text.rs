//! The text of rule files, taken apart: laws, names, terms and conditions, each with its place.
//!
//! In: a [`Source`]. Out: one [`RuleText`] for each rule, or messages. Nothing is known here of operators or predicates.
//!
//! ```text
//! # law exact: one line, in words or mathematics
//! name: lhs => rhs if p(?a ?b) & !q(?c)
//! ```
//!
//! `<=>` stands for two rules. `monoid name: (a b) (x y) => (..) from (..)` declares an operator on tuples,
//! `operator name: (a b) => (..)` a scalar function that is short for a term of others; each has a law line too. A line that starts with a blank continues the one before. Other lines with `#` are
//! comments.

use crate::diagnostic::{Checked, Diagnostic};
use crate::span::{Source, Span};
use std::fmt;
use std::sync::Arc;

/// How far a law holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tag {
    /// Both sides have the same bits, once reductions run in one order.
    Exact,
    /// Both sides are equal over the reals; rounding may differ.
    Real,
    /// Both sides are equal over the reals where what the law assumes holds, such as that a number is not 0.
    Assume,
}

impl Tag {
    /// All tags with the words for them.
    pub const ALL: [(Tag, &'static str); 3] = [(Tag::Exact, "exact"), (Tag::Real, "real"), (Tag::Assume, "assume")];

    /// The tag that `word` names.
    pub fn from_keyword(word: &str) -> Option<Tag> {
        Tag::ALL.iter().find(|(_, known)| *known == word).map(|(tag, _)| *tag)
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Tag::ALL.iter().find(|(tag, _)| tag == self).map_or("", |(_, word)| word))
    }
}

/// A word of a rule and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub text: String,
    pub span: Span,
}

/// A term as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tree {
    Atom(Token),
    List(Vec<Tree>, Span),
}

/// `p(?a ?b)` or its negation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConditionText {
    pub name: Token,
    pub negated: bool,
    pub arguments: Vec<Token>,
}

/// A rule as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RuleText {
    pub name: Token,
    pub law: String,
    pub tag: Tag,
    pub left: Tree,
    pub right: Tree,
    pub both_ways: bool,
    pub conditions: Vec<ConditionText>,
}

/// `monoid rescaled: (m a) (x v) => (..) from (-infinity 0)`, or `ordered monoid ..`, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MonoidText {
    pub name: Token,
    pub law: String,
    pub tag: Tag,
    pub ordered: bool,
    pub left: Tree,
    pub right: Tree,
    pub values: Tree,
    pub neutral: Tree,
}

/// `operator logaddexp: (a b) => (..)`, as it is written: a scalar function that is short for others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OperatorText {
    pub name: Token,
    pub operands: Tree,
    pub value: Tree,
}

/// What a rule file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileText {
    pub operators: Vec<OperatorText>,
    pub rules: Vec<RuleText>,
    pub monoids: Vec<MonoidText>,
}

/// A message that points at one place of a rule file.
pub(super) fn wrong_at(source: &Arc<Source>, span: Span, message: impl Into<String>, label: &str) -> Diagnostic {
    Diagnostic::new(message).label(source, span, label)
}

impl Tree {
    pub fn span(&self) -> Span {
        match self {
            Tree::Atom(token) => token.span,
            Tree::List(_, span) => *span,
        }
    }
}

/// Takes a rule file apart; all messages at once.
pub(super) fn parse_rules(source: &Arc<Source>) -> Checked<FileText> {
    let mut file = FileText::default();
    let mut diagnostics = vec![];
    let mut law: Option<(String, Span)> = None;
    for entry in split_entries(&source.text) {
        match entry {
            Entry::Law(text, span) => {
                if let Some((_, old)) = law.replace((text, span)) {
                    diagnostics.push(stray_law(source, old));
                }
            }
            Entry::Rule(span) => diagnostics.extend(parse_entry(source, span, law.take(), &mut file).err()),
        }
    }
    diagnostics.extend(law.map(|(_, span)| stray_law(source, span)));
    if diagnostics.is_empty() { Ok(file) } else { Err(diagnostics) }
}

fn stray_law(source: &Arc<Source>, span: Span) -> Diagnostic {
    wrong_at(source, span, "law without a rule", "no rule follows").help("write the rule on the next line")
}

enum Entry {
    Law(String, Span),
    Rule(Span),
}

/// Laws and rules in their order; a rule's span covers its continuation lines.
fn split_entries(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = vec![];
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end();
        let span = Span { start: offset, end: offset + content.len() };
        offset += line.len();
        match (content.strip_prefix("# law"), entries.last_mut()) {
            (Some(law), _) => entries.push(Entry::Law(law.trim().to_owned(), span)),
            _ if content.is_empty() || content.starts_with('#') => {}
            (_, Some(Entry::Rule(rule))) if content.starts_with([' ', '\t']) => *rule = rule.to(span),
            _ => entries.push(Entry::Rule(span)),
        }
    }
    entries
}

fn parse_entry(
    source: &Arc<Source>,
    span: Span,
    law: Option<(String, Span)>,
    file: &mut FileText,
) -> Result<(), Diagnostic> {
    let end = Span { start: span.end, end: span.end };
    let mut cursor = Cursor { source, tokens: tokenize(source, span), at: 0, end };
    if cursor.peek() == Some("operator") {
        file.operators.push(parse_operator(&mut cursor, law)?);
        return Ok(());
    }
    match cursor.monoid_words() {
        Some(ordered) => file.monoids.push(parse_monoid(&mut cursor, ordered, law)?),
        None => file.rules.push(parse_rule(&mut cursor, law)?),
    }
    Ok(())
}

fn parse_rule(cursor: &mut Cursor<'_>, law: Option<(String, Span)>) -> Result<RuleText, Diagnostic> {
    let name = cursor.rule_name()?;
    let (tag, law) = cursor.law(&name, law)?;
    let left = cursor.tree()?;
    let both_ways = cursor.arrow()?;
    let right = cursor.tree()?;
    let conditions = cursor.conditions()?;
    Ok(RuleText { name, law, tag, left, right, both_ways, conditions })
}

fn parse_operator(cursor: &mut Cursor<'_>, law: Option<(String, Span)>) -> Result<OperatorText, Diagnostic> {
    cursor.word("operator")?;
    let name = cursor.rule_name()?;
    cursor.law(&name, law)?;
    let operands = cursor.tree()?;
    cursor.word("=>")?;
    let value = cursor.tree()?;
    cursor.ended("the operator")?;
    Ok(OperatorText { name, operands, value })
}

fn parse_monoid(cursor: &mut Cursor<'_>, ordered: bool, law: Option<(String, Span)>) -> Result<MonoidText, Diagnostic> {
    let name = cursor.rule_name()?;
    let (tag, law) = cursor.law(&name, law)?;
    let (left, right) = (cursor.tree()?, cursor.tree()?);
    cursor.word("=>")?;
    let values = cursor.tree()?;
    cursor.word("from")?;
    let neutral = cursor.tree()?;
    cursor.ended("the monoid")?;
    Ok(MonoidText { name, law, tag, ordered, left, right, values, neutral })
}

/// The tag and the words of a law line, behind `# law`.
fn read_law(source: &Arc<Source>, text: &str, span: Span) -> Result<(Tag, String), Diagnostic> {
    let (word, law) = text.split_once(':').map_or((text, ""), |(word, law)| (word.trim(), law.trim()));
    let Some(tag) = Tag::from_keyword(word) else {
        let message = format!("`{word}` is no tag of a law");
        let help = "write `# law exact: ...` where both sides have the same bits, `# law real: ...` where they are equal over \
                    the reals, `# law assume: ...` where they are under a condition";
        return Err(wrong_at(source, span, message, "how far does it hold?").help(help));
    };
    if law.is_empty() {
        return Err(wrong_at(source, span, "empty law", "say why the rule holds"));
    }
    Ok((tag, law.to_owned()))
}

fn missing_law(source: &Arc<Source>, name: &Token) -> Diagnostic {
    let message = format!("rule `{}` states no law", name.text);
    wrong_at(source, name.span, message, "no law line before this")
        .help("write `# law exact: ...` on the line before the rule")
}

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

struct Cursor<'a> {
    source: &'a Arc<Source>,
    tokens: Vec<Token>,
    at: usize,
    end: Span,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<&str> {
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
    fn monoid_words(&mut self) -> Option<bool> {
        let word = |position: usize| self.tokens.get(position).map(|token| token.text.as_str());
        let ordered = match (word(0), word(1)) {
            (Some("monoid"), _) => false,
            (Some("ordered"), Some("monoid")) => true,
            _ => return None,
        };
        self.at += 1 + usize::from(ordered);
        Some(ordered)
    }

    fn word(&mut self, expected: &str) -> Result<(), Diagnostic> {
        let token = self.next(&format!("`{expected}`"))?;
        if token.text == expected { Ok(()) } else { Err(self.wrong(&token, &format!("`{expected}`"))) }
    }

    fn ended(&self, what: &str) -> Result<(), Diagnostic> {
        let rest = self.tokens.get(self.at);
        rest.map_or(Ok(()), |token| Err(self.wrong(token, &format!("the end of {what}"))))
    }

    /// The law of what is called `name`.
    fn law(&self, name: &Token, law: Option<(String, Span)>) -> Result<(Tag, String), Diagnostic> {
        let (text, span) = law.ok_or_else(|| missing_law(self.source, name))?;
        read_law(self.source, &text, span)
    }

    fn rule_name(&mut self) -> Result<Token, Diagnostic> {
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

    fn arrow(&mut self) -> Result<bool, Diagnostic> {
        let token = self.next("`=>` or `<=>`")?;
        match token.text.as_str() {
            "=>" => Ok(false),
            "<=>" => Ok(true),
            _ => Err(self.wrong(&token, "`=>` or `<=>`")),
        }
    }

    fn tree(&mut self) -> Result<Tree, Diagnostic> {
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

    fn conditions(&mut self) -> Result<Vec<ConditionText>, Diagnostic> {
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
