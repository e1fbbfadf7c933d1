//! What is empty: equations without points, reductions without terms.
//!
//! In: a valid system. Out: the same system less what is empty at all sizes ([`settle`]); and of a reduction that is empty for some
//! elements, or at some sizes, which elements these are ([`without_terms`]). Their value is the operator's neutral one: a sum of
//! nothing is 0, a product 1, the largest of nothing minus infinity. No value changes.

use super::gather::{gather, scattered_indices};
use super::{Domain, Equation, Expr, RecurrenceSystem};
use systole_base::integer::{Name, Parameters, Polyhedron};

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

/// The points of `domain` above which `set` has none along the reduced indices, as disjoint sets; `None` where no linear
/// constraints say which these are.
pub fn without_terms(
    domain: &Domain,
    set: &Polyhedron,
    reduced: &[Name],
    parameters: &Parameters,
) -> Option<Vec<Polyhedron>> {
    let sizes = Polyhedron::sizes(parameters);
    let all = set.intersect(&sizes);
    let filled = reduced.iter().rev().try_fold(all, |shadow, index| shadow.eliminate_exactly(index))?;
    let mut parts = domain.set.intersect(&sizes).outside(&filled);
    parts.retain(|part| !part.is_empty());
    Some(parts)
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
