//! Reductions whose index goes below 0, such as `sum(k in -2..M) x[k + 2]`, counted from 0: `sum(k in 0..M + 2) x[k]`.
//!
//! In: a system. Out: one with the same terms in the same order. Tiles are of elements from 0 on, so a tile has no terms of an
//! index below.

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
            let below = below_0(&known.intersect(range), index, parameters);
            let image = BTreeMap::from([(index.clone(), Affine::variable(index) - below)]);
            let range = range.substitute(&image);
            let body = from_0(&body.substitute(&image), &known.intersect(&range), parameters);
            Expr::Reduce { operator: *operator, index: index.clone(), range, body: Box::new(body), span: *span }
        }
        _ => value.clone(),
    }
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
