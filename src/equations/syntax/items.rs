//! Items: the kernel's header, declarations, equations, schedule headers and directives.

use super::ast::{
    Definition, Direction, Directive, Equation, Expr, Ident, JointEquation, Kernel, Reduction, Spanned, Tensor,
};
use super::expressions::{binding, conditions, expression, subscripts};
use super::schedules;
use super::tokens::{Reader, identifier, keyword, listed, sign, spanned, title};
use chumsky::prelude::*;

/// What a stretch of text can hold.
#[derive(Clone)]
pub(super) enum Item {
    Kernel(Spanned<Kernel>),
    Definition(Spanned<Definition>),
    Tensors(Vec<Spanned<Tensor>>),
    Reduction(Spanned<Reduction>),
    Equation(Spanned<Equation>),
    JointEquation(Spanned<JointEquation>),
    Schedule(Spanned<Ident>),
    Directive(Spanned<Directive>),
}

/// The items of one stretch, up to its end.
pub(super) fn items<'s>() -> Reader<'s, Vec<Item>> {
    let item = choice((
        kernel().map(Item::Kernel),
        definition().map(Item::Definition),
        schedules::local_part().map(Item::Directive),
        tensors().map(Item::Tensors),
        schedules::header().map(Item::Schedule),
        reduction().map(Item::Reduction),
        equation().map(Item::Equation),
        joint_equation().map(Item::JointEquation),
        schedules::directive().map(Item::Directive),
    ));
    item.labelled("an item").repeated().at_least(1).collect().then_ignore(end()).boxed()
}

/// `kernel matmul(M, N, K)`, `kernel fir(N, K) where K <= N`.
fn kernel<'s>() -> Reader<'s, Spanned<Kernel>> {
    let header = keyword("kernel").ignore_then(title()).then(listed(identifier(), ("(", ")"))).then(conditions());
    spanned(header.map(|((name, parameters), assumptions)| Kernel { name, parameters, assumptions }))
}

/// `const W = 5` or `function gelu(x) = x * (1 + tanh(x)) / 2`.
fn definition<'s>() -> Reader<'s, Spanned<Definition>> {
    let constant = keyword("const").ignore_then(identifier()).map(|name| (name, None));
    let arguments = listed(identifier(), ("(", ")")).map(Some);
    let function = keyword("function").ignore_then(identifier()).then(arguments);
    let both = choice((constant.boxed(), function.boxed())).then_ignore(equals()).then(expression());
    spanned(both.map(|((name, arguments), value)| Definition { name, arguments, value }))
}

/// `in A[N, N] is dominant, B[N]`.
fn tensors<'s>() -> Reader<'s, Vec<Spanned<Tensor>>> {
    let direction = choice(Direction::ALL.map(|(direction, word)| keyword(word).to(direction)));
    let shape = subscripts(&expression()).or_not().map(Option::unwrap_or_default);
    let assumption = keyword("is").ignore_then(identifier()).or_not();
    let over = keyword("over").ignore_then(binding(&expression())).or_not();
    let tensor = spanned(identifier().then(shape).then(assumption).then(over));
    let list = tensor.separated_by(sign(",")).at_least(1).collect::<Vec<_>>();
    direction
        .then(list)
        .map(|(direction, list)| {
            let declare = |Spanned { node: (((name, shape), assumption), over), span }| {
                Spanned::new(Tensor { direction, name, shape, assumption, over }, span)
            };
            list.into_iter().map(declare).collect()
        })
        .boxed()
}

/// `reduction online(m, l) with (x, p) = (..) from (..)`.
fn reduction<'s>() -> Reader<'s, Spanned<Reduction>> {
    let names = || listed(identifier(), ("(", ")"));
    let tuple = || listed(expression(), ("(", ")"));
    let operands = identifier().then(names()).then_ignore(keyword("with")).then(names());
    let values = sign("=").ignore_then(tuple()).then_ignore(keyword("from")).then(tuple());
    let both = keyword("reduction").ignore_then(operands).then(values);
    spanned(both.map(|(((name, left), right), (values, neutral))| Reduction { name, left, right, values, neutral }))
}

/// `C[i, j] = value where conditions`, or `C[i, j] = value elsewhere`.
fn equation<'s>() -> Reader<'s, Spanned<Equation>> {
    let elsewhere = keyword("elsewhere").to((vec![], true));
    let points = choice((elsewhere, conditions().map(|conditions| (conditions, false))));
    let both = target().then_ignore(equals()).then(expression()).then(points);
    spanned(both.map(|(((target, subscripts), value), (conditions, is_elsewhere))| Equation {
        target,
        subscripts,
        value,
        conditions,
        is_elsewhere,
    }))
}

/// `(m[i], l[i]) = online(j) (S[i, j], 1)`.
fn joint_equation<'s>() -> Reader<'s, Spanned<JointEquation>> {
    let targets = target().separated_by(sign(",")).at_least(1).collect::<Vec<_>>();
    let targets = targets.delimited_by(sign("("), sign(")")).then_ignore(equals());
    let bound = binding(&expression()).delimited_by(sign("("), sign(")"));
    let value = identifier().then(bound).then(listed(expression(), ("(", ")")));
    let join = |(targets, ((reduction, binding), terms))| JointEquation { targets, reduction, binding, terms };
    spanned(targets.then(value).map(join))
}

/// `C[i, j]`, or the name alone.
fn target<'s>() -> Reader<'s, (Ident, Vec<Expr>)> {
    identifier().then(subscripts(&expression()).or_not().map(Option::unwrap_or_default)).boxed()
}

fn equals<'s>() -> Reader<'s, ()> {
    sign("=").and_is(just("==").not()).boxed()
}
