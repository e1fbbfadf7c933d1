//! Reductions with several upper bounds, such as `sum(k where k <= i, k <= j)`, divided so that each has one.
//!
//! In: a valid system, in which it has no closed form where such a sum is computed. Out: one of the same values, in which
//! an equation is one where `i <= j` and one where `j < i`, and each has the bound that is the least there. Where a bound
//! is a quotient, such as `2*k <= i`, an equation is one for each remainder: `k <= i` where the element is `X[2*i]`, and
//! where it is `X[2*i + 1]`. The terms of an element and their order stay as they are.

use super::strided::in_residues;
use crate::recurrence::{Equation, Expr, RecurrenceSystem, scattered_indices};
use systole_base::integer::{Affine, Name, Polyhedron};

/// An equation is divided into no more than this.
const MOST_PARTS: usize = 32;

/// The system with equations divided; `None` where that is of no use, or takes too many.
pub(super) fn with_one_upper_bound(system: &RecurrenceSystem) -> Option<RecurrenceSystem> {
    let sizes = Polyhedron::sizes(&system.parameters);
    let is_open = |equation: &Equation| {
        let is_read = system.reads(&equation.target) || !matches!(equation.value, Expr::Reduce { .. });
        is_read && scattered_indices(equation).is_empty()
    };
    let divided = |equation: &Equation| match is_open(equation) {
        true => divided(equation, &sizes),
        false => Some(vec![equation.clone()]),
    };
    let equations = system.equations.iter().map(divided).collect::<Option<Vec<_>>>()?.concat();
    (equations.len() > system.equations.len()).then(|| RecurrenceSystem { equations, ..system.clone() })
}

/// The parts of an equation whose reductions have one upper bound each.
fn divided(equation: &Equation, sizes: &Polyhedron) -> Option<Vec<Equation>> {
    let (mut open, mut done) = (vec![equation.clone()], vec![]);
    while let Some(part) = open.pop() {
        let bounds = Bounds { set: part.domain.set.intersect(sizes), around: vec![] }.find(&part.value);
        match bounds.and_then(|bounds| bounds.parts(&part, sizes)) {
            Some(parts) => open.extend(parts.into_iter().filter(|part| has_points(part, sizes))),
            None => done.push(part),
        }
        if open.len() + done.len() > MOST_PARTS {
            return None;
        }
    }
    Some(done)
}

fn has_points(equation: &Equation, sizes: &Polyhedron) -> bool {
    !equation.domain.set.intersect(sizes).is_empty()
}

/// Where in an equation upper bounds are looked for.
struct Bounds {
    /// The points there.
    set: Polyhedron,
    /// The indices of the reductions around.
    around: Vec<Name>,
}

/// What keeps a reduction from having one.
enum Open {
    /// Two upper bounds of an index, either of which may be the least.
    Two(Name, Affine, Affine),
    /// One that the index meets at some remainders only.
    Quotient(Name, Affine),
}

impl Bounds {
    /// The first reduction that has not one upper bound, as far as the equation's own indices say which is the least.
    fn find(&self, value: &Expr) -> Option<Open> {
        match value {
            Expr::Number(_) | Expr::Index(_) | Expr::Read { .. } => None,
            Expr::Apply(_, arguments) => arguments.iter().find_map(|argument| self.find(argument)),
            Expr::Reduce { index, range, body, .. } => self.of_range(index, range).or_else(|| {
                let around = self.around.iter().chain([index]).cloned().collect();
                Bounds { set: self.set.intersect(range), around }.find(body)
            }),
        }
    }

    fn of_range(&self, index: &Name, range: &Polyhedron) -> Option<Open> {
        let known = range.irredundant(&self.set);
        let upper = known.constraints().iter().filter(|form| form.coefficient(index) < 0);
        let mut upper = upper.filter(|form| !form.mentions(&self.around)).cloned();
        match (upper.next()?, upper.next()) {
            (first, Some(second)) => Some(Open::Two(index.clone(), first, second)),
            (only, None) if only.coefficient(index) < -1 => Some(Open::Quotient(index.clone(), only)),
            (_, None) => None,
        }
    }
}

impl Open {
    /// The equation in parts in which this is settled.
    fn parts(&self, equation: &Equation, sizes: &Polyhedron) -> Option<Vec<Equation>> {
        match self {
            Open::Two(index, first, second) => {
                let scaled = |one: &Affine, other: &Affine| limit(one, index) * -other.coefficient(index);
                let beyond = scaled(second, first) - scaled(first, second);
                let behind = -beyond.clone() - Affine::constant(1);
                Some([beyond, behind].map(|guard| guarded(equation, guard, sizes)).to_vec())
            }
            Open::Quotient(index, bound) => {
                let by = -bound.coefficient(index);
                in_residues(equation, &limit(bound, index), by).filter(|parts| parts.len() > 1)
            }
        }
    }
}

/// The other side of a bound: `i - 1` of `2*k <= i - 1`.
fn limit(bound: &Affine, index: &Name) -> Affine {
    bound.clone() - Affine::term(index, bound.coefficient(index))
}

/// The equation where a guard holds; what follows from it is said in no range.
fn guarded(equation: &Equation, guard: Affine, sizes: &Polyhedron) -> Equation {
    let mut domain = equation.domain.clone();
    domain.set.add(guard);
    Equation { value: unsaid(&equation.value, &domain.set.intersect(sizes)), domain, ..equation.clone() }
}

/// The value without bounds of its ranges that follow from what is known around them.
fn unsaid(value: &Expr, known: &Polyhedron) -> Expr {
    match value {
        Expr::Number(_) | Expr::Index(_) | Expr::Read { .. } => value.clone(),
        Expr::Apply(function, arguments) => {
            Expr::Apply(*function, arguments.iter().map(|argument| unsaid(argument, known)).collect())
        }
        Expr::Reduce { operator, index, range, body, span } => {
            let range = range.irredundant(known);
            let body = Box::new(unsaid(body, &known.intersect(&range)));
            Expr::Reduce { operator: *operator, index: index.clone(), range, body, span: *span }
        }
    }
}
