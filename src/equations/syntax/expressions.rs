//! Expressions: arithmetic, comparisons, calls, tensor accesses and reductions.
//!
//! From loose to tight: one comparison, sums, products, a leading minus, atoms. A reduction's body is a product, like
//! the operand of a mathematical sigma: `sum(k) a * b - c` is `(sum(k) a * b) - c`.

use super::ast::{Binding, Condition, Expr, Half, Ident, Infix, Relation, Spanned, Term};
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

/// `where i < j, 1 <= i`, or nothing.
pub(super) fn conditions<'s>() -> Reader<'s, Vec<Spanned<Condition>>> {
    conditions_of(&form())
}

fn conditions_of<'s>(form: &Reader<'s, Expr>) -> Reader<'s, Vec<Spanned<Condition>>> {
    let conditions = condition(form).separated_by(sign(",")).at_least(1).collect::<Vec<_>>();
    keyword("where").ignore_then(conditions).or_not().map(Option::unwrap_or_default).boxed()
}

/// A chain of comparisons between forms.
fn condition<'s>(form: &Reader<'s, Expr>) -> Reader<'s, Spanned<Condition>> {
    let rest = relation().then(form.clone()).repeated().at_least(1).collect::<Vec<_>>();
    spanned(form.clone().then(rest).map(|(first, rest)| Condition { first, rest })).labelled("a condition").boxed()
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
    let bindings = binding(expression).separated_by(sign(",")).at_least(1).collect::<Vec<_>>();
    let bindings = bindings.then(conditions_of(&arithmetic_bound(expression)));
    let bindings = bindings.delimited_by(sign("("), sign(")")).boxed();
    // `max(a, b) - c` is a difference, so the body of a word that is a function too cannot begin with a minus where there may be its arguments.
    let unsigned = just('-').not().ignore_then(body.clone()).boxed();
    choice((
        reducing_word(false).then(bindings.clone()).then(body.clone()),
        reducing_word(true).then(bindings.clone().filter(are_no_arguments)).then(body.clone()),
        reducing_word(true).then(bindings).then(unsigned),
    ))
    .map_with(|((word, (bindings, conditions)), body), extra| {
        Spanned::new(Term::Reduce(word, bindings, conditions, Box::new(body)), here(extra))
    })
    .boxed()
}

/// Whether what stands behind the word of a reduction is not what a function of that name takes: two names at least.
fn are_no_arguments((bindings, conditions): &(Vec<Binding>, Vec<Spanned<Condition>>)) -> bool {
    bindings.len() == 1 || !conditions.is_empty() || bindings.iter().any(|binding| binding.range.is_some())
}

/// `k in 0..K`, `k in 0..K step 2`, or the index alone.
pub(super) fn binding<'s>(expression: &Reader<'s, Expr>) -> Reader<'s, Binding> {
    let bound = arithmetic_bound(expression);
    let range = keyword("in").ignore_then(bound.clone()).then_ignore(sign("..")).then(bound);
    let range = range.then(step().or_not().map(|step| step.unwrap_or(1)));
    let whole = identifier().then(range.or_not());
    whole
        .map(|(index, range)| match range {
            Some((range, step)) => Binding { index, range: Some(range), step },
            None => Binding { index, range: None, step: 1 },
        })
        .boxed()
}

/// `step 2`, or `step -1`.
fn step<'s>() -> Reader<'s, i64> {
    let size = sign("-").or_not().map(|minus| minus.is_some()).then(number());
    let size = size.validate(|(is_negative, size): (bool, Spanned<f64>), extra, emitter| {
        if size.node.fract() != 0.0 || size.node == 0.0 || size.node >= STRIP_LIMIT {
            emitter.emit(Rich::custom(extra.span(), "a step is a whole number other than 0, such as 2 or -1"));
            return 1;
        }
        if is_negative { -(size.node as i64) } else { size.node as i64 }
    });
    keyword("step").ignore_then(size).boxed()
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
    let atoms = choice((literal.boxed(), infinite.boxed(), named(expression), bracketed(expression)));
    let chain = recursive(|chain| {
        let other = else_word().ignore_then(negation(chain.boxed())).or_not();
        atoms.then(other).map(|(element, other)| match other {
            Some(other) => {
                let span = element.span.to(other.span);
                Spanned::new(Term::Else(Box::new(element), Box::new(other)), span)
            }
            None => element,
        })
    });
    chain.labelled("an expression").boxed()
}

/// `else`, which no message offers: most expressions have none.
fn else_word<'s>() -> Reader<'s, ()> {
    word(|text| text == "else").ignored().labelled("an operator").boxed()
}

/// Anything in brackets, which may be divided: `(i + j) mod 2`.
fn bracketed<'s>(expression: &Reader<'s, Expr>) -> Reader<'s, Expr> {
    let whole = expression.clone().delimited_by(sign("("), sign(")")).then(division().labelled("an operator").or_not());
    whole
        .map_with(|(inner, divided), extra| match divided {
            Some((half, by)) => Spanned::new(Term::Divide(half, Box::new(inner), by), here(extra)),
            None => inner,
        })
        .boxed()
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
    spanned(
        identifier()
            .then(division())
            .map(|(index, (half, size))| Term::Name(name(&format!("{} {} {size}", index.node, half.keyword())))),
    )
    .boxed()
}

/// `mod 16` or `div 16`, behind what is divided.
fn division<'s>() -> Reader<'s, (Half, i64)> {
    // Most expressions are not divided: no message offers it.
    let half = choice(Half::ALL.map(|(half, wanted)| word(move |found| found == wanted).to(half)));
    let size = number().validate(|size: Spanned<f64>, extra, emitter| {
        if size.node.fract() != 0.0 || size.node >= STRIP_LIMIT {
            emitter.emit(Rich::custom(extra.span(), "a strip is a whole number of points long, such as 16"));
        }
        size.node as i64
    });
    half.then(size).boxed()
}

/// `[i, k]`; what cannot be read between the brackets is reported and skipped.
pub(super) fn subscripts<'s>(expression: &Reader<'s, Expr>) -> Reader<'s, Vec<Expr>> {
    let skipped = nested_delimiters::<_, _, Extra<'s>, _, 1>('[', ']', [('(', ')')], |_| vec![]);
    let list = expression.clone().separated_by(sign(",")).at_least(1).collect();
    list.delimited_by(sign("["), sign("]")).recover_with(via_parser(skipped.then_ignore(blank()))).boxed()
}
