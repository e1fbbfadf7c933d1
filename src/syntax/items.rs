//! Items: the kernel's header, declarations, equations, schedule headers and directives.

use super::ast::{Direction, Directive, Equation, Ident, Kernel, Spanned, Tensor};
use super::expressions::{condition, expression, subscripts};
use super::schedules;
use super::tokens::{Reader, identifier, keyword, listed, sign, spanned, title};
use chumsky::prelude::*;

/// What a stretch of text can hold.
#[derive(Clone)]
pub(super) enum Item {
    Kernel(Spanned<Kernel>),
    Tensors(Vec<Spanned<Tensor>>),
    Equation(Spanned<Equation>),
    Schedule(Spanned<Ident>),
    Directive(Spanned<Directive>),
}

/// The items of one stretch, up to its end.
pub(super) fn items<'s>() -> Reader<'s, Vec<Item>> {
    let item = choice((
        kernel().map(Item::Kernel),
        tensors().map(Item::Tensors),
        schedules::header().map(Item::Schedule),
        equation().map(Item::Equation),
        schedules::directive().map(Item::Directive),
    ));
    item.labelled("an item").repeated().at_least(1).collect().then_ignore(end()).boxed()
}

/// `kernel matmul(M, N, K)`.
fn kernel<'s>() -> Reader<'s, Spanned<Kernel>> {
    let header = keyword("kernel").ignore_then(title()).then(listed(identifier(), ("(", ")")));
    spanned(header.map(|(name, parameters)| Kernel { name, parameters }))
}

/// `in A[M, K], B[K, N]`.
fn tensors<'s>() -> Reader<'s, Vec<Spanned<Tensor>>> {
    let direction = choice(Direction::ALL.map(|(direction, word)| keyword(word).to(direction)));
    let shape = subscripts(&expression()).or_not().map(Option::unwrap_or_default);
    let tensor = spanned(identifier().then(shape));
    let list = tensor.separated_by(sign(",")).at_least(1).collect::<Vec<_>>();
    direction
        .then(list)
        .map(|(direction, list)| {
            let declare = |Spanned { node: (name, shape), span }| Spanned::new(Tensor { direction, name, shape }, span);
            list.into_iter().map(declare).collect()
        })
        .boxed()
}

/// `C[i, j] = value where conditions`.
fn equation<'s>() -> Reader<'s, Spanned<Equation>> {
    let target = identifier().then(subscripts(&expression()).or_not().map(Option::unwrap_or_default));
    let equals = sign("=").and_is(just("==").not());
    let conditions = condition().separated_by(sign(",")).at_least(1).collect::<Vec<_>>();
    let conditions = keyword("where").ignore_then(conditions).or_not().map(Option::unwrap_or_default);
    let both = target.then_ignore(equals).then(expression()).then(conditions);
    spanned(both.map(|(((target, subscripts), value), conditions)| Equation { target, subscripts, value, conditions }))
}
