//! Values that stay the same along a subscript, such as `U[t, 0, j] = A[0, j]`, handed on along it: `U[t, 0, j] = U[t - 1, 0, j]`.
//!
//! In: a system. Out: one with the same values, in which an equation whose right-hand side does not change with an index of
//! its own reads the element before along that subscript, where that element has the value too: where the same equation
//! defines it, or another one with the same right-hand side there. So what is read of inputs is read where it is first needed.

use crate::recurrence::{Domain, Equation, Expr, RecurrenceSystem};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron};

/// The system with the values of these tensors handed on.
pub(super) fn carried(system: &RecurrenceSystem, is_meant: impl Fn(&Name) -> bool) -> RecurrenceSystem {
    let of = |equation: &Equation| match is_meant(&equation.target) && reads_only_others(equation) {
        true => handed_on(system, equation),
        false => vec![equation.clone()],
    };
    RecurrenceSystem { equations: system.equations.iter().flat_map(of).collect(), ..system.clone() }
}

/// Whether an equation reads, and nothing of its own tensor.
fn reads_only_others(equation: &Equation) -> bool {
    let (mut reads, mut own) = (false, false);
    equation.value.visit_reads(&equation.domain.set, &mut |tensor, _, _| {
        reads = true;
        own |= *tensor == equation.target;
    });
    reads && !own
}

/// The equation where its value is first needed, and where it is handed on; as it is where its value changes.
fn handed_on(system: &RecurrenceSystem, equation: &Equation) -> Vec<Equation> {
    let stays = |index: &&Name| is_subscript(equation, index) && !mentions(equation, index);
    let Some(index) = equation.domain.indices.iter().find(stays) else { return vec![equation.clone()] };
    let back = BTreeMap::from([(index.clone(), Affine::variable(index) - Affine::constant(1))]);
    let sizes = Polyhedron::sizes(&system.parameters);
    let own = &equation.domain.set;
    let mut first = vec![own.clone()];
    let others = system.equations.iter().filter(|other| other.target == equation.target);
    let before = others.filter_map(|other| defines(other, equation)).map(|set| set.substitute(&back));
    let mut after = vec![];
    for set in before {
        after.extend(first.iter().map(|part| part.intersect(&set)).filter(|part| !part.intersect(&sizes).is_empty()));
        first = first
            .iter()
            .flat_map(|part| part.outside(&set))
            .filter(|part| !part.intersect(&sizes).is_empty())
            .collect();
    }
    if first.len() > 1 || after.is_empty() {
        return vec![equation.clone()];
    }
    let read = Expr::Read {
        tensor: equation.target.clone(),
        subscripts: equation.subscripts.iter().map(|form| form.substitute(&back)).collect(),
        span: equation.span,
    };
    let within = |set: Polyhedron, value: &Expr| Equation {
        domain: Domain { set, ..equation.domain.clone() },
        value: value.clone(),
        ..equation.clone()
    };
    let kept = first.into_iter().map(|set| within(set, &equation.value));
    kept.chain(after.into_iter().map(|set| within(set, &read))).collect()
}

fn is_subscript(equation: &Equation, index: &Name) -> bool {
    let mut with = equation.subscripts.iter().filter(|form| form.coefficient(index) != 0);
    with.next().is_some_and(|form| *form == Affine::variable(index)) && with.next().is_none()
}

fn mentions(equation: &Equation, index: &Name) -> bool {
    let moved = BTreeMap::from([(index.clone(), Affine::variable(index) + Affine::constant(1))]);
    equation.value.substitute(&moved) != equation.value
}

/// Where another equation of a tensor defines the elements with the right-hand side of `equation`, over the indices of that.
fn defines(other: &Equation, equation: &Equation) -> Option<Polyhedron> {
    let mut image: BTreeMap<Name, Affine> = BTreeMap::new();
    let mut equal = vec![];
    for (theirs, own) in other.subscripts.iter().zip(&equation.subscripts) {
        match theirs.as_variable().filter(|index| other.domain.indices.contains(index) && !image.contains_key(*index)) {
            Some(index) => _ = image.insert(index.clone(), own.clone()),
            None => equal.push((theirs, own)),
        }
    }
    let is_known = other.domain.indices.iter().all(|index| image.contains_key(index));
    let equal = equal.into_iter().map(|(theirs, own)| theirs.substitute(&image) - own.clone());
    let equal = Polyhedron::new(equal.flat_map(|form| [form.clone(), -form]));
    let is_same = is_known && same(&other.value.substitute(&image), &equation.value);
    is_same.then(|| other.domain.set.substitute(&image).intersect(&equal))
}

/// Whether two values are the same, wherever they stand in the text.
fn same(one: &Expr, other: &Expr) -> bool {
    match (one, other) {
        (Expr::Read { tensor, subscripts, .. }, Expr::Read { tensor: second, subscripts: elements, .. }) => {
            tensor == second && subscripts == elements
        }
        (Expr::Apply(function, own), Expr::Apply(second, others)) => {
            function == second
                && own.len() == others.len()
                && own.iter().zip(others).all(|(one, other)| same(one, other))
        }
        _ => one == other,
    }
}
