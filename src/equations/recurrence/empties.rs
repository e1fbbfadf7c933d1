//! What is empty: equations without points, reductions without terms.
//!
//! In: a valid system. Out: the same system less what is empty at all sizes ([`settle`]); and of a reduction that is empty for some
//! elements, or at some sizes, which elements these are ([`without_terms`]). Their value is the operator's neutral one: a sum of
//! nothing is 0, a product 1, the largest of nothing minus infinity. No value changes.

use super::division::Division;
use super::gather::{gather, scattered_indices};
use super::{Domain, Equation, Expr, RecurrenceSystem};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Parameters, Polyhedron};

/// A system without what is empty at all sizes.
pub struct Settled {
    /// The system. Where a reduction was empty its neutral value stands.
    pub system: RecurrenceSystem,
    /// The equations that define no element at any size, and are gone.
    pub left_out: Vec<Equation>,
}

/// Leaves out equations without points, and puts its neutral value in place of each reduction that never has a term.
pub fn settle(system: &RecurrenceSystem) -> Settled {
    let sizes = Polyhedron::sizes(&system.parameters);
    let has_points = |equation: &Equation| !equation.domain.set.intersect(&sizes).is_empty();
    let (kept, left_out) = system.equations.iter().cloned().partition(has_points);
    let kept: Vec<Equation> = kept;
    let equations = kept.iter().map(|equation| settle_equation(system, equation, &sizes)).collect();
    Settled { system: RecurrenceSystem { equations, ..system.clone() }, left_out }
}

fn settle_equation(system: &RecurrenceSystem, equation: &Equation, sizes: &Polyhedron) -> Equation {
    let value = settle_value(&equation.value, &equation.domain.set.intersect(sizes));
    let is_gone = !matches!(value, Expr::Reduce { .. }) && !scattered_indices(equation).is_empty();
    match system.tensor(&equation.target) {
        // The target named indices of the reduction that is gone.
        Some(target) if is_gone => Equation { value, ..gather(equation, target) },
        _ => Equation { value, ..equation.clone() },
    }
}

fn settle_value(value: &Expr, around: &Polyhedron) -> Expr {
    match value {
        Expr::Number(_) | Expr::Index(_) | Expr::Read { .. } => value.clone(),
        Expr::Apply(function, arguments) => {
            Expr::Apply(*function, arguments.iter().map(|argument| settle_value(argument, around)).collect())
        }
        Expr::Reduce { operator, index, range, body, span } => {
            let inside = around.intersect(range);
            if inside.is_empty() {
                return Expr::Number(operator.neutral());
            }
            Expr::Reduce {
                operator: *operator,
                index: index.clone(),
                range: range.clone(),
                body: Box::new(settle_value(body, &inside)),
                span: *span,
            }
        }
    }
}

/// Points of an equation without terms: those of a domain where each index is this form of what stands in it.
#[derive(Clone, Debug)]
pub struct WithoutTerms {
    /// What the indices are of which only some values are meant: `2*i + 1`.
    pub image: BTreeMap<Name, Affine>,
    /// The points.
    pub set: Polyhedron,
}

/// The points of `domain` above which `set` has none along the reduced indices, as disjoint sets; `None` where no linear
/// constraints say which these are, not even by the rests of the indices: those without a `j` in `0 <= i - 2*j < K` are odd.
pub fn without_terms(
    domain: &Domain,
    set: &Polyhedron,
    reduced: &[Name],
    parameters: &Parameters,
) -> Option<Vec<WithoutTerms>> {
    let sizes = Polyhedron::sizes(parameters);
    let at = |image: BTreeMap<Name, Affine>| {
        let all = set.substitute(&image).intersect(&sizes);
        let filled = reduced.iter().rev().try_fold(all, |shadow, index| shadow.eliminate_exactly(index))?;
        let parts = domain.set.substitute(&image).intersect(&sizes).outside(&filled);
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        Some(parts.map(|set| WithoutTerms { image: image.clone(), set }).collect::<Vec<_>>())
    };
    if let Some(parts) = at(BTreeMap::new()) {
        return Some(parts);
    }
    let mut division = Division::default();
    for form in set.constraints() {
        let factor = reduced.iter().map(|index| form.coefficient(index).abs()).max().unwrap_or(0).max(1);
        let bound =
            reduced.iter().fold(form.clone(), |rest, index| rest - Affine::term(index, form.coefficient(index)));
        // Where the sizes decide its remainder it stays as it is.
        let _ = division.settle(&bound, factor, &domain.indices);
    }
    let images = (!division.is_empty()).then(|| division.images())??;
    let parts: Vec<Vec<WithoutTerms>> = images.into_iter().map(at).collect::<Option<_>>()?;
    Some(parts.concat())
}

/// Whether the range of a reduction names an index of another one around it. Those whose ranges do not are reduced together, in any
/// order; one whose range does is a reduction of its own.
pub fn depends(range: &Polyhedron, around: &[Name]) -> bool {
    range.constraints().iter().any(|form| form.mentions(around))
}

/// The points of an equation that is nested reductions by one operator, with the reduced indices, outermost first.
pub fn lines(equation: &Equation) -> (Polyhedron, Vec<Name>) {
    let (mut set, mut reduced, mut value) = (equation.domain.set.clone(), vec![], &equation.value);
    let outermost = match value {
        Expr::Reduce { operator, .. } => Some(*operator),
        _ => None,
    };
    while let Expr::Reduce { operator, index, range, body, .. } = value
        && Some(*operator) == outermost
    {
        set = set.intersect(range);
        reduced.push(index.clone());
        value = body;
    }
    (set, reduced)
}
