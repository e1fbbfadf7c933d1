//! Integer expressions of a program: building them, and their values.
//!
//! In: an [`IndexExpr`] and the values of its variables. Out: its value, or `None` where a variable has no value or the
//! value does not fit 64 bits; nothing wraps around.

use super::{Comparison, Condition, IndexExpr};
use systole_base::integer::{Affine, Bindings, Name};

impl IndexExpr {
    /// The variable `name`.
    pub fn variable(name: &Name) -> IndexExpr {
        IndexExpr::Variable(name.clone())
    }

    /// A linear form in the fewest words: `k`, `(- M 1)`, `(+ p0 (* 2 k) -1)`.
    pub fn affine(form: &Affine) -> IndexExpr {
        let mut terms: Vec<(i64, Option<&Name>)> =
            form.terms().map(|(name, coefficient)| (coefficient, Some(name))).collect();
        terms.sort_by_key(|(coefficient, _)| *coefficient < 0);
        if form.constant_term() != 0 || terms.is_empty() {
            terms.push((form.constant_term(), None));
        }
        match terms.as_slice() {
            [only] => IndexExpr::term(*only),
            [first, second] if first.0 > 0 && second.0 < 0 && second.0 > i64::MIN => {
                let subtrahend = IndexExpr::term((-second.0, second.1));
                IndexExpr::Difference(Box::new(IndexExpr::term(*first)), Box::new(subtrahend))
            }
            _ => IndexExpr::Sum(terms.into_iter().map(IndexExpr::term).collect()),
        }
    }

    fn term((coefficient, name): (i64, Option<&Name>)) -> IndexExpr {
        match name {
            None => IndexExpr::Constant(coefficient),
            Some(name) if coefficient == 1 => IndexExpr::variable(name),
            Some(name) => IndexExpr::Product(vec![IndexExpr::Constant(coefficient), IndexExpr::variable(name)]),
        }
    }

    /// The expression as a linear form; `None` where it is none, or a coefficient does not fit 64 bits.
    pub fn as_affine(&self) -> Option<Affine> {
        match self {
            IndexExpr::Constant(value) => Some(Affine::constant(*value)),
            IndexExpr::Variable(name) => Some(Affine::variable(name)),
            IndexExpr::Sum(parts) => {
                parts.iter().try_fold(Affine::default(), |sum, part| sum.combine(1, &part.as_affine()?, 1))
            }
            IndexExpr::Difference(a, b) => a.as_affine()?.combine(1, &b.as_affine()?, -1),
            IndexExpr::Product(parts) => parts.iter().try_fold(Affine::constant(1), |product, part| {
                let part = part.as_affine()?;
                match (product.is_constant(), part.is_constant()) {
                    (true, _) => part.combine(product.constant_term(), &Affine::default(), 1),
                    (_, true) => product.combine(part.constant_term(), &Affine::default(), 1),
                    _ => None,
                }
            }),
            _ => None,
        }
    }

    /// The value under `bindings`; `None` where a variable has none, a divisor is not positive, a minimum is over
    /// nothing, or the value does not fit 64 bits.
    pub fn evaluate(&self, bindings: &Bindings) -> Option<i64> {
        let fold = |parts: &[IndexExpr], join: fn(i64, i64) -> Option<i64>| -> Option<Option<i64>> {
            parts.iter().try_fold(None, |joined: Option<i64>, part| {
                let value = part.evaluate(bindings)?;
                joined.map_or(Some(value), |joined| join(joined, value)).map(Some)
            })
        };
        match self {
            IndexExpr::Constant(value) => Some(*value),
            IndexExpr::Variable(name) => bindings.get(name).copied(),
            IndexExpr::Sum(parts) => Some(fold(parts, i64::checked_add)?.unwrap_or(0)),
            IndexExpr::Difference(a, b) => a.evaluate(bindings)?.checked_sub(b.evaluate(bindings)?),
            IndexExpr::Product(parts) => Some(fold(parts, i64::checked_mul)?.unwrap_or(1)),
            IndexExpr::Floor(part, divisor) => floor_division(part.evaluate(bindings)?, *divisor),
            IndexExpr::Ceil(part, divisor) => ceil_division(part.evaluate(bindings)?, *divisor),
            IndexExpr::Modulo(part, divisor) => remainder(part.evaluate(bindings)?, *divisor),
            IndexExpr::Min(parts) => fold(parts, |one, other| Some(one.min(other)))?,
            IndexExpr::Max(parts) => fold(parts, |one, other| Some(one.max(other)))?,
        }
    }

    /// The direct parts, none for a literal or a variable.
    pub fn parts(&self) -> Vec<&IndexExpr> {
        match self {
            IndexExpr::Constant(_) | IndexExpr::Variable(_) => vec![],
            IndexExpr::Difference(a, b) => vec![a, b],
            IndexExpr::Floor(part, _) | IndexExpr::Ceil(part, _) | IndexExpr::Modulo(part, _) => vec![part],
            IndexExpr::Sum(parts) | IndexExpr::Product(parts) | IndexExpr::Min(parts) | IndexExpr::Max(parts) => {
                parts.iter().collect()
            }
        }
    }
}

impl From<i64> for IndexExpr {
    fn from(value: i64) -> IndexExpr {
        IndexExpr::Constant(value)
    }
}

/// `value / divisor` rounded down, for a positive divisor.
pub fn floor_division(value: i64, divisor: i64) -> Option<i64> {
    (divisor > 0).then(|| value.div_euclid(divisor))
}

/// `value / divisor` rounded up, for a positive divisor.
pub fn ceil_division(value: i64, divisor: i64) -> Option<i64> {
    floor_division(value, divisor)?.checked_add(i64::from(remainder(value, divisor)? > 0))
}

/// `value` modulo a positive divisor, in `0..divisor`.
pub fn remainder(value: i64, divisor: i64) -> Option<i64> {
    (divisor > 0).then(|| value.rem_euclid(divisor))
}

impl Comparison {
    /// All comparisons with the words for them.
    pub const ALL: [(Comparison, &'static str); 3] =
        [(Comparison::Equal, "="), (Comparison::AtLeast, ">="), (Comparison::AtMost, "<=")];

    /// The word for it.
    pub fn keyword(self) -> &'static str {
        Comparison::ALL.iter().find(|(comparison, _)| *comparison == self).map_or("", |(_, word)| word)
    }

    /// The comparison that `word` names.
    pub fn from_keyword(word: &str) -> Option<Comparison> {
        Comparison::ALL.iter().find(|(_, known)| *known == word).map(|(comparison, _)| *comparison)
    }

    /// Whether it holds between two values.
    pub fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Comparison::Equal => left == right,
            Comparison::AtLeast => left >= right,
            Comparison::AtMost => left <= right,
        }
    }
}

impl Condition {
    /// Whether it holds under `bindings`; `None` where a side has no value.
    pub fn holds(&self, bindings: &Bindings) -> Option<bool> {
        Some(self.comparison.holds(self.left.evaluate(bindings)?, self.right.evaluate(bindings)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use systole_base::integer::name;

    #[test]
    fn division_rounds_as_the_words_say() {
        for value in -20..20 {
            for divisor in 1..6 {
                let exact = value as f64 / divisor as f64;
                assert_eq!(floor_division(value, divisor), Some(exact.floor() as i64));
                assert_eq!(ceil_division(value, divisor), Some(exact.ceil() as i64));
                assert_eq!(remainder(value, divisor), Some(value - divisor * exact.floor() as i64));
            }
        }
        assert_eq!(floor_division(1, 0), None);
        assert_eq!(ceil_division(i64::MAX, 1), Some(i64::MAX));
    }

    #[test]
    fn linear_forms_are_written_in_the_fewest_words() {
        let variable = |text: &str| Affine::variable(&name(text));
        let show = |form: &Affine| IndexExpr::affine(form).to_string();
        assert_eq!(show(&variable("k")), "k");
        assert_eq!(show(&Affine::constant(-3)), "-3");
        assert_eq!(show(&(variable("M") - Affine::constant(1))), "(- M 1)");
        assert_eq!(show(&(variable("p0") + variable("k") * 2 - Affine::constant(1))), "(+ (* 2 k) p0 -1)");
        assert_eq!(show(&(variable("N") - variable("K") * 2)), "(- N (* 2 K))");
        assert_eq!(show(&-variable("N")), "(* -1 N)");
    }

    #[test]
    fn values_that_do_not_fit_are_none() {
        let sizes = Bindings::from([(name("N"), i64::MAX)]);
        let n = IndexExpr::variable(&name("N"));
        assert_eq!(IndexExpr::Sum(vec![n.clone(), 1.into()]).evaluate(&sizes), None);
        assert_eq!(IndexExpr::Product(vec![n.clone(), 2.into()]).evaluate(&sizes), None);
        assert_eq!(IndexExpr::variable(&name("M")).evaluate(&sizes), None);
        assert_eq!(IndexExpr::Min(vec![n, 4.into()]).evaluate(&sizes), Some(4));
    }
}
