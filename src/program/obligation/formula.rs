//! Quantifier-free formulas over affine forms: what both the solver and brute force read.

use systole_base::integer::{Affine, Bindings};

/// A boolean combination of `form >= 0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// `form >= 0`.
    AtLeastZero(Affine),
    /// All hold.
    All(Vec<Formula>),
    /// At least one holds.
    Any(Vec<Formula>),
    /// It does not hold.
    Not(Box<Formula>),
}

impl Formula {
    /// `a >= b`.
    pub fn at_least(a: &Affine, b: &Affine) -> Formula {
        Formula::AtLeastZero(a.clone() - b.clone())
    }

    /// `a < b`, over the integers.
    pub fn less(a: &Affine, b: &Affine) -> Formula {
        Formula::AtLeastZero(b.clone() - a.clone() - Affine::constant(1))
    }

    /// `a = b`.
    pub fn equal(a: &Affine, b: &Affine) -> Formula {
        Formula::All(vec![Formula::at_least(a, b), Formula::at_least(b, a)])
    }

    /// `a != b`.
    pub fn differ(a: &Affine, b: &Affine) -> Formula {
        Formula::Any(vec![Formula::less(a, b), Formula::less(b, a)])
    }

    /// `a < b`, compared lexicographically.
    pub fn before(a: &[Affine], b: &[Affine]) -> Formula {
        let smaller_at = |level: usize| {
            let equal = (0..level).map(|earlier| Formula::equal(&a[earlier], &b[earlier]));
            Formula::All(equal.chain([Formula::less(&a[level], &b[level])]).collect())
        };
        Formula::Any((0..a.len()).map(smaller_at).collect())
    }

    /// `a = b` in every component.
    pub fn same(a: &[Affine], b: &[Affine]) -> Formula {
        Formula::All(a.iter().zip(b).map(|(x, y)| Formula::equal(x, y)).collect())
    }

    /// The negation.
    pub fn negate(self) -> Formula {
        Formula::Not(Box::new(self))
    }

    /// Whether it holds under `bindings`; `None` where a variable has no value.
    pub fn holds(&self, bindings: &Bindings) -> Option<bool> {
        match self {
            Formula::AtLeastZero(form) => Some(form.evaluate(bindings)? >= 0),
            Formula::All(parts) => parts.iter().try_fold(true, |all, part| Some(all & part.holds(bindings)?)),
            Formula::Any(parts) => parts.iter().try_fold(false, |any, part| Some(any | part.holds(bindings)?)),
            Formula::Not(part) => Some(!part.holds(bindings)?),
        }
    }
}
