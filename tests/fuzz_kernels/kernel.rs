//! A kernel as the generator has it, and its text.
//!
//! It is a tree of its own: nothing of the library reads or writes it, so that what its evaluator (`meaning.rs`) says of it is
//! independent of parser, lowering and reference. The text has the tree's meaning by the language of `README.md`.

use std::fmt::{Display, Formatter, Result};

/// Values of parameters and indices, by name; the last one of a name counts.
pub type Scope = Vec<(String, i64)>;

/// A linear form of parameters and indices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Form {
    pub terms: Vec<(String, i64)>,
    pub constant: i64,
}

impl Form {
    pub fn number(constant: i64) -> Form {
        Form { terms: vec![], constant }
    }

    pub fn of(name: &str) -> Form {
        Form { terms: vec![(name.to_owned(), 1)], constant: 0 }
    }

    pub fn plus(&self, other: &Form) -> Form {
        let mut sum = self.clone();
        sum.constant += other.constant;
        for (name, factor) in &other.terms {
            match sum.terms.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => *known += factor,
                None => sum.terms.push((name.clone(), *factor)),
            }
        }
        sum.terms.retain(|(_, factor)| *factor != 0);
        sum
    }

    pub fn times(&self, factor: i64) -> Form {
        let terms = self.terms.iter().map(|(name, own)| (name.clone(), own * factor)).collect();
        Form { terms, constant: self.constant * factor }
    }

    pub fn minus(&self, other: &Form) -> Form {
        self.plus(&other.times(-1))
    }

    pub fn shifted(&self, by: i64) -> Form {
        self.plus(&Form::number(by))
    }

    /// Its value; a name that is not in scope is 0, which no kernel of the generator has.
    pub fn at(&self, scope: &Scope) -> i64 {
        let whole = |name: &str| scope.iter().rev().find(|(known, _)| known == name).map_or(0, |(_, value)| *value);
        let value = |name: &str| match (name.strip_suffix(" div 2"), name.strip_suffix(" mod 2")) {
            (Some(index), _) => whole(index).div_euclid(2),
            (_, Some(index)) => whole(index).rem_euclid(2),
            _ => whole(name),
        };
        self.terms.iter().map(|(name, factor)| factor * value(name)).sum::<i64>() + self.constant
    }
}

impl Display for Form {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let mut started = false;
        for (name, factor) in &self.terms {
            let sign = match (started, *factor < 0) {
                (false, false) => "",
                (false, true) => "-",
                (true, false) => " + ",
                (true, true) => " - ",
            };
            let times = if factor.abs() == 1 { String::new() } else { format!("{}*", factor.abs()) };
            write!(f, "{sign}{times}{name}")?;
            started = true;
        }
        match (started, self.constant) {
            (false, constant) => write!(f, "{constant}"),
            (true, 0) => Ok(()),
            (true, constant) => write!(f, " {} {}", if constant < 0 { '-' } else { '+' }, constant.abs()),
        }
    }
}

/// `index in low..high step step`, and what a reduction leaves out of it: `where index != form`, or with another sign.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    pub index: String,
    pub low: Form,
    pub high: Form,
    pub step: i64,
    pub condition: Option<(&'static str, Form)>,
}

impl Range {
    pub fn new(index: &str, low: Form, high: Form) -> Range {
        Range { index: index.to_owned(), low, high, step: 1, condition: None }
    }

    /// Whether `where` cuts a hole, in which the term is what changes nothing.
    pub fn has_hole(&self) -> bool {
        matches!(self.condition, Some(("!=", _)))
    }
}

impl Display for Range {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{} in {}..{}", self.index, self.low, self.high)?;
        if self.step == 1 { Ok(()) } else { write!(f, " step {}", self.step) }
    }
}

/// A right-hand side. Functions go by the language's words: `add`, `lt`, `select` and so on; operators by theirs.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    Number(f64),
    Index(Form),
    Read(String, Vec<Form>),
    /// An element, and what stands for it outside of its tensor.
    Else(String, Vec<Form>, Box<Expr>),
    Apply(&'static str, Vec<Expr>),
    Reduce(&'static str, Vec<Range>, Box<Expr>),
}

/// Functions that are written between their arguments.
const INFIX: [(&str, &str); 8] =
    [("add", "+"), ("sub", "-"), ("mul", "*"), ("div", "/"), ("lt", "<"), ("le", "<="), ("eq", "=="), ("ne", "!=")];

impl Expr {
    /// Its text, in brackets where an operand must have them.
    fn bracketed(&self) -> String {
        let is_open = match self {
            Expr::Number(_) | Expr::Read(..) => false,
            Expr::Index(form) => form.terms.len() != 1 || form.constant != 0 || form.terms[0].1 != 1,
            Expr::Apply(word, _) => *word == "neg" || INFIX.iter().any(|(infix, _)| infix == word),
            Expr::Else(..) | Expr::Reduce(..) => true,
        };
        if is_open { format!("({self})") } else { self.to_string() }
    }
}

impl Expr {
    /// Each element that is read.
    pub fn visit_reads(&self, seen: &mut impl FnMut(&str, &[Form])) {
        match self {
            Expr::Number(_) | Expr::Index(_) => {}
            Expr::Read(tensor, subscripts) => seen(tensor, subscripts),
            Expr::Else(tensor, subscripts, other) => {
                seen(tensor, subscripts);
                other.visit_reads(seen);
            }
            Expr::Apply(_, arguments) => arguments.iter().for_each(|argument| argument.visit_reads(seen)),
            Expr::Reduce(_, _, body) => body.visit_reads(seen),
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let list = |arguments: &[Expr]| arguments.iter().map(Expr::to_string).collect::<Vec<_>>().join(", ");
        match self {
            Expr::Number(value) => write!(f, "{value}"),
            Expr::Index(form) => write!(f, "{form}"),
            Expr::Read(tensor, subscripts) => write!(f, "{}", access(tensor, subscripts)),
            Expr::Else(tensor, subscripts, other) => {
                write!(f, "{} else {}", access(tensor, subscripts), other.bracketed())
            }
            Expr::Apply("neg", arguments) => write!(f, "-{}", arguments[0].bracketed()),
            Expr::Apply(word, arguments) => match INFIX.iter().find(|(infix, _)| infix == word) {
                Some((_, sign)) => write!(f, "{} {sign} {}", arguments[0].bracketed(), arguments[1].bracketed()),
                None => write!(f, "{word}({})", list(arguments)),
            },
            Expr::Reduce(word, ranges, body) => {
                write!(f, "{word}({}{}) {}", joined(ranges), left_out(ranges), body.bracketed())
            }
        }
    }
}

pub fn access(tensor: &str, subscripts: &[Form]) -> String {
    if subscripts.is_empty() { tensor.to_owned() } else { format!("{tensor}[{}]", joined(subscripts)) }
}

/// What `where` leaves out of a reduction.
fn left_out(ranges: &[Range]) -> String {
    let condition = |range: &Range| {
        let (sign, form) = range.condition.as_ref()?;
        Some(format!("{} {sign} {form}", range.index))
    };
    let conditions: Vec<String> = ranges.iter().filter_map(condition).collect();
    if conditions.is_empty() { String::new() } else { format!(" where {}", conditions.join(", ")) }
}

fn joined<T: Display>(list: &[T]) -> String {
    list.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Role {
    Input,
    Output,
    Local,
    /// It comes in, is replaced in its place, and leaves.
    InPlace,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    pub name: String,
    pub role: Role,
    pub shape: Vec<Form>,
}

/// What an equation is, beside its target.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// One value for each point of the free indices.
    Plain(Expr),
    /// A reduction whose indices stand in the target's subscripts: `Y[i + j] = sum(i, j) ..`.
    Scattered(&'static str, Vec<Range>, Expr),
    /// Tuples that are reduced by a declared reduction; the further targets, and the terms.
    Joint(&'static str, Vec<String>, Range, Vec<Expr>),
}

/// Free indices run over `ranges` as far as `conditions` hold, each that its first form is at most its second.
#[derive(Clone, Debug, PartialEq)]
pub struct Equation {
    pub target: String,
    pub subscripts: Vec<Form>,
    pub ranges: Vec<Range>,
    pub conditions: Vec<(Form, Form)>,
    /// Whether it defines what no other equation of the tensor does.
    pub is_elsewhere: bool,
    pub value: Value,
}

impl Equation {
    /// Whether its conditions hold at a point.
    pub fn holds(&self, scope: &Scope) -> bool {
        self.conditions.iter().all(|(low, high)| low.at(scope) <= high.at(scope))
    }
}

impl Display for Equation {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let target = access(&self.target, &self.subscripts);
        match &self.value {
            Value::Plain(value) => write!(f, "{target} = {value}")?,
            Value::Scattered(word, ranges, body) => {
                write!(f, "{target} = {word}({}) {}", joined(ranges), body.bracketed())?;
            }
            Value::Joint(word, others, range, terms) => {
                let others: Vec<String> = others.iter().map(|other| access(other, &self.subscripts)).collect();
                write!(f, "({target}, {}) = {word}({range}) ({})", others.join(", "), joined(terms))?;
            }
        }
        if self.is_elsewhere {
            return write!(f, " elsewhere");
        }
        let conditions: Vec<String> = self.conditions.iter().map(|(low, high)| format!("{low} <= {high}")).collect();
        if conditions.is_empty() { Ok(()) } else { write!(f, " where {}", conditions.join(", ")) }
    }
}

/// A declared reduction of pairs: its name and its text; `meaning.rs` has what it does.
pub const DECLARED: [(&str, &str); 4] = [
    ("plus", "reduction plus(p, q) with (u, v) = (p + u, q + v) from (0, 0)"),
    ("span", "reduction span(p, q) with (u, v) = (max(p, u), min(q, v)) from (-infinity, infinity)"),
    ("chain", "reduction chain(p, q) with (u, v) = (p * u, q * u + v) from (1, 0)"),
    (
        "later",
        "reduction later(p, q) with (u, v) = (max(p, u), select(p < u, v, select(u < p, q, max(q, v)))) \
         from (-infinity, -infinity)",
    ),
];

/// What leaves of a tensor that is replaced in its place.
pub fn left(name: &str) -> String {
    format!("{name}_out")
}

#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    pub parameters: Vec<String>,
    pub tensors: Vec<Tensor>,
    pub equations: Vec<Equation>,
    /// The steps of what is replaced in its place; without any it is once.
    pub steps: Option<Range>,
}

impl Kernel {
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = &Tensor> {
        self.tensors.iter().filter(move |tensor| tensor.role == role)
    }

    /// What has its values from outside.
    pub fn given(&self) -> impl Iterator<Item = &Tensor> {
        self.tensors.iter().filter(|tensor| matches!(tensor.role, Role::Input | Role::InPlace))
    }

    /// Whether a value reads an element that is replaced in its place.
    pub fn reads_in_place(&self, value: &Expr) -> bool {
        let is_in_place = |name: &str| self.with_role(Role::InPlace).any(|tensor| tensor.name == name);
        let mut found = false;
        value.visit_reads(&mut |tensor, _| found |= is_in_place(tensor));
        found
    }

    /// Whether something is reduced over elements that are replaced in their place.
    pub fn reduces_in_place(&self) -> bool {
        fn reduces(kernel: &Kernel, value: &Expr) -> bool {
            match value {
                Expr::Number(_) | Expr::Index(_) | Expr::Read(..) => false,
                Expr::Else(_, _, other) => reduces(kernel, other),
                Expr::Apply(_, arguments) => arguments.iter().any(|argument| reduces(kernel, argument)),
                Expr::Reduce(_, _, body) => kernel.reads_in_place(body),
            }
        }
        let is_one = |equation: &Equation| matches!(&equation.value, Value::Plain(value) if reduces(self, value));
        self.equations.iter().any(is_one)
    }

    /// What leaves, by the names of files.
    pub fn outputs(&self) -> impl Iterator<Item = String> {
        self.tensors.iter().filter_map(|tensor| match tensor.role {
            Role::Output => Some(tensor.name.clone()),
            Role::InPlace => Some(left(&tensor.name)),
            _ => None,
        })
    }
}

impl Display for Kernel {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        writeln!(f, "kernel fuzzed({})", self.parameters.join(", "))?;
        for (role, word) in [(Role::Input, "in"), (Role::Local, "local"), (Role::Output, "out")] {
            let list: Vec<String> = self.with_role(role).map(|tensor| access(&tensor.name, &tensor.shape)).collect();
            if !list.is_empty() {
                writeln!(f, "{word} {}", list.join(", "))?;
            }
        }
        for tensor in self.with_role(Role::InPlace) {
            write!(f, "inout {}", access(&tensor.name, &tensor.shape))?;
            match &self.steps {
                Some(steps) => writeln!(f, " over {steps}")?,
                None => writeln!(f)?,
            }
        }
        for (name, text) in DECLARED {
            let uses = |equation: &Equation| matches!(&equation.value, Value::Joint(word, ..) if *word == name);
            if self.equations.iter().any(uses) {
                writeln!(f, "{text}")?;
            }
        }
        self.equations.iter().try_for_each(|equation| writeln!(f, "{equation}"))
    }
}
