//! The smallest pieces of the grammar: names, numbers, signs and words, each with the blanks after it.
//!
//! All parsers read a stretch of the text that [`super::layout`] cut out; the parser's state is the offset of that
//! stretch, so that spans point into the whole text.

use super::ast::{Ident, Spanned};
use chumsky::error::RichPattern;
use chumsky::input::MapExtra;
use chumsky::inspector::SimpleState;
use chumsky::label::LabelError;
use chumsky::prelude::*;
use systole_base::integer::name;
use systole_base::span::Span;

/// What every parser carries: rich errors, and the offset of the stretch it reads.
pub(super) type Extra<'s> = extra::Full<Rich<'s, char>, SimpleState<usize>, ()>;

/// A parser of the grammar.
pub(super) type Reader<'s, T> = Boxed<'s, 's, &'s str, T, Extra<'s>>;

/// Words that cannot be names.
pub(super) const RESERVED: [&str; 13] = [
    "kernel",
    "const",
    "function",
    "in",
    "out",
    "local",
    "inout",
    "reduction",
    "schedule",
    "where",
    "else",
    "elsewhere",
    "infinity",
];

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

/// One letter that passes the test.
///
/// Unlike the library's `filter`, a failure is noted where the letter stands, so that labels can describe it. It forgets
/// earlier failures, so it must stand inside a label, which keeps them.
fn letter<'s>(test: fn(&char) -> bool) -> impl Parser<'s, &'s str, char, Extra<'s>> + Copy {
    any().try_map(move |letter: char, span| if test(&letter) { Ok(letter) } else { Err(undescribed(span)) })
}

/// An error that leaves it to the labels around it to say what was expected.
fn undescribed<'s>(span: SimpleSpan) -> Rich<'s, char> {
    let nothing: [RichPattern<'s, char>; 0] = [];
    LabelError::<&'s str, _>::expected_found(nothing, None, span)
}

/// Blanks between tokens. Unlike the library's parser it claims nothing in error messages.
pub(super) fn blank<'s>() -> impl Parser<'s, &'s str, (), Extra<'s>> + Copy {
    one_of(" \t\r\n").ignored().repeated()
}

/// Letters, digits and underscores; the library's parser for identifiers stops at digits.
fn letters<'s>() -> impl Parser<'s, &'s str, &'s str, Extra<'s>> + Copy {
    letter(is_first).then(letter(is_inner).repeated()).to_slice()
}

fn is_first(letter: &char) -> bool {
    letter.is_ascii_alphabetic() || *letter == '_'
}

pub(super) fn is_inner(letter: &char) -> bool {
    letter.is_ascii_alphanumeric() || *letter == '_'
}

/// A word that passes the test, with its place.
pub(super) fn word<'s>(test: impl Fn(&str) -> bool + Clone + 's) -> Reader<'s, Ident> {
    let found = letters().try_map(move |text, span| if test(text) { Ok(name(text)) } else { Err(undescribed(span)) });
    spanned(found).then_ignore(blank()).boxed()
}

/// A sign, such as `(` or `..`.
pub(super) fn sign<'s>(text: &'static str) -> Reader<'s, ()> {
    just(text).ignored().labelled(text).then_ignore(blank()).boxed()
}

/// A word of the language.
pub(super) fn keyword<'s>(wanted: &'static str) -> Reader<'s, ()> {
    word(move |text| text == wanted).ignored().labelled(wanted).boxed()
}

/// Whether no tensor, index or size can have this name: a word of the language, or one that programs read as a number.
pub(super) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name) || is_number(name)
}

/// Whether a word is a number, such as `inf` and `NaN`.
pub(super) fn is_number(word: &str) -> bool {
    word.parse::<f64>().is_ok()
}

/// A name that is not reserved.
pub(super) fn identifier<'s>() -> Reader<'s, Ident> {
    word(|text| !is_reserved(text)).labelled("a name").boxed()
}

/// A name of a kernel or a schedule, which may hold `-` between its parts.
pub(super) fn title<'s>() -> Reader<'s, Ident> {
    let part = letter(is_inner).repeated().at_least(1);
    let words = letters().then(just('-').then(part).repeated()).to_slice().filter(|word| !is_number(word)).map(name);
    spanned(words).labelled("a name").then_ignore(blank()).boxed()
}

/// The name of a tensor or a space, such as `S`, `S.sum` or `m.2`.
pub(super) fn dotted<'s>() -> Reader<'s, Ident> {
    let part = letter(is_inner).repeated().at_least(1);
    let words = letters().filter(|word| !is_reserved(word)).then(just('.').then(part).repeated());
    spanned(words.to_slice().map(name)).labelled("a name").then_ignore(blank()).boxed()
}

/// A word that may have a number with it, such as `cyclic` or `block-cyclic:2`.
pub(super) fn counted<'s>(label: &'static str) -> Reader<'s, Ident> {
    let part = letter(is_inner).repeated().at_least(1);
    let length = just(':').then(letter(char::is_ascii_digit).repeated());
    let words = letters().then(just('-').then(part).repeated()).then(length.or_not()).to_slice().map(name);
    spanned(words).labelled(label).then_ignore(blank()).boxed()
}

/// A literal: `2`, `0.5`, `1e-3`. It must fit a double.
pub(super) fn number<'s>() -> Reader<'s, Spanned<f64>> {
    let digits = letter(char::is_ascii_digit).repeated().at_least(1);
    let fraction = just('.').then(digits);
    let exponent = one_of("eE").then(one_of("+-").or_not()).then(digits);
    let literal = digits.then(fraction.or_not()).then(exponent.or_not()).to_slice();
    let value = literal.validate(|text: &str, extra, emitter| {
        let value: f64 = text.parse().unwrap_or(f64::INFINITY);
        if !value.is_finite() {
            emitter.emit(Rich::custom(extra.span(), format!("the number `{text}` does not fit a double")));
        }
        value
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
    text.starts_with(|letter| is_first(&letter)) && text.chars().all(|letter| is_inner(&letter))
}
