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

use super::rule_cursor::Cursor;
use std::fmt;
use std::sync::Arc;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::span::{Source, Span};

/// How far a law holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tag {
    /// Both sides have the same bits, once reductions run in one order.
    Exact,
    /// Both sides are equal over the reals; rounding may differ. With infinite values too, wherever the left side is finite, or an
    /// infinity through maxima, minima and sums of one sign.
    Real,
    /// Both sides are equal over the reals; of infinite values nothing is said.
    Finite,
    /// Both sides are equal over the reals where what the law assumes holds, such as that a number is not 0.
    Assume,
}

impl Tag {
    /// All tags with the words for them.
    pub const ALL: [(Tag, &'static str); 4] =
        [(Tag::Exact, "exact"), (Tag::Real, "real"), (Tag::Finite, "finite"), (Tag::Assume, "assume")];

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
    let mut cursor = Cursor::new(source, span);
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
pub(super) fn read_law(source: &Arc<Source>, text: &str, span: Span) -> Result<(Tag, String), Diagnostic> {
    let (word, law) = text.split_once(':').map_or((text, ""), |(word, law)| (word.trim(), law.trim()));
    let Some(tag) = Tag::from_keyword(word) else {
        let message = format!("`{word}` is no tag of a law");
        let help = "write `# law exact: ...` where both sides have the same bits, `# law real: ...` where they are equal over \
                    the reals and for infinite values too, `# law finite: ...` where the values have to be finite, `# law assume: \
                    ...` where they are under a condition";
        return Err(wrong_at(source, span, message, "how far does it hold?").help(help));
    };
    if law.is_empty() {
        return Err(wrong_at(source, span, "empty law", "say why the rule holds"));
    }
    Ok((tag, law.to_owned()))
}

/// What to say of an entry without a law line.
pub(super) fn missing_law(source: &Arc<Source>, name: &Token) -> Diagnostic {
    let message = format!("rule `{}` states no law", name.text);
    wrong_at(source, name.span, message, "no law line before this")
        .help("write `# law exact: ...` on the line before the rule")
}
