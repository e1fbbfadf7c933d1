//! Reads the arithmetic of recurrences.
//!
//! From loose to tight: sums, products, atoms. What stands in brackets is a form where it has an index or a size in it, or is one whole
//! number; all else is an expression.

use super::cursor::{Cursor, Read};
use super::statement::Expression;
use systole_base::diagnostic::counted;
use systole_base::integer::Affine;
use systole_base::scalar::Function;

/// Signs of one rank.
type Rank = [(&'static str, Function); 2];

const SUMS: Rank = [("+", Function::Add), ("-", Function::Subtract)];

const PRODUCTS: Rank = [("*", Function::Multiply), ("/", Function::Divide)];

impl Cursor<'_> {
    /// An expression.
    pub fn expression(&mut self) -> Read<Expression> {
        self.chain(SUMS, |cursor| cursor.chain(PRODUCTS, Cursor::atom))
    }

    /// Operands with operators of one rank between them, from left to right.
    fn chain(&mut self, rank: Rank, operand: impl Fn(&mut Self) -> Read<Expression>) -> Read<Expression> {
        let mut left = operand(self)?;
        while let Some((_, function)) = rank.into_iter().find(|(sign, _)| self.takes(sign)) {
            self.count_operator()?;
            left = Expression::Apply(function, vec![left, operand(self)?]);
        }
        Ok(left)
    }

    fn atom(&mut self) -> Read<Expression> {
        if self.takes("-") {
            return self.number("a number").map(|value| Expression::Number(-value));
        }
        if self.rest().starts_with('(') {
            return self.bracketed();
        }
        match self.word() {
            "" | "infinity" => self.number("a number, a value or a function").map(Expression::Number),
            _ => self.call(),
        }
    }

    /// `(i,j)_x`, `(i + 1)`, or an expression in brackets.
    fn bracketed(&mut self) -> Read<Expression> {
        if self.is_instance() {
            return self.instance().map(Expression::Instance);
        }
        if let Some(form) = self.bracketed_form() {
            return Ok(Expression::Index(form));
        }
        self.deeper(|cursor| {
            cursor.sign("(")?;
            let inner = cursor.expression()?;
            cursor.sign(")")?;
            Ok(inner)
        })
    }

    /// Whether the bracket that is next is the point of an instance.
    fn is_instance(&self) -> bool {
        let mut depth = 0;
        for (position, letter) in self.rest().char_indices() {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            if depth == 0 {
                return self.rest()[position + 1..].trim_start().starts_with('_');
            }
        }
        false
    }

    fn bracketed_form(&mut self) -> Option<Affine> {
        let mut ahead = self.clone();
        ahead.takes("(").then_some(())?;
        let start = ahead.rest();
        let form = ahead.form().ok()?;
        let length = start.len() - ahead.rest().len();
        let is_number = start[..length].trim_start_matches('-').trim().bytes().all(|byte| byte.is_ascii_digit());
        if !ahead.takes(")") || (form.is_constant() && !is_number) {
            return None;
        }
        *self = ahead;
        Some(form)
    }

    /// `sqrt(a)`
    fn call(&mut self) -> Read<Expression> {
        let place = self.clone();
        let word = self.name("a function")?;
        let Some(function) = function(&word) else { return place.expected("a number, a value or a function") };
        let arguments = self.deeper(Cursor::arguments)?;
        match function {
            Function::Leaf(_) => {}
            _ if arguments.len() == function.arity() => {}
            _ => {
                let message =
                    format!("`{word}` takes {}, not {}", counted(function.arity(), "argument"), arguments.len());
                return Err(place.wrong(word.len(), &message, "called here"));
            }
        }
        Ok(Expression::Apply(function, arguments))
    }

    /// `(a, b)`
    fn arguments(&mut self) -> Read<Vec<Expression>> {
        self.sign("(")?;
        let mut arguments = vec![self.expression()?];
        while self.takes(",") {
            arguments.push(self.expression()?);
        }
        self.sign(")")?;
        Ok(arguments)
    }
}

/// The function of this name; leaves have numbers.
fn function(word: &str) -> Option<Function> {
    let leaf = || word.strip_prefix("leaf")?.parse().ok().map(Function::Leaf);
    Function::from_keyword(word).or_else(leaf)
}
