//! Expressions: arithmetic, comparisons, calls, tensor accesses and reductions.
//!
//! From loose to tight: one comparison, sums, products, a leading minus, atoms. A reduction's body is a product, like
//! the operand of a mathematical sigma: `sum(k) a * b - c` is `(sum(k) a * b) - c`.

use super::ast::{Binding, Condition, Expr, Ident, Infix, Relation, Spanned, Term};
use super::tokens::{Extra, REDUCTIONS, Reader, blank, here, identifier, keyword, listed, number, sign, spanned, word};
use chumsky::prelude::*;
use systole_base::integer::name;

/// Strips are shorter than this.
const STRIP_LIMIT: f64 = 2_147_483_648.0;

/// Any expression.
pub(super) fn expression<'s>() -> Reader<'s, Expr> {
    recursive(|expression| comparison(&arithmetic(&expression.boxed()))).labelled("an expression").boxed()
}

/// An expression without a comparison outside brackets, as bounds and conditions have it.
pub(super) fn form<'s>() -> Reader<'s, Expr> {
    arithmetic(&expression()).labelled("an expression").boxed()
}

/// A chain of comparisons between forms.
pub(super) fn condition<'s>() -> Reader<'s, Spanned<Condition>> {
    let rest = relation().then(form()).repeated().at_least(1).collect::<Vec<_>>();
    spanned(form().then(rest).map(|(first, rest)| Condition { first, rest })).labelled("a condition").boxed()
}

fn relation<'s>() -> Reader<'s, Relation> {
    let signs = Relation::ALL.map(|(relation, sign)| just(sign).to(relation));
    choice(signs).labelled("a comparison").then_ignore(blank()).boxed()
}

fn comparison<'s>(arithmetic: &Reader<'s, Expr>) -> Reader<'s, Expr> {
    let right = relation().then(arithmetic.clone()).or_not();
    let both = arithmetic.clone().then(right);
    both.map(|(left, right)| match right {
        None => left,
        Some((relation, right)) => {
            let span = left.span.to(right.span);
            Spanned::new(Term::Compare(relation, Box::new(left), Box::new(right)), span)
        }
    })
    .boxed()
}

/// Sums of products; `expression` is what brackets may hold.
fn arithmetic<'s>(expression: &Reader<'s, Expr>) -> Reader<'s, Expr> {
    let product = recursive(|product| {
        let operand = choice((reduction(expression, &product.boxed()), atom(expression)));
        chain(
            &negation(operand.boxed()).labelled("an expression").boxed(),
            [(Infix::Multiply, "*"), (Infix::Divide, "/")],
        )
    });
    chain(&product.boxed(), [(Infix::Add, "+"), (Infix::Subtract, "-")])
}

/// Operands joined by operators of one rank, from left to right.
fn chain<'s>(operand: &Reader<'s, Expr>, signs: [(Infix, &'static str); 2]) -> Reader<'s, Expr> {
    let operator = choice(signs.map(|(infix, text)| sign(text).to(infix)));
    let rest = operator.labelled("an operator").then(operand.clone()).repeated();
    let join = |left: Expr, (infix, right): (Infix, Expr)| {
        let span = left.span.to(right.span);
        Spanned::new(Term::Infix(infix, Box::new(left), Box::new(right)), span)
    };
    operand.clone().foldl(rest, join).boxed()
}

fn negation(operand: Reader<'_, Expr>) -> Reader<'_, Expr> {
    let negate = |minus: Spanned<()>, operand: Expr| {
        let span = minus.span.to(operand.span);
        Spanned::new(Term::Negate(Box::new(operand)), span)
    };
    spanned(sign("-")).repeated().foldr(operand, negate).boxed()
}

/// `sum(k in 0..K) body`. For `max(a, b)` with nothing after it, this fails and a call is tried.
fn reduction<'s>(expression: &Reader<'s, Expr>, body: &Reader<'s, Expr>) -> Reader<'s, Expr> {
    let bindings =
        binding(expression).separated_by(sign(",")).at_least(1).collect().delimited_by(sign("("), sign(")")).boxed();
    // `max(a, b) - c` is a difference, so the body of a word that is a function too cannot begin with a minus.
    let unsigned = just('-').not().ignore_then(body.clone()).boxed();
    choice((
        reducing_word(false).then(bindings.clone()).then(body.clone()),
        reducing_word(true).then(bindings).then(unsigned),
    ))
    .map_with(|((word, bindings), body), extra| Spanned::new(Term::Reduce(word, bindings, Box::new(body)), here(extra)))
    .boxed()
}

/// `k in 0..K`, or the index alone.
pub(super) fn binding<'s>(expression: &Reader<'s, Expr>) -> Reader<'s, Binding> {
    let bound = arithmetic_bound(expression);
    let range = keyword("in").ignore_then(bound.clone()).then_ignore(sign("..")).then(bound);
    identifier().then(range.or_not()).map(|(index, range)| Binding { index, range }).boxed()
}

/// The word of a reduction that is, or is not, the name of a function too.
fn reducing_word<'s>(is_function: bool) -> Reader<'s, Ident> {
    word(move |text| REDUCTIONS.contains(&(text, is_function))).labelled("a name").boxed()
}

/// The bound of a range: what an affine form can look like, without another reduction.
fn arithmetic_bound<'s>(expression: &Reader<'s, Expr>) -> Reader<'s, Expr> {
    let operand = negation(atom(expression)).labelled("an expression").boxed();
    let product = chain(&operand, [(Infix::Multiply, "*"), (Infix::Divide, "/")]);
    chain(&product, [(Infix::Add, "+"), (Infix::Subtract, "-")])
}

/// A number, `infinity`, a name, an access, a call, or anything in brackets.
fn atom<'s>(expression: &Reader<'s, Expr>) -> Reader<'s, Expr> {
    let literal = number().map(|number| Spanned::new(Term::Number(number.node), number.span));
    let infinite = spanned(keyword("infinity")).map(|word| Spanned::new(Term::Number(f64::INFINITY), word.span));
    let bracketed = expression.clone().delimited_by(sign("("), sign(")"));
    choice((literal.boxed(), infinite.boxed(), named(expression), bracketed.boxed())).labelled("an expression").boxed()
}

/// A name and what may follow it: subscripts, arguments or nothing.
fn named<'s>(expression: &Reader<'s, Expr>) -> Reader<'s, Expr> {
    let subscripts = subscripts(expression).map(|list| (true, list));
    let arguments = listed(expression.clone(), ("(", ")")).map(|list| (false, list));
    let whole = identifier()
        .then(choice((subscripts, arguments)).or_not())
        .map_with(|(word, list), extra| {
            let term = match list {
                None => Term::Name(word.node),
                Some((true, list)) => Term::Access(word, list),
                Some((false, list)) => Term::Call(word, list),
            };
            Spanned::new(term, here(extra))
        })
        .boxed();
    choice((strip(), whole)).boxed()
}

/// `i mod 16` or `i div 16`: one name, as schedules have them.
fn strip<'s>() -> Reader<'s, Expr> {
    // Most expressions stand in equations, where neither is of use: no message offers them.
    let named = |wanted: &'static str, text: &'static str| word(move |found| found == wanted).to(text);
    let half = choice((named("mod", " mod "), named("div", " div ")));
    let size = number().validate(|size: Spanned<f64>, extra, emitter| {
        if size.node.fract() != 0.0 || size.node >= STRIP_LIMIT {
            emitter.emit(Rich::custom(extra.span(), "a strip is a whole number of points long, such as 16"));
        }
        size
    });
    spanned(identifier().then(half).then(size).map(|((index, half), size)| {
        let size = size.node as i64;
        Term::Name(name(&format!("{}{half}{size}", index.node)))
    }))
    .boxed()
}

/// `[i, k]`; what cannot be read between the brackets is reported and skipped.
pub(super) fn subscripts<'s>(expression: &Reader<'s, Expr>) -> Reader<'s, Vec<Expr>> {
    let skipped = nested_delimiters::<_, _, Extra<'s>, _, 1>('[', ']', [('(', ')')], |_| vec![]);
    let list = expression.clone().separated_by(sign(",")).at_least(1).collect();
    list.delimited_by(sign("["), sign("]")).recover_with(via_parser(skipped.then_ignore(blank()))).boxed()
}
