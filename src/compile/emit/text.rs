//! Forms as program text, with divisions written where a form names them.

use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name};
use systole_program::array::{Comparison, Condition, IndexExpr};

/// What stands for a variable that the program does not have.
pub type Divisions = BTreeMap<Name, IndexExpr>;

/// A condition `form >= 0`, the first of `leading` that can stand alone on the left.
pub fn condition<'a>(form: &Affine, leading: impl IntoIterator<Item = &'a Name>, divisions: &Divisions) -> Condition {
    let alone = leading.into_iter().find(|name| form.coefficient(name).abs() == 1);
    let (comparison, left, right) = match alone {
        Some(name) if form.coefficient(name) == 1 => {
            (Comparison::AtLeast, Affine::variable(name), Affine::variable(name) - form.clone())
        }
        Some(name) => (Comparison::AtMost, Affine::variable(name), Affine::variable(name) + form.clone()),
        None => (Comparison::AtLeast, form.clone(), Affine::constant(0)),
    };
    let text = |form: &Affine| replace(&IndexExpr::affine(form), divisions);
    Condition { comparison, left: text(&left), right: text(&right) }
}

/// Variables that stand for expressions are replaced by them.
pub fn replace(expression: &IndexExpr, by: &Divisions) -> IndexExpr {
    let all = |parts: &[IndexExpr]| parts.iter().map(|part| replace(part, by)).collect();
    let one = |part: &IndexExpr| Box::new(replace(part, by));
    match expression {
        IndexExpr::Constant(_) => expression.clone(),
        IndexExpr::Variable(name) => by.get(name).unwrap_or(expression).clone(),
        IndexExpr::Sum(parts) => IndexExpr::Sum(all(parts)),
        IndexExpr::Product(parts) => IndexExpr::Product(all(parts)),
        IndexExpr::Min(parts) => IndexExpr::Min(all(parts)),
        IndexExpr::Max(parts) => IndexExpr::Max(all(parts)),
        IndexExpr::Difference(a, b) => IndexExpr::Difference(one(a), one(b)),
        IndexExpr::Floor(part, divisor) => IndexExpr::Floor(one(part), *divisor),
        IndexExpr::Ceil(part, divisor) => IndexExpr::Ceil(one(part), *divisor),
        IndexExpr::Modulo(part, divisor) => IndexExpr::Modulo(one(part), *divisor),
    }
}
