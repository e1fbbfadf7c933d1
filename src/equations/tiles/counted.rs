//! Reductions whose index goes below 0, such as `sum(k in -2..M) x[k + 2]`, counted from 0: `sum(k in 0..M + 2) x[k]`; and those whose range
//! goes along with another index, such as `sum(l in k - N..k) x[l + N - k]`, counted from its beginning: `sum(l in 0..N) x[l]`.
//!
//! In: a system. Out: one with the same terms in the same order. Tiles are of elements from 0 on, so a tile has no terms of an
//! index below; and what a range bounds by sizes alone is cut by itself.

use crate::recurrence::{Equation, Expr, RecurrenceSystem};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron};

/// The system with no reduction index below 0.
pub(super) fn counted(system: &RecurrenceSystem) -> RecurrenceSystem {
    let sizes = Polyhedron::sizes(&system.parameters);
    let one = |equation: &Equation| {
        let known = equation.domain.set.intersect(&sizes);
        Equation { value: from_0(&equation.value, &known, &system.parameters), ..equation.clone() }
    };
    RecurrenceSystem { equations: system.equations.iter().map(one).collect(), ..system.clone() }
}

/// A value at these points.
fn from_0(value: &Expr, known: &Polyhedron, parameters: &[Name]) -> Expr {
    match value {
        Expr::Apply(function, arguments) => {
            Expr::Apply(*function, arguments.iter().map(|argument| from_0(argument, known, parameters)).collect())
        }
        Expr::Reduce { operator, index, range, body, span } => {
            let known_here = known.intersect(range);
            let start = start(&known_here, (index, range), body, parameters);
            let start = start.unwrap_or_else(|| -below_0(&known_here, index, parameters));
            let image = BTreeMap::from([(index.clone(), Affine::variable(index) + start)]);
            let range = range.substitute(&image);
            let body = from_0(&body.substitute(&image), &known.intersect(&range), parameters);
            Expr::Reduce { operator: *operator, index: index.clone(), range, body: Box::new(body), span: *span }
        }
        _ => value.clone(),
    }
}

/// Where a range begins that goes along with another index, such as `l in k - N..k`: over as many values for all of that, so that it is
/// counted from its beginning. Not where it is counted from 0 by an element of its own, or stays below the other index.
fn start(
    points: &Polyhedron,
    (index, range): (&Name, &Polyhedron),
    body: &Expr,
    parameters: &[Name],
) -> Option<Affine> {
    let (lower, upper) = range.bounds(index);
    let ([first], [last]) = (&lower[..], &upper[..]) else { return None };
    let over_sizes = |form: &Affine| form.terms().all(|(name, _)| parameters.contains(name));
    let is_moved = first.coefficient == 1 && last.coefficient == 1 && !over_sizes(&first.form);
    let is_as_long = over_sizes(&(last.form.clone() - first.form.clone()));
    let mut is_element = false;
    body.visit_reads(points, &mut |_, subscripts, _| is_element |= subscripts.contains(&Affine::variable(index)));
    let other = last.form.clone() - Affine::constant(last.form.constant_term());
    let stays_below = other.as_variable().is_some() && last.form.constant_term() <= 0;
    let is_plain = is_element || (stays_below && points.implies(&Affine::variable(index)));
    (is_moved && is_as_long && !is_plain).then(|| first.form.clone())
}

/// How far an index goes below 0, over the parameters: as far as the plainest of its lower bounds says, and no less than not at all.
fn below_0(points: &Polyhedron, index: &Name, parameters: &[Name]) -> Affine {
    if points.implies(&Affine::variable(index)) {
        return Affine::default();
    }
    let others: Vec<Name> =
        points.variables().into_iter().filter(|name| name != index && !parameters.contains(name)).collect();
    let (lower, _) = points.eliminate_all(&others).bounds(index);
    let depths = lower.iter().map(|bound| (-bound.form.clone()).rising_from(0));
    depths.min_by_key(Affine::plainness).unwrap_or_default()
}
