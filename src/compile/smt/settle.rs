//! Obligations that the search asks of itself, many times over.
//!
//! In: an [`Obligation`]. Out: the [`Verdict`] that [`discharge`] gives. A violation that is a conjunction is a linear problem,
//! and branch and bound decides nearly all of these; the rest goes to Z3. What the search presents is discharged again.

use super::branch::{Best, Size, best};
use super::linear::{Goal, LinearProblem};
use super::{Counterexample, Verdict, discharge};
use crate::mapping::Row;
use std::time::Duration;
use systole_base::integer::Affine;
use systole_program::obligation::{Formula, Obligation};

/// More nodes than this are not looked at: points that only a remainder keeps apart would make a tree without end.
const MOST_NODES: usize = 6;

/// Proves or refutes one obligation; `limit` is for what is left to Z3.
pub fn settle(obligation: &Obligation, limit: Duration) -> Verdict {
    match problem(obligation).and_then(|problem| best(&problem, Size::of_nodes(MOST_NODES), &mut 0)) {
        Some(Best::Nowhere) => Verdict::Proved,
        Some(Best::At(turned)) => refuted(obligation, &turned).unwrap_or_else(|| discharge(obligation, limit).verdict),
        Some(Best::Endless) | None => discharge(obligation, limit).verdict,
    }
}

/// The violation as a problem whose best solution is the smallest counterexample: the least sum of sizes, each size, then the
/// other variables by magnitude. All but the sizes are turned around, as negative values come first.
fn problem(obligation: &Obligation) -> Option<LinearProblem> {
    let count = obligation.variables.len();
    let mut forms = vec![];
    conjunction(&obligation.violation, &mut forms)?;
    let rows = forms.into_iter().map(|form| row(obligation, form)).collect::<Option<_>>()?;
    let sizes = (0..count).map(|position| i64::from(position < obligation.parameters)).collect();
    Some(LinearProblem { bounds: vec![(None, None); count], rows, unequal: vec![], goals: vec![Goal::Form(sizes)] })
}

/// The forms that are all 0 or more; `None` for any other formula.
fn conjunction<'a>(formula: &'a Formula, forms: &mut Vec<&'a Affine>) -> Option<()> {
    match formula {
        Formula::AtLeastZero(form) => forms.push(form),
        Formula::All(parts) => parts.iter().try_for_each(|part| conjunction(part, forms))?,
        Formula::Any(parts) => match parts.as_slice() {
            [part] => conjunction(part, forms)?,
            _ => return None,
        },
        Formula::Not(_) => return None,
    }
    Some(())
}

fn row(obligation: &Obligation, form: &Affine) -> Option<Row> {
    let known = form.terms().all(|(name, _)| obligation.variables.contains(name));
    let dense = form.row(&obligation.variables);
    let coefficients = dense.into_iter().enumerate().map(|(position, entry)| turn(obligation, position, entry));
    let least = form.constant_term().checked_neg()?;
    known.then_some(Row { coefficients: coefficients.collect::<Option<_>>()?, least, label: 0 })
}

fn turn(obligation: &Obligation, position: usize, value: i64) -> Option<i64> {
    if position < obligation.parameters { Some(value) } else { value.checked_neg() }
}

/// The counterexample, evaluated before it is believed.
fn refuted(obligation: &Obligation, turned: &[i64]) -> Option<Verdict> {
    let values = turned.iter().enumerate().map(|(position, value)| turn(obligation, position, *value));
    let case = Counterexample::new(obligation, &values.collect::<Option<Vec<i64>>>()?, true);
    (obligation.violation.holds(&case.bindings()) == Some(true)).then_some(Verdict::Refuted(case))
}
