//! A small reader of systems, in which the templates of the generator are written; it shares nothing with the library's parser.
//!
//! Tensors have brackets, sizes are capital letters, indices small ones. Every index of an equation has its bounds behind `where`.

use crate::systems::{Equation, Expression, Form, Operator, Range, Role, System, Tensor};

/// What is left to read of a text.
struct Reader<'a>(&'a str);

/// The system of a text, which is one of ours and so well-formed.
pub fn read(text: &str) -> System {
    let mut system = System::default();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (word, rest) = line.split_once(' ').expect("a line has words");
        let role = match word {
            "kernel" => continue,
            "in" => Role::Input,
            "local" => Role::Local,
            "out" => Role::Output,
            _ => {
                system.equations.push(equation(line));
                continue;
            }
        };
        let mut reader = Reader(rest);
        while !reader.0.is_empty() {
            let (name, shape) = reader.access();
            system.tensors.push(Tensor { name, role, shape });
            reader.takes(",");
        }
    }
    system.sizes = sizes(&system);
    system
}

/// The sizes that are named, in order.
fn sizes(system: &System) -> Vec<String> {
    let text = system.to_string();
    let words = text.lines().skip(1).flat_map(|line| line.split(|letter: char| !letter.is_alphanumeric()));
    let mut sizes: Vec<String> = words.filter(|word| ["M", "N", "T"].contains(word)).map(str::to_owned).collect();
    sizes.sort();
    sizes.dedup();
    sizes
}

/// `x[i] = value where 0 <= i < N`.
fn equation(line: &str) -> Equation {
    let (line, bounds) = line.split_once(" where ").unwrap_or((line, ""));
    let (target, value) = line.split_once(" = ").expect("an equation");
    let (target, subscripts) = Reader(target).access();
    let mut value = Reader(value);
    let value = value.sum();
    let mut reader = Reader(bounds);
    let mut ranges = vec![];
    while !reader.0.is_empty() {
        let low = reader.form();
        reader.needs("<=");
        let index = reader.word();
        reader.needs("<");
        ranges.push(Range { index, low, high: reader.form() });
        reader.takes(",");
    }
    Equation { target, subscripts, ranges, value }
}

impl Reader<'_> {
    fn takes(&mut self, word: &str) -> bool {
        self.0 = self.0.trim_start();
        let rest = self.0.strip_prefix(word);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn needs(&mut self, word: &str) {
        assert!(self.takes(word), "{word} is missing before {}", self.0);
    }

    fn word(&mut self) -> String {
        self.0 = self.0.trim_start();
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '.';
        let end = self.0.find(|letter| !is_part(letter)).unwrap_or(self.0.len());
        // `0..N` is two numbers.
        let end = self.0.find("..").map_or(end, |dots| dots.min(end));
        let (word, rest) = self.0.split_at(end);
        self.0 = rest;
        word.to_owned()
    }

    fn form(&mut self) -> Form {
        let mut form = Form::default();
        let mut sign = if self.takes("-") { -1 } else { 1 };
        loop {
            let word = self.word();
            match word.parse::<i64>() {
                Ok(number) if self.takes("*") => form.add(&self.word(), sign * number),
                Ok(number) => form.constant += sign * number,
                Err(_) => form.add(&word, sign),
            }
            sign = match (self.takes("+"), self.takes("-")) {
                (true, _) => 1,
                (_, true) => -1,
                _ => return form,
            };
        }
    }

    fn access(&mut self) -> (String, Vec<Form>) {
        let name = self.word();
        self.needs("[");
        let mut subscripts = vec![self.form()];
        while self.takes(",") {
            subscripts.push(self.form());
        }
        self.needs("]");
        (name, subscripts)
    }

    fn sum(&mut self) -> Expression {
        let mut value = self.product();
        loop {
            let operator = match (self.takes("+"), self.takes("-")) {
                (true, _) => Operator::Add,
                (_, true) => Operator::Subtract,
                _ => return value,
            };
            value = Expression::Apply(operator, Box::new([value, self.product()]));
        }
    }

    fn product(&mut self) -> Expression {
        let mut value = self.factor();
        while self.takes("*") {
            value = Expression::Apply(Operator::Multiply, Box::new([value, self.factor()]));
        }
        value
    }

    /// A reduction takes the product behind it.
    fn factor(&mut self) -> Expression {
        if self.takes("(") {
            let value = self.sum();
            self.needs(")");
            return value;
        }
        if self.takes("sum(") {
            return self.reduction(Operator::Add);
        }
        if self.takes("max(") {
            if self.0.split_once(" in ").is_some_and(|(index, _)| index.chars().all(char::is_alphanumeric)) {
                return self.reduction(Operator::Maximum);
            }
            let left = self.sum();
            self.needs(",");
            let right = self.sum();
            self.needs(")");
            return Expression::Apply(Operator::Maximum, Box::new([left, right]));
        }
        self.0 = self.0.trim_start();
        if self.0.starts_with(|letter: char| letter.is_ascii_digit()) {
            return Expression::Number(self.word().parse().expect("a number"));
        }
        let (tensor, subscripts) = self.access();
        Expression::Read(tensor, subscripts)
    }

    fn reduction(&mut self, operator: Operator) -> Expression {
        let mut ranges = vec![];
        loop {
            let index = self.word();
            self.needs("in");
            let low = self.form();
            self.needs("..");
            ranges.push(Range { index, low, high: self.form() });
            if !self.takes(",") {
                break;
            }
        }
        self.needs(")");
        Expression::Reduce(operator, ranges, Box::new(self.product()))
    }
}
