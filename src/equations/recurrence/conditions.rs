//! Conditions of `select` that compare affine forms: at which points they hold, and at which they do not.
//!
//! In: an expression. Out: disjoint sets, which together are all points at which its value is another number than 0, or is 0.
//! Comparisons are joined by `*` or `min` where both hold, and by `+` or `max` where one does.

use super::Expr;
use systole_base::integer::{Affine, Polyhedron};
use systole_base::scalar::Function;

/// A condition is divided into no more sets than this.
const MOST_CASES: usize = 16;

/// The largest number of a form in a condition: sums and products of larger ones might not fit.
const LARGEST_NUMBER: u64 = 1 << 31;

/// The largest factor of a name in one.
const LARGEST_FACTOR: u64 = 1 << 10;

/// Where a condition holds, or where it does not; `None` where it is none of affine forms, or has too many cases.
pub(super) fn cases(condition: &Expr, holds: bool) -> Option<Vec<Polyhedron>> {
    let Expr::Apply(function, arguments) = condition else { return None };
    let [left, right] = arguments.as_slice() else { return None };
    let found = match function {
        Function::Multiply | Function::Minimum => both(left, right, holds)?,
        Function::Add | Function::Maximum => either(left, right, holds)?,
        _ => {
            let difference = affine(right)? - affine(left)?;
            compared(*function, &difference, holds)?.into_iter().map(Polyhedron::new).collect()
        }
    };
    (found.len() <= MOST_CASES).then_some(found)
}

fn both(left: &Expr, right: &Expr, holds: bool) -> Option<Vec<Polyhedron>> {
    let all = joined(&cases(left, true)?, &cases(right, holds)?);
    Some(if holds { all } else { [cases(left, false)?, all].concat() })
}

fn either(left: &Expr, right: &Expr, holds: bool) -> Option<Vec<Polyhedron>> {
    let rest = joined(&cases(left, false)?, &cases(right, holds)?);
    Some(if holds { [cases(left, true)?, rest].concat() } else { rest })
}

fn joined(some: &[Polyhedron], others: &[Polyhedron]) -> Vec<Polyhedron> {
    some.iter().flat_map(|one| others.iter().map(|other| one.intersect(other))).collect()
}

/// The forms that are 0 or more where a comparison holds of two forms with this difference, right less left; case by case.
fn compared(function: Function, difference: &Affine, holds: bool) -> Option<Vec<Vec<Affine>>> {
    let one = Affine::constant(1);
    let (rises, falls) = (difference.clone() - one.clone(), -difference.clone() - one);
    let (is_not_less, is_not_more) = (difference.clone(), -difference.clone());
    let same = vec![vec![is_not_less.clone(), is_not_more.clone()]];
    let apart = vec![vec![rises.clone()], vec![falls.clone()]];
    match (function, holds) {
        (Function::Less, true) => Some(vec![vec![rises]]),
        (Function::Less, false) => Some(vec![vec![is_not_more]]),
        (Function::LessEqual, true) => Some(vec![vec![is_not_less]]),
        (Function::LessEqual, false) => Some(vec![vec![falls]]),
        (Function::Equal, true) | (Function::NotEqual, false) => Some(same),
        (Function::Equal, false) | (Function::NotEqual, true) => Some(apart),
        _ => None,
    }
}

/// The form that an expression of indices, sizes and whole numbers is.
fn affine(expression: &Expr) -> Option<Affine> {
    let fits = |form: &Affine| {
        let is_small = |(_, factor): (_, i64)| factor.unsigned_abs() <= LARGEST_FACTOR;
        form.constant_term().unsigned_abs() <= LARGEST_NUMBER && form.terms().all(is_small)
    };
    written(expression).filter(fits)
}

fn written(expression: &Expr) -> Option<Affine> {
    match expression {
        Expr::Index(form) => Some(form.clone()),
        // The conversion saturates.
        Expr::Number(value) if value.fract() == 0.0 => Some(Affine::constant(*value as i64)),
        Expr::Apply(function, arguments) => match (function, arguments.as_slice()) {
            (Function::Negate, [operand]) => Some(-affine(operand)?),
            (Function::Add, [left, right]) => Some(affine(left)? + affine(right)?),
            (Function::Subtract, [left, right]) => Some(affine(left)? - affine(right)?),
            (Function::Multiply, [left, right]) => {
                let (left, right) = (affine(left)?, affine(right)?);
                match (left.is_constant(), right.is_constant()) {
                    (true, _) => Some(right * left.constant_term()),
                    (_, true) => Some(left * right.constant_term()),
                    _ => None,
                }
            }
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use systole_base::integer::{Bindings, name};

    /// A condition, and what it says of a number.
    type Case = (Expr, fn(i64) -> bool);

    fn compare(function: Function, by: i64) -> Expr {
        Expr::Apply(function, vec![Expr::Index(Affine::variable(&name("i"))), Expr::Number(by as f64)])
    }

    fn join(function: Function, left: Expr, right: Expr) -> Expr {
        Expr::Apply(function, vec![left, right])
    }

    /// Each number lies in one of the sets of what holds, or of what does not, and in no second one.
    #[test]
    fn each_point_is_in_one_case() {
        let (low, high) = (compare(Function::LessEqual, 1), compare(Function::Less, 3));
        let at = compare(Function::Equal, 4);
        let not = compare(Function::NotEqual, 2);
        let all: [Case; 4] = [
            (join(Function::Multiply, high.clone(), not.clone()), |i| i < 3 && i != 2),
            (join(Function::Maximum, low.clone(), at.clone()), |i| i <= 1 || i == 4),
            (join(Function::Add, join(Function::Minimum, high, not), at), |i| (i < 3 && i != 2) || i == 4),
            (low, |i| i <= 1),
        ];
        for (condition, wanted) in all {
            for value in -3..8 {
                let point = Bindings::from([(name("i"), value)]);
                let count = |holds| {
                    let sets = cases(&condition, holds).unwrap();
                    sets.iter().filter(|set| set.contains(&point)).count()
                };
                assert_eq!((count(true), count(false)), (usize::from(wanted(value)), usize::from(!wanted(value))));
            }
        }
    }

    #[test]
    fn what_compares_data_is_no_condition_of_points() {
        let read = Expr::Read { tensor: name("x"), subscripts: vec![], span: Default::default() };
        assert_eq!(cases(&join(Function::Less, read, Expr::Number(1.0)), true), None);
        assert_eq!(cases(&Expr::Number(1.0), true), None);
        let half = join(Function::Less, Expr::Index(Affine::variable(&name("i"))), Expr::Number(0.5));
        assert_eq!(cases(&half, true), None);
    }
}
