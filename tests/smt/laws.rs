//! Laws of scalar functions over all reals, and what the solver does not take.

use std::time::Duration;
use systole_base::scalar::Function;
use systole_compile::smt::holds_for_all_reals;
use systole_equations::recurrence::Scalar;

const LIMIT: Duration = Duration::from_secs(10);

fn apply(function: Function, arguments: &[Scalar]) -> Scalar {
    Scalar::Apply(function, arguments.to_vec())
}

fn ask(left: impl Into<Box<Scalar>>, right: impl Into<Box<Scalar>>) -> Option<bool> {
    holds_for_all_reals(&left.into(), &right.into(), LIMIT)
}

#[test]
fn what_is_linear_piece_by_piece_is_decided() {
    let [a, b, c] = [0, 1, 2].map(Scalar::Operand);
    let max = |one: &Scalar, other: &Scalar| apply(Function::Maximum, &[one.clone(), other.clone()]);
    let add = |one: &Scalar, other: &Scalar| apply(Function::Add, &[one.clone(), other.clone()]);
    assert_eq!(ask(add(&a, &max(&b, &c)), max(&add(&a, &b), &add(&a, &c))), Some(true));
    assert_eq!(ask(add(&a, &max(&b, &c)), max(&add(&a, &b), &c)), Some(false));
    let less = apply(Function::Less, &[a.clone(), b.clone()]);
    let chosen = |one: &Scalar, other: &Scalar| apply(Function::Select, &[less.clone(), one.clone(), other.clone()]);
    assert_eq!(ask(chosen(&a, &b), apply(Function::Minimum, &[a.clone(), b.clone()])), Some(true));
    assert_eq!(ask(chosen(&b, &a), apply(Function::Minimum, &[a.clone(), b.clone()])), Some(false));
    let half = |one: &Scalar| apply(Function::Multiply, &[Scalar::Number(0.5), one.clone()]);
    assert_eq!(ask(add(&half(&a), &half(&a)), a.clone()), Some(true));
    assert_eq!(ask(add(&half(&a), &half(&a)), b), Some(false));
}

#[test]
fn what_is_not_linear_is_left_to_others() {
    let [a, b] = [0, 1].map(Scalar::Operand);
    let product = |one: &Scalar, other: &Scalar| apply(Function::Multiply, &[one.clone(), other.clone()]);
    assert_eq!(ask(product(&a, &b), product(&b, &a)), None);
    assert_eq!(ask(apply(Function::Exponential, std::slice::from_ref(&a)), a.clone()), None);
    assert_eq!(
        ask(product(&Scalar::Number(0.1), &a), product(&a, &Scalar::Number(0.1))),
        None,
        "0.1 is no fraction of 2"
    );
}
