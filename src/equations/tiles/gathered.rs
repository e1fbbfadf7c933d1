//! Equations that scatter, such as `c[i + j] = sum(i, j) a[i] * b[j]`, as equations that gather: `c[x] = sum(i) a[i] * b[x - i]`.
//!
//! In: a system. Out: one with the same outputs, each element's terms in the same order, whose targets are plain; and the
//! indices that are gone, each with one that is divided like it.

use crate::recurrence::{Domain, Equation, Expr, RecurrenceSystem, gather, outer_reductions, scattered_indices};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Bound, Name, Polyhedron, unused};

/// The system without scattered targets, and what stands for the indices that are gone.
pub(super) fn gathered(system: &RecurrenceSystem) -> (RecurrenceSystem, BTreeMap<Name, Name>) {
    let mut gone = BTreeMap::new();
    let mut plain = |equation: &Equation| match system.tensor(&equation.target) {
        Some(target) if !scattered_indices(equation).is_empty() => {
            divided(renamed(&without_fixed(&gather(equation, target), &mut gone), system))
        }
        _ => vec![equation.clone()],
    };
    let equations = system.equations.iter().flat_map(&mut plain).collect();
    (RecurrenceSystem { equations, ..system.clone() }, gone)
}

/// The equation without the inner of two reductions where each value of the outer index leaves it one value.
fn without_fixed(equation: &Equation, gone: &mut BTreeMap<Name, Name>) -> Equation {
    Equation { value: joined(&equation.value, gone), ..equation.clone() }
}

fn joined(value: &Expr, gone: &mut BTreeMap<Name, Name>) -> Expr {
    let Expr::Reduce { operator, index, range, body, span } = value else { return value.clone() };
    let body = joined(body, gone);
    let with = |range, body| Expr::Reduce { operator: *operator, index: index.clone(), range, body, span: *span };
    match &body {
        Expr::Reduce { operator: second, index: inner, range: fibre, body: term, .. } if second == operator => {
            let fixing = fibre.equations().find(|form| form.coefficient(inner) == 1 && form.mentions([index]));
            let Some(form) = fixing else { return with(range.clone(), Box::new(body)) };
            let image = BTreeMap::from([(inner.clone(), Affine::variable(inner) - form.clone())]);
            gone.insert(inner.clone(), index.clone());
            with(range.intersect(&fibre.substitute(&image)), Box::new(term.substitute(&image)))
        }
        _ => with(range.clone(), Box::new(body)),
    }
}

/// The equation by the upper bounds of its reduction: where one of them is the least, the others are left out.
fn divided(equation: Equation) -> Vec<Equation> {
    let Expr::Reduce { operator, index, range, body, span } = &equation.value else { return vec![equation] };
    let (_, upper) = range.bounds(index);
    let [first, second, ..] = &upper[..] else { return vec![equation] };
    if first.coefficient != 1 || second.coefficient != 1 {
        return vec![equation];
    }
    let beyond = first.form.clone() - second.form.clone();
    let sides = [(beyond.clone(), first), (-beyond - Affine::constant(1), second)];
    let side = |(guard, out): (Affine, &Bound)| {
        let dropped = out.form.clone() - Affine::variable(index);
        let range = Polyhedron::new(range.constraints().iter().filter(|form| **form != dropped).cloned());
        let (operator, index, body, span) = (*operator, index.clone(), body.clone(), *span);
        let mut domain = equation.domain.clone();
        domain.set.add(guard);
        Equation { domain, value: Expr::Reduce { operator, index, range, body, span }, ..equation.clone() }
    };
    let parts = sides.map(side).into_iter().filter(|part| !part.domain.set.is_empty());
    parts.flat_map(divided).collect()
}

/// The equation with names that a program may have for the subscripts that [`gather`] made up: none that the system or a
/// reduction has.
fn renamed(equation: &Equation, system: &RecurrenceSystem) -> Equation {
    let bound = outer_reductions(&equation.value);
    let taken = || system.parameters.iter().chain(&equation.domain.indices).chain(&bound);
    let plain = |index: &Name| {
        index.strip_prefix('@').map_or_else(|| index.clone(), |number| unused(&format!("x{number}"), taken()))
    };
    let image: BTreeMap<Name, Affine> =
        equation.domain.indices.iter().map(|index| (index.clone(), Affine::variable(&plain(index)))).collect();
    Equation {
        subscripts: equation.subscripts.iter().map(|form| form.substitute(&image)).collect(),
        domain: Domain {
            indices: equation.domain.indices.iter().map(plain).collect(),
            set: equation.domain.set.substitute(&image),
        },
        value: equation.value.substitute(&image),
        ..equation.clone()
    }
}
