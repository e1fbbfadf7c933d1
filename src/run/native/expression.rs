//! Expressions of integers and of numbers.
//!
//! In: an expression, and what its variables are in C. Out: its text, with brackets where C needs them.

use systole_base::integer::{Affine, Name};
use systole_base::scalar::Function;
use systole_program::array::{Comparison, Condition, IndexExpr};

/// What a variable is in C.
pub(super) type Variables<'a> = &'a dyn Fn(&Name) -> String;

/// How tightly an expression holds together.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Bond {
    Sum,
    Product,
    Atom,
}

/// An integer expression.
pub(super) fn index(expression: &IndexExpr, variables: Variables) -> String {
    bonded(expression, variables).0
}

/// Several, with commas.
pub(super) fn indices(expressions: &[IndexExpr], variables: Variables) -> String {
    let each: Vec<String> = expressions.iter().map(|expression| index(expression, variables)).collect();
    each.join(", ")
}

/// The same as what is multiplied or taken off.
pub(super) fn factor(expression: &IndexExpr, variables: Variables) -> String {
    at_least(Bond::Atom, bonded(expression, variables))
}

fn at_least(needed: Bond, (text, bond): (String, Bond)) -> String {
    if bond >= needed && !(needed == Bond::Atom && text.starts_with('-')) { text } else { format!("({text})") }
}

fn bonded(expression: &IndexExpr, variables: Variables) -> (String, Bond) {
    let call =
        |name: &str, part: &IndexExpr, by: i64| (format!("{name}({}, {by})", index(part, variables)), Bond::Atom);
    match expression {
        IndexExpr::Constant(value) => (value.to_string(), Bond::Atom),
        IndexExpr::Variable(name) => (variables(name), Bond::Atom),
        IndexExpr::Sum(parts) => {
            let each = parts.iter().map(|part| at_least(Bond::Product, bonded(part, variables)));
            (each.reduce(|sum, term| plus(&sum, &term)).unwrap_or_else(|| "0".to_owned()), Bond::Sum)
        }
        IndexExpr::Difference(a, b) => {
            let (a, b) = (at_least(Bond::Sum, bonded(a, variables)), bonded(b, variables));
            (format!("{a} - {}", subtrahend(b)), Bond::Sum)
        }
        IndexExpr::Product(parts) => product(parts, variables),
        IndexExpr::Floor(part, by) => call("floor_div", part, *by),
        IndexExpr::Ceil(part, by) => call("ceil_div", part, *by),
        IndexExpr::Modulo(part, by) => call("remainder_of", part, *by),
        IndexExpr::Min(parts) => (chosen("least", parts, variables), Bond::Atom),
        IndexExpr::Max(parts) => (chosen("greatest", parts, variables), Bond::Atom),
    }
}

/// `a + b`, or `a - c` where `b` is `-c`.
fn plus(sum: &str, term: &str) -> String {
    match term.strip_prefix('-') {
        Some(rest) => format!("{sum} - {rest}"),
        None => format!("{sum} + {term}"),
    }
}

fn subtrahend((text, bond): (String, Bond)) -> String {
    if bond == Bond::Sum || text.starts_with('-') { format!("({text})") } else { text }
}

/// Numbers times one variable stay small; a product of several sizes is kept from what does not fit.
fn product(parts: &[IndexExpr], variables: Variables) -> (String, Bond) {
    let is_number = |part: &&IndexExpr| matches!(part, IndexExpr::Constant(_));
    let each: Vec<String> = parts.iter().map(|part| at_least(Bond::Product, bonded(part, variables))).collect();
    match parts.iter().filter(|part| !is_number(part)).count() {
        0 | 1 => (each.join(" * "), Bond::Product),
        _ => {
            let each = parts.iter().map(|part| index(part, variables));
            let all = each.reduce(|product, part| format!("times({product}, {part})"));
            (all.unwrap_or_else(|| "1".to_owned()), Bond::Atom)
        }
    }
}

fn chosen(function: &str, parts: &[IndexExpr], variables: Variables) -> String {
    let each = parts.iter().map(|part| index(part, variables));
    each.reduce(|found, part| format!("{function}({found}, {part})")).unwrap_or_else(|| "0".to_owned())
}

/// A linear form.
pub(super) fn affine(form: &Affine, variables: Variables) -> String {
    index(&IndexExpr::affine(form), variables)
}

/// All conditions at once; `true` for none.
pub(super) fn conditions(conditions: &[Condition], variables: Variables) -> String {
    let one = |condition: &Condition| {
        let sign = match condition.comparison {
            Comparison::Equal => "==",
            Comparison::AtLeast => ">=",
            Comparison::AtMost => "<=",
        };
        format!("{} {sign} {}", index(&condition.left, variables), index(&condition.right, variables))
    };
    match conditions {
        [] => "true".to_owned(),
        _ => conditions.iter().map(one).collect::<Vec<_>>().join(" && "),
    }
}

/// A number, to the last bit.
pub(super) fn number(value: f64) -> String {
    match value {
        _ if value.is_nan() => "(double)NAN".to_owned(),
        _ if value == f64::INFINITY => "(double)INFINITY".to_owned(),
        _ if value == f64::NEG_INFINITY => "-(double)INFINITY".to_owned(),
        _ => format!("{value:?}"),
    }
}

/// A function of numbers, in brackets where it is an operator of C.
pub(super) fn apply(function: Function, arguments: &[String]) -> String {
    match (function, arguments) {
        (_, [a]) if function == Function::Negate && a.starts_with('-') => format!("(-({a}))"),
        (_, [a]) if function == Function::Negate => format!("(-{a})"),
        (_, [a]) if function == Function::Reciprocal => format!("(1.0 / {a})"),
        (_, [a, b]) if let Some(operator) = operator(function) => format!("({a} {operator} {b})"),
        (_, [a, b]) if let Some(sign) = comparison(function) => format!("({a} {sign} {b} ? 1.0 : 0.0)"),
        _ => format!("{}({})", called(function), arguments.join(", ")),
    }
}

/// Without the brackets around all of an expression.
pub(super) fn bare(text: &str) -> &str {
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let mut depth = 0;
    let closes_early = |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth < 0
    };
    inner.filter(|inner| !inner.contains(closes_early)).unwrap_or(text)
}

/// The operator of C that a function is.
pub(super) fn operator(function: Function) -> Option<&'static str> {
    match function {
        Function::Add => Some("+"),
        Function::Subtract => Some("-"),
        Function::Multiply => Some("*"),
        Function::Divide => Some("/"),
        _ => None,
    }
}

/// The comparison of C that a function is.
pub(super) fn comparison(function: Function) -> Option<&'static str> {
    match function {
        Function::Less => Some("<"),
        Function::LessEqual => Some("<="),
        Function::Equal => Some("=="),
        Function::NotEqual => Some("!="),
        _ => None,
    }
}

/// The function of C that has its value.
fn called(function: Function) -> &'static str {
    match function {
        Function::Maximum => "larger",
        Function::Minimum => "smaller",
        Function::Absolute => "fabs",
        Function::Power => "pow",
        Function::Sign => "sign_of",
        Function::Select => "select_of",
        _ => function.keyword(),
    }
}
