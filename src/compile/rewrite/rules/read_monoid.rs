//! From the text of a declared monoid to a [`Monoid`].
//!
//! In: what [`super::rule_text`] took apart. Out: a monoid whose tuples have one width, whose values use their names and scalar
//! functions alone, or a message at the place in the rule file.

use super::monoid::Monoid;
use super::reader::check_operator;
use super::rule_text::{MonoidText, Token, Tree, wrong_at};
use crate::rewrite::terms::Term;
use egg::{Id, RecExpr};
use std::sync::Arc;
use systole_base::diagnostic::Diagnostic;
use systole_base::scalar::Function;
use systole_base::span::Source;
use systole_equations::recurrence::Operator;

/// The monoid of a declaration.
pub(super) fn read_monoid(source: &Arc<Source>, text: &MonoidText) -> Result<Monoid, Diagnostic> {
    if Operator::from_keyword(&text.name.text).is_some() {
        let message = format!("`{}` is a built-in reduction", text.name.text);
        return Err(wrong_at(source, text.name.span, message, "give the monoid another name"));
    }
    let (left, right) = (names(source, &text.left)?, names(source, &text.right)?);
    let values = list(source, &text.values)?;
    let neutral = list(source, &text.neutral)?;
    for (what, count, span) in [
        ("names for what comes next", right.len(), text.right.span()),
        ("values", values.len(), text.values.span()),
        ("neutral numbers", neutral.len(), text.neutral.span()),
    ] {
        if count != left.len() {
            let message =
                format!("`{}` combines tuples of {}, but there are {count} {what}", text.name.text, left.len());
            return Err(wrong_at(source, span, message, "one for each component"));
        }
    }
    let known: Vec<&Token> = left.iter().chain(&right).collect();
    Ok(Monoid {
        name: text.name.text.clone(),
        symbol: text.name.text.as_str().into(),
        law: text.law.clone(),
        tag: text.tag,
        origin: format!("{}:{}", source.name, source.line(text.name.span.start)),
        ordered: text.ordered,
        values: values.iter().map(|value| scalar(source, value, &known)).collect::<Result<_, _>>()?,
        neutral: neutral.iter().map(|value| number(source, value)).collect::<Result<_, _>>()?,
        left: left.into_iter().map(|token| token.text).collect(),
        right: right.into_iter().map(|token| token.text).collect(),
        source: Arc::clone(source),
        span: text.name.span,
    })
}

fn list<'t>(source: &Arc<Source>, tree: &'t Tree) -> Result<&'t [Tree], Diagnostic> {
    match tree {
        Tree::List(children, _) if !children.is_empty() => Ok(children),
        other => Err(wrong_at(source, other.span(), "expected a list in parentheses", "one entry for each component")),
    }
}

fn names(source: &Arc<Source>, tree: &Tree) -> Result<Vec<Token>, Diagnostic> {
    let name = |child: &Tree| match child {
        Tree::Atom(token) if token.text.starts_with(|first: char| first.is_ascii_alphabetic()) => {
            let is_number = matches!(Term::leaf(&token.text), Term::Number(_));
            let message = format!("`{}` is a number, and cannot name a component", token.text);
            if is_number { Err(wrong_at(source, token.span, message, "not a name")) } else { Ok(token.clone()) }
        }
        other => Err(wrong_at(source, other.span(), "expected the name of a component", "not a name")),
    };
    list(source, tree)?.iter().map(name).collect()
}

fn number(source: &Arc<Source>, tree: &Tree) -> Result<f64, Diagnostic> {
    let value = match tree {
        Tree::Atom(token) => match token.text.as_str() {
            "infinity" => Some(f64::INFINITY),
            "-infinity" => Some(f64::NEG_INFINITY),
            text => text.parse().ok().filter(|value: &f64| value.is_finite()),
        },
        Tree::List(..) => None,
    };
    value.ok_or_else(|| wrong_at(source, tree.span(), "expected a number, `infinity` or `-infinity`", "not a number"))
}

fn scalar(source: &Arc<Source>, tree: &Tree, known: &[&Token]) -> Result<RecExpr<Term>, Diagnostic> {
    let mut term = RecExpr::default();
    add(source, tree, known, &mut term)?;
    Ok(term)
}

fn add(source: &Arc<Source>, tree: &Tree, known: &[&Token], term: &mut RecExpr<Term>) -> Result<Id, Diagnostic> {
    match tree {
        Tree::Atom(token) => {
            let leaf = Term::leaf(&token.text);
            let is_known = matches!(leaf, Term::Number(_)) || known.iter().any(|name| name.text == token.text);
            let unknown = || wrong_at(source, token.span, format!("`{}` is no component", token.text), "not declared");
            is_known.then(|| term.add(leaf)).ok_or_else(unknown)
        }
        Tree::List(children, span) => {
            let Some((Tree::Atom(head), arguments)) = children.split_first() else {
                return Err(wrong_at(source, *span, "a term starts with an operator", "no operator"));
            };
            check_operator(source, head, arguments.len())?;
            let Some(function) = Function::from_keyword(&head.text) else {
                let message = format!("`{}` is no scalar function", head.text);
                return Err(wrong_at(source, head.span, message, "a monoid combines numbers"));
            };
            let ids = arguments.iter().map(|child| add(source, child, known, term)).collect::<Result<Vec<Id>, _>>()?;
            Ok(term.add(Term::apply(function, &ids)))
        }
    }
}
