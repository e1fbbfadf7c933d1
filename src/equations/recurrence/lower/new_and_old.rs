//! Reductions over elements of which some are new and some old, in an equation that replaces them.
//!
//! In: an equation with a read within a reduction, and what the read finds, case by case. Out: parts of the equation that differ in its own
//! indices, or one reduction for each case. In a sweep of Gauss and Seidel `sum(j) A[i, j] * x[j]` becomes the sum of those that are
//! new, `j < i`, and of those that are old, `j >= i`.

use super::last_writes::Cases;
use crate::recurrence::{Domain, Expr};
use std::collections::BTreeSet;
use systole_base::integer::{Affine, Name, Polyhedron};

/// Points, and the element that is read there.
pub(super) type Source = (Polyhedron, (Name, Vec<Affine>));

/// The points of an equation as parts in each of which the sources of a read within a reduction differ by the reduction's indices alone.
pub(super) fn parts_by_sources(
    domain: &Domain,
    (set, within): (&Polyhedron, &Polyhedron),
    cases: &Cases,
) -> Vec<Polyhedron> {
    let names = set.constraints().iter().flat_map(Affine::terms).map(|(name, _)| name);
    let known: BTreeSet<&Name> = names.chain(&domain.indices).collect();
    let mut parts = vec![domain.set.clone()];
    for (case, _) in cases {
        let is_outer = |form: &&Affine| form.terms().all(|(name, _)| known.contains(name)) && !within.implies(form);
        let outer = Polyhedron::new(case.constraints().iter().filter(is_outer).cloned());
        let divide = |part: Polyhedron| {
            let all = std::iter::once(part.intersect(&outer)).chain(part.outside(&outer));
            all.filter(|part| !part.intersect(set).is_empty()).collect::<Vec<_>>()
        };
        parts = parts.into_iter().flat_map(divide).collect();
    }
    parts
}

/// The expression with the reduction around its first open read as several, one for each source, with the operator between them; `None`
/// where that read is in no reduction.
pub(super) fn divided_reduction(
    value: &Expr,
    (set, sources): (&Polyhedron, &[Source]),
    is_open: &dyn Fn(&Name) -> bool,
) -> Option<Expr> {
    match value {
        Expr::Number(_) | Expr::Index(_) | Expr::Read { .. } => None,
        Expr::Apply(function, arguments) => {
            let first = arguments.iter().position(|argument| reads(argument, is_open))?;
            let mut arguments = arguments.clone();
            arguments[first] = divided_reduction(&arguments[first], (set, sources), is_open)?;
            Some(Expr::Apply(*function, arguments))
        }
        Expr::Reduce { operator, .. } => {
            // Reductions right inside each other by one operator are one.
            let (mut levels, mut body, mut within) = (vec![], value, set.clone());
            while let Expr::Reduce { operator: inner, index, range, body: reduced, span } = body
                && inner == operator
            {
                within = within.intersect(range);
                levels.push((index, range, span));
                body = reduced;
            }
            let around = |body: Expr, case: &Polyhedron| {
                levels.iter().rev().enumerate().fold(body, |body, (depth, (index, range, span))| Expr::Reduce {
                    operator: *operator,
                    index: (*index).clone(),
                    range: if depth == 0 { range.intersect(case) } else { (*range).clone() },
                    body: Box::new(body),
                    span: **span,
                })
            };
            if let Some(body) = divided_reduction(body, (&within, sources), is_open) {
                return Some(around(body, &Polyhedron::default()));
            }
            let copy = |(case, element): &Source| {
                let said = case.constraints().iter().filter(|form| !within.implies(form)).cloned();
                around(body.redirect_first(is_open, element), &Polyhedron::new(said))
            };
            sources.iter().map(copy).reduce(|one, other| Expr::Apply(operator.function(), vec![one, other]))
        }
    }
}

/// Whether an expression reads one of some tensors.
fn reads(value: &Expr, is_open: &dyn Fn(&Name) -> bool) -> bool {
    let mut does = false;
    value.visit_reads(&Polyhedron::default(), &mut |tensor, _, _| does |= is_open(tensor));
    does
}
