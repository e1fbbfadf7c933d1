//! Recurrences as text, which [`read_recurrences`](super::read_recurrences) reads.

use super::statement::{Carrier, Condition, Defined, Element, Expression, Instance, Recurrence, Statement, Value};
use std::fmt;
use systole_base::integer::Affine;
use systole_base::scalar::Function;
use systole_equations::recurrence::number_text;

/// Carriers and their words, but for the bus along lines, which has a direction.
pub(super) const CARRIERS: [(Carrier, &str); 7] = [
    (Carrier::OneBus, "over one bus from memory"),
    (Carrier::Everywhere, "known everywhere"),
    (Carrier::OwnMemory, "from own memory"),
    (Carrier::OwnPort, "through own port"),
    (Carrier::Producer, "from the point that computes it"),
    (Carrier::Kept, "kept there"),
    (Carrier::SharedMemory, "through memory"),
];

/// Operators between two arguments, with how tightly each binds.
const OPERATORS: [(Function, &str, usize); 4] =
    [(Function::Add, "+", 1), (Function::Subtract, "-", 1), (Function::Multiply, "*", 2), (Function::Divide, "/", 2)];

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Statement::Space(name) => write!(f, "{name}:"),
            Statement::Recurrence(recurrence) => recurrence.fmt(f),
        }
    }
}

impl fmt::Display for Recurrence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} <- {}", self.defined, self.value)?;
        if let Some(carrier) = &self.carrier {
            write!(f, "  {carrier}")?;
        }
        for (number, condition) in self.guard.iter().enumerate() {
            write!(f, "{}{condition}", if number == 0 { "  where " } else { " and " })?;
        }
        Ok(())
    }
}

impl fmt::Display for Defined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Defined::Instance(instance) => instance.fmt(f),
            Defined::Element(element) => element.fmt(f),
        }
    }
}

impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({})_{}", list(&self.point), self.variable)
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.subscripts.is_empty() {
            true => f.write_str(&self.tensor),
            false => write!(f, "{}[{}]", self.tensor, list(&self.subscripts)),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Element(element) => element.fmt(f),
            Value::Computed(expression) => expression.fmt(f),
            Value::Given(instance, space) => write!(f, "{instance} in {space}"),
            Value::Among(element, space) => write!(f, "{element} of {space}"),
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.within(0))
    }
}

impl Expression {
    /// The text, in brackets where it binds less tightly than `outer`.
    fn within(&self, outer: usize) -> String {
        match self {
            Expression::Number(value) => number_text(*value),
            Expression::Index(form) => format!("({form})"),
            Expression::Instance(instance) => instance.to_string(),
            Expression::Apply(function, arguments) => apply(*function, arguments, outer),
        }
    }
}

fn apply(function: Function, arguments: &[Expression], outer: usize) -> String {
    let operator = OPERATORS.into_iter().find(|(known, ..)| *known == function);
    let (Some((_, sign, level)), [left, right]) = (operator, arguments) else {
        let shown: Vec<String> = arguments.iter().map(Expression::to_string).collect();
        return format!("{}({})", function_word(function), shown.join(", "));
    };
    // `a - (b + c)` needs its brackets: the right side has to bind more tightly.
    let text = format!("{} {sign} {}", left.within(level), right.within(level + 1));
    if level < outer { format!("({text})") } else { text }
}

/// The word for a function; leaves are told apart by their numbers.
fn function_word(function: Function) -> String {
    match function {
        Function::Leaf(number) => format!("leaf{number}"),
        other => other.keyword().to_owned(),
    }
}

impl fmt::Display for Carrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Carrier::Bus(along) = self {
            return write!(f, "on a bus along <{}>", along.compact());
        }
        let known = CARRIERS.iter().find(|(carrier, _)| carrier == self);
        known.map_or(Ok(()), |(_, words)| f.write_str(words))
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::NotNegative(form) => write!(f, "{form} >= 0"),
            Condition::Below(form, bound) => write!(f, "{form} < {bound}"),
        }
    }
}

fn list(forms: &[Affine]) -> String {
    forms.iter().map(Affine::compact).collect::<Vec<String>>().join(",")
}
