//! An affine system as the generator has it, and its text.
//!
//! It is a tree of its own: nothing of the library reads or writes it, so what `evaluate.rs` and `order.rs` say of it is independent
//! of parser, lowering, reference and search.

use std::fmt::{Display, Formatter, Result};

/// Values of sizes and indices, by name; the last one of a name counts.
pub type Scope = Vec<(String, i64)>;

/// A linear form of sizes and indices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Form {
    pub terms: Vec<(String, i64)>,
    pub constant: i64,
}

impl Form {
    pub fn of(name: &str) -> Form {
        Form { terms: vec![(name.to_owned(), 1)], constant: 0 }
    }

    /// Adds a multiple of a name.
    pub fn add(&mut self, name: &str, factor: i64) {
        match self.terms.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known += factor,
            None => self.terms.push((name.to_owned(), factor)),
        }
        self.terms.retain(|(_, factor)| *factor != 0);
    }

    /// Its value; a name that is not in scope is 0, which no system of the generator has.
    pub fn at(&self, scope: &Scope) -> i64 {
        let value = |name: &str| scope.iter().rev().find(|(known, _)| known == name).map_or(0, |(_, value)| *value);
        self.terms.iter().map(|(name, factor)| factor * value(name)).sum::<i64>() + self.constant
    }
}

impl Display for Form {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for (place, (name, factor)) in self.terms.iter().enumerate() {
            match (place, *factor < 0) {
                (0, true) => write!(f, "-")?,
                (0, false) => {}
                (_, true) => write!(f, " - ")?,
                (_, false) => write!(f, " + ")?,
            }
            match factor.abs() {
                1 => write!(f, "{name}")?,
                factor => write!(f, "{factor}*{name}")?,
            }
        }
        match (self.terms.is_empty(), self.constant) {
            (true, constant) => write!(f, "{constant}"),
            (false, 0) => Ok(()),
            (false, constant) => write!(f, " {} {}", if constant < 0 { '-' } else { '+' }, constant.abs()),
        }
    }
}

/// `index in low..high`.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    pub index: String,
    pub low: Form,
    pub high: Form,
}

impl Display for Range {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{} in {}..{}", self.index, self.low, self.high)
    }
}

/// The operators of terms and of reductions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Maximum,
}

/// A right-hand side.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    Number(f64),
    Read(String, Vec<Form>),
    Apply(Operator, Box<[Expression; 2]>),
    /// A sum or a maximum over nested ranges.
    Reduce(Operator, Vec<Range>, Box<Expression>),
}

impl Expression {
    fn bracketed(&self) -> String {
        match self {
            Expression::Number(_) | Expression::Read(..) | Expression::Apply(Operator::Maximum, _) => self.to_string(),
            _ => format!("({self})"),
        }
    }
}

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Expression::Number(value) => write!(f, "{value}"),
            Expression::Read(tensor, subscripts) => write!(f, "{}", access(tensor, subscripts)),
            Expression::Apply(operator, sides) => {
                let [left, right] = &**sides;
                let sign = match operator {
                    Operator::Add => '+',
                    Operator::Subtract => '-',
                    Operator::Multiply => '*',
                    Operator::Maximum => return write!(f, "max({left}, {right})"),
                };
                write!(f, "{} {sign} {}", left.bracketed(), right.bracketed())
            }
            Expression::Reduce(operator, ranges, body) => {
                let word = if *operator == Operator::Maximum { "max" } else { "sum" };
                write!(f, "{word}({}) {}", joined(ranges), body.bracketed())
            }
        }
    }
}

pub fn access(tensor: &str, subscripts: &[Form]) -> String {
    format!("{tensor}[{}]", joined(subscripts))
}

fn joined<T: Display>(list: &[T]) -> String {
    list.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

/// `target[subscripts] = value` for all points of the ranges, whose bounds may name the indices before them.
#[derive(Clone, Debug, PartialEq)]
pub struct Equation {
    pub target: String,
    pub subscripts: Vec<Form>,
    pub ranges: Vec<Range>,
    pub value: Expression,
}

impl Display for Equation {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{} = {}", access(&self.target, &self.subscripts), self.value)?;
        let bounds = self.ranges.iter().map(|Range { index, low, high }| format!("{low} <= {index} < {high}"));
        let bounds: Vec<String> = bounds.collect();
        if bounds.is_empty() { Ok(()) } else { write!(f, " where {}", bounds.join(", ")) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Role {
    Input,
    Local,
    Output,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    pub name: String,
    pub role: Role,
    pub shape: Vec<Form>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct System {
    pub sizes: Vec<String>,
    pub tensors: Vec<Tensor>,
    pub equations: Vec<Equation>,
}

impl System {
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = &Tensor> {
        self.tensors.iter().filter(move |tensor| tensor.role == role)
    }
}

impl Display for System {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        writeln!(f, "kernel system({})", self.sizes.join(", "))?;
        for (role, word) in [(Role::Input, "in"), (Role::Local, "local"), (Role::Output, "out")] {
            let list: Vec<String> = self.with_role(role).map(|tensor| access(&tensor.name, &tensor.shape)).collect();
            if !list.is_empty() {
                writeln!(f, "{word} {}", list.join(", "))?;
            }
        }
        self.equations.iter().try_for_each(|equation| writeln!(f, "{equation}"))
    }
}
