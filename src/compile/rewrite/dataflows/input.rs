//! From a space to the term that saturation starts with, and to the term of a chosen dataflow.
//!
//! In: a [`Space`] of some [`Equations`]. Out: `(in s (reduce s o k e))`, with one `reduce` for each reduction index, or
//! `(accum s o g e)` over the fibres of an output such as `c[i+j]`; a reduction inside the expression stands as
//! `(inner s o g e)` where it is read; for a [`Dataflow`], the same value with every operand moved and every reduction ordered
//! as it says. Paper: Cyclotron sections 4.1 to 4.4.

use super::builder::{Builder, OwnValues};
use super::dataflow::Dataflow;
use super::levels::{Levels, levels};
use crate::rewrite::registry::Equations;
use crate::rewrite::terms::Term;
use egg::RecExpr;
use systole_equations::recurrence::Space;

/// The term that says what `space` computes, with no thought of how.
pub fn input_term(space: &Space) -> RecExpr<Term> {
    equation_term(&Equations::of_space(space), space)
}

/// The term that says what a space of `equations` computes.
pub(crate) fn equation_term(equations: &Equations, space: &Space) -> RecExpr<Term> {
    let mut builder = Builder::new(equations, space, OwnValues::FromPointBefore);
    let value = builder.value();
    let root = builder.inside(value);
    builder.finish(root)
}

/// The result of a space, by its name.
pub(crate) fn result_term(space: &Space) -> RecExpr<Term> {
    let mut term = RecExpr::default();
    let here = term.add(Term::name(&space.name));
    term.add(Term::Result(here));
    term
}

/// The term in which each operand travels and each reduction runs as `dataflow` says; `None` where the two do not fit.
///
/// A value that comes from the point before, or from another space, is named by the term that it has there before
/// lowering, so that the term is finite.
pub fn lowered_term(space: &Space, dataflow: &Dataflow) -> Option<RecExpr<Term>> {
    scheduled_space(&Equations::of_space(space), space, dataflow, OwnValues::FromPointBefore)
}

/// [`lowered_term`] for a space of `equations`.
pub(super) fn scheduled_space(
    equations: &Equations,
    space: &Space,
    dataflow: &Dataflow,
    own: OwnValues,
) -> Option<RecExpr<Term>> {
    let mut builder = Builder::new(equations, space, own);
    let mut value = builder.lowered_body(&space.body, &dataflow.transports)?;
    let mut plain = builder.body(&space.body);
    let directions = &dataflow.chain.directions;
    match levels(space) {
        Levels::None if directions.is_empty() => {}
        Levels::Fibre(operator) if directions.len() == 1 => {
            value = builder.accumulate(operator, &directions[0], value, plain);
        }
        Levels::Nested(operator, indices) if directions.len() == indices.len() => {
            for direction in directions {
                value = builder.accumulate(operator, direction, value, plain);
                plain = builder.reduce(operator, space.indices().get(axis(direction)?)?, plain);
            }
        }
        _ => return None,
    }
    Some(builder.finish(value))
}

/// The position of the only non-zero entry.
fn axis(direction: &[i64]) -> Option<usize> {
    let mut used = (0..direction.len()).filter(|position| direction[*position] != 0);
    used.next().filter(|_| used.next().is_none())
}

/// The same term at a place and a step.
pub(crate) fn scheduled_term(term: &RecExpr<Term>, place: &str, step: &str) -> RecExpr<Term> {
    let mut scheduled = term.clone();
    let value = term.root();
    // Parentheses would read as a term.
    let leaf = |text: &str| Term::name(&text.replace(' ', "").replace('(', "[").replace(')', "]"));
    let place = scheduled.add(leaf(place));
    let step = scheduled.add(leaf(step));
    scheduled.add(Term::Sched([place, step, value]));
    scheduled
}
