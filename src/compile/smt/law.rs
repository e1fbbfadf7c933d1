//! Laws of scalar functions, over all real numbers.
//!
//! In: the two sides of a law, whose operands stand for any numbers. Out: whether they are one for all of them; `None` where a side has
//! what is not linear, or the solver does not know. Comparisons are 1 or 0, as in kernels.

use super::limit::within;
use super::solver::is_there;
use solver::z3::ast::{Bool, Real};
use solver::z3::{SatResult, Solver};
use std::time::Duration;
use systole_base::scalar::Function;
use systole_equations::recurrence::Scalar;

/// Whether `left` and `right` are one number for all real values of their operands.
pub fn holds_for_all_reals(left: &Scalar, right: &Scalar, limit: Duration) -> Option<bool> {
    if !is_there() {
        return None;
    }
    let (left, right) = (term(left)?, term(right)?);
    let solver = Solver::new();
    solver.set_params(&within(limit));
    solver.assert(left.eq(&right).not());
    match solver.check() {
        SatResult::Unsat => Some(true),
        SatResult::Sat => Some(false),
        SatResult::Unknown => None,
    }
}

/// A linear or piecewise linear term; `None` for any other.
fn term(scalar: &Scalar) -> Option<Real> {
    match scalar {
        Scalar::Number(value) => number(*value),
        Scalar::Index(_) => None,
        Scalar::Operand(position) => Some(Real::new_const(u32::try_from(*position).ok()?)),
        Scalar::Apply(Function::Multiply, arguments) => match arguments.as_slice() {
            [Scalar::Number(value), other] | [other, Scalar::Number(value)] => {
                Some(Real::mul(&[number(*value)?, term(other)?]))
            }
            _ => None,
        },
        Scalar::Apply(function, arguments) => {
            let parts = arguments.iter().map(term).collect::<Option<Vec<Real>>>()?;
            apply(*function, &parts)
        }
    }
}

fn number(value: f64) -> Option<Real> {
    // Twice as many bits as any literal in a law has.
    let scaled = value * 65_536.0;
    let is_whole = scaled.fract() == 0.0 && scaled.abs() < 9e15;
    is_whole.then(|| Real::div(&Real::from_rational(scaled as i64, 1), Real::from_rational(65_536, 1)))
}

fn apply(function: Function, parts: &[Real]) -> Option<Real> {
    let zero = || Real::from_rational(0, 1);
    let truth = |condition: Bool| condition.ite(&Real::from_rational(1, 1), &zero());
    Some(match (function, parts) {
        (Function::Add, [a, b]) => Real::add(&[a.clone(), b.clone()]),
        (Function::Subtract, [a, b]) => Real::sub(&[a.clone(), b.clone()]),
        (Function::Negate, [a]) => a.unary_minus(),
        (Function::Maximum, [a, b]) => a.ge(b).ite(a, b),
        (Function::Minimum, [a, b]) => a.le(b).ite(a, b),
        (Function::Absolute, [a]) => a.ge(zero()).ite(a, &a.unary_minus()),
        (Function::Less, [a, b]) => truth(a.lt(b)),
        (Function::LessEqual, [a, b]) => truth(a.le(b)),
        (Function::Equal, [a, b]) => truth(a.eq(b)),
        (Function::NotEqual, [a, b]) => truth(a.eq(b).not()),
        (Function::Select, [condition, a, b]) => condition.eq(zero()).ite(b, a),
        _ => return None,
    })
}
