//! The smallest pieces of the grammar: names, numbers, signs and words, each with the blanks after it.
//!
//! All parsers read a stretch of the text that [`super::layout`] cut out; the parser's state is the offset of that
//! stretch, so that spans point into the whole text.

use super::ast::{Ident, Spanned};
use crate::integer::name;
use crate::span::Span;
use chumsky::input::MapExtra;
use chumsky::inspector::SimpleState;
use chumsky::prelude::*;

/// What every parser carries: rich errors, and the offset of the stretch it reads.
pub(super) type Extra<'s> = extra::Full<Rich<'s, char>, SimpleState<usize>, ()>;

/// A parser of the grammar.
pub(super) type Reader<'s, T> = Boxed<'s, 's, &'s str, T, Extra<'s>>;

/// Words that cannot be names.
pub(super) const RESERVED: [&str; 6] = ["kernel", "in", "out", "local", "schedule", "where"];

/// Words that can lead a reduction, and whether each is the name of a function too.
pub(super) const REDUCTIONS: [(&str, bool); 4] = [("sum", false), ("prod", false), ("max", true), ("min", true)];

/// The span just read, without the blanks after it.
pub(super) fn here<'s>(extra: &mut MapExtra<'s, '_, &'s str, Extra<'s>>) -> Span {
    let span: SimpleSpan = extra.span();
    let length = extra.slice().trim_end().len();
    let start = span.start + extra.state().0;
    Span { start, end: start + length }
}

/// The parser with the span of what it reads.
pub(super) fn spanned<'s, T: 's>(
    parser: impl Parser<'s, &'s str, T, Extra<'s>> + Clone + 's,
) -> Reader<'s, Spanned<T>> {
    parser.map_with(|node, extra| Spanned::new(node, here(extra))).boxed()
}

/// Blanks between tokens. Unlike the library's parser it claims nothing in error messages.
pub(super) fn blank<'s>() -> impl Parser<'s, &'s str, (), Extra<'s>> + Copy {
    any().filter(|letter: &char| letter.is_whitespace()).ignored().repeated()
}

/// Letters, digits and underscores; the library's parser for identifiers stops at digits.
fn letters<'s>() -> impl Parser<'s, &'s str, &'s str, Extra<'s>> + Copy {
    let first = any().filter(|letter: &char| letter.is_ascii_alphabetic() || *letter == '_');
    let rest = any().filter(|letter: &char| letter.is_ascii_alphanumeric() || *letter == '_');
    first.then(rest.repeated()).to_slice()
}

/// A sign, such as `(` or `..`.
pub(super) fn sign<'s>(text: &'static str) -> Reader<'s, ()> {
    just(text).ignored().labelled(text).then_ignore(blank()).boxed()
}

/// A word of the language.
pub(super) fn keyword<'s>(word: &'static str) -> Reader<'s, ()> {
    let found = letters().filter(move |found: &&str| *found == word);
    found.ignored().labelled(word).then_ignore(blank()).boxed()
}

/// A name that is not reserved.
pub(super) fn identifier<'s>() -> Reader<'s, Ident> {
    let word = letters().filter(|text: &&str| !RESERVED.contains(text)).map(name);
    spanned(word).labelled("a name").then_ignore(blank()).boxed()
}

/// A name of a kernel or a schedule, which may hold `-` between its parts.
pub(super) fn title<'s>() -> Reader<'s, Ident> {
    let part = any().filter(|letter: &char| letter.is_ascii_alphanumeric() || *letter == '_').repeated().at_least(1);
    let words = letters().then(just('-').then(part).repeated()).to_slice().map(name);
    spanned(words).labelled("a name").then_ignore(blank()).boxed()
}

/// A literal: `2`, `0.5`, `1e-3`. It must fit a double.
pub(super) fn number<'s>() -> Reader<'s, Spanned<f64>> {
    let digits = text::digits(10);
    let fraction = just('.').then(text::digits(10));
    let exponent = one_of("eE").then(one_of("+-").or_not()).then(text::digits(10));
    let literal = digits.then(fraction.or_not()).then(exponent.or_not()).to_slice();
    let value = literal.try_map(|text: &str, span| match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(Rich::custom(span, format!("the number `{text}` does not fit a double"))),
    });
    spanned(value).labelled("a number").then_ignore(blank()).boxed()
}

/// A list between brackets; what cannot be read inside is reported and skipped.
pub(super) fn listed<'s, T: Clone + 's>(
    item: impl Parser<'s, &'s str, T, Extra<'s>> + Clone + 's,
    (open, close): (&'static str, &'static str),
) -> Reader<'s, Vec<T>> {
    item.separated_by(sign(",")).collect::<Vec<T>>().delimited_by(sign(open), sign(close)).boxed()
}

/// Whether `text` has the form of a name.
pub(super) fn is_word(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}
