//! Reads integer expressions, conditions and scalar expressions.

use super::reader::{Read, Reader};
use super::s_expression::SExpression;
use super::{Comparison, Condition, IndexExpr, ScalarExpr};
use systole_base::integer::name;
use systole_base::scalar::Function;

const INDEX_WORDS: [&str; 8] = ["+", "-", "*", "floor", "ceil", "mod", "min", "max"];

impl Reader {
    /// An integer expression.
    pub fn index(&self, form: &SExpression) -> Read<IndexExpr> {
        match form.atom() {
            Some(word) => Ok(self.index_atom(word)),
            None => self.index_call(form),
        }
    }

    /// Integer expressions.
    pub fn indices(&self, forms: &[SExpression]) -> Read<Vec<IndexExpr>> {
        self.each(forms, Reader::index)
    }

    fn index_atom(&self, word: &str) -> IndexExpr {
        word.parse().map_or_else(|_| IndexExpr::Variable(name(word)), IndexExpr::Constant)
    }

    fn index_call(&self, form: &SExpression) -> Read<IndexExpr> {
        let (word, rest) = self.call(form, "an integer expression such as `(- N 1)`")?;
        match word {
            "+" => Ok(IndexExpr::Sum(self.operands(form, rest)?)),
            "*" => Ok(IndexExpr::Product(self.operands(form, rest)?)),
            "min" => Ok(IndexExpr::Min(self.operands(form, rest)?)),
            "max" => Ok(IndexExpr::Max(self.operands(form, rest)?)),
            "-" => self.difference(form, rest),
            "floor" => self.division(form, rest, "(floor A N)").map(|(a, n)| IndexExpr::Floor(a, n)),
            "ceil" => self.division(form, rest, "(ceil A N)").map(|(a, n)| IndexExpr::Ceil(a, n)),
            "mod" => self.division(form, rest, "(mod A N)").map(|(a, n)| IndexExpr::Modulo(a, n)),
            _ => self.unknown(form, "an integer operation", &INDEX_WORDS),
        }
    }

    fn operands(&self, form: &SExpression, rest: &[SExpression]) -> Read<Vec<IndexExpr>> {
        match rest {
            [] => self.expected(form, "at least one operand"),
            _ => self.indices(rest),
        }
    }

    fn difference(&self, form: &SExpression, rest: &[SExpression]) -> Read<IndexExpr> {
        if let [only] = rest {
            return Ok(IndexExpr::Product(vec![IndexExpr::Constant(-1), self.index(only)?]));
        }
        let [a, b] = self.exactly(form, rest, "(- A B)")?;
        Ok(IndexExpr::Difference(Box::new(self.index(a)?), Box::new(self.index(b)?)))
    }

    fn division(&self, form: &SExpression, rest: &[SExpression], usage: &str) -> Read<(Box<IndexExpr>, i64)> {
        let [part, divisor] = self.exactly(form, rest, usage)?;
        Ok((Box::new(self.index(part)?), self.integer(divisor)?))
    }

    /// `(>= a b)` and its kin.
    pub fn condition(&self, form: &SExpression) -> Read<Condition> {
        let (word, rest) = self.call(form, "a condition such as `(>= k 1)`")?;
        let Some(comparison) = Comparison::from_keyword(word) else {
            return self.unknown(form, "a comparison", &Comparison::ALL.map(|(_, word)| word));
        };
        let [left, right] = self.exactly(form, rest, &format!("({word} A B)"))?;
        Ok(Condition { comparison, left: self.index(left)?, right: self.index(right)? })
    }

    /// A scalar expression over registers.
    pub fn scalar(&self, form: &SExpression) -> Read<ScalarExpr> {
        if let Some(word) = form.atom() {
            return Ok(word.parse().map_or_else(|_| ScalarExpr::Register(name(word)), ScalarExpr::Number));
        }
        let (word, rest) = self.call(form, "a scalar expression such as `(mul A B)`")?;
        if word == "index" {
            let [value] = self.exactly(form, rest, "(index E)")?;
            return Ok(ScalarExpr::Index(self.index(value)?));
        }
        if word == "call" || word == "call-onto" {
            return self.leaf_call(form, word, rest);
        }
        let function = self.function(form, word, rest, &["index", "call", "call-onto"])?;
        Ok(ScalarExpr::Apply(function, self.each(rest, Reader::scalar)?))
    }

    /// `(call f (at i j) a b ..)`, `(call-onto c f (at i j) a b ..)`.
    fn leaf_call(&self, form: &SExpression, word: &str, rest: &[SExpression]) -> Read<ScalarExpr> {
        let (onto, rest) = match rest {
            [onto, rest @ ..] if word == "call-onto" => (Some(Box::new(self.scalar(onto)?)), rest),
            _ => (None, rest),
        };
        let [leaf, at, arguments @ ..] = rest else {
            return self.expected(form, "`(call LEAF (at E ..) TILE ..)` or `(call-onto TILE LEAF (at E ..) TILE ..)`");
        };
        let at = self.call_of(at, "at", "`(at E ..)`")?;
        Ok(ScalarExpr::Call {
            leaf: self.name(leaf, "the name of a leaf")?,
            onto,
            at: self.indices(at)?,
            arguments: self.each(arguments, Reader::scalar)?,
        })
    }

    /// The function that `word` names, where it has as many operands as it takes; `others` are words that may stand there too.
    pub fn function(
        &self,
        form: &SExpression,
        word: &str,
        operands: &[SExpression],
        others: &[&str],
    ) -> Read<Function> {
        let Some(function) = Function::from_keyword(word) else {
            let known = Function::ALL.iter().map(|function| function.keyword()).chain(others.iter().copied());
            return self.unknown(form, "a scalar function", &known.collect::<Vec<_>>());
        };
        match operands.len() == function.arity() {
            true => Ok(function),
            false => self.expected(form, &format!("{} operands of `{word}`", function.arity())),
        }
    }
}
