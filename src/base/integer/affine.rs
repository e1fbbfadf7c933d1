//! Linear forms with integer coefficients over named variables, such as `i + 2*j - N + 1`.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};
use std::sync::Arc;

/// A variable, tensor, kernel or parameter name.
pub type Name = Arc<str>;

/// A [`Name`] from text.
pub fn name(text: &str) -> Name {
    Arc::from(text)
}

/// `wanted`, with underscores while it is one of `taken`.
pub fn unused<'a>(wanted: &str, taken: impl IntoIterator<Item = &'a Name>) -> Name {
    let taken: Vec<&Name> = taken.into_iter().collect();
    let mut text = wanted.to_owned();
    while taken.iter().any(|name| ***name == *text) {
        text.push('_');
    }
    name(&text)
}

/// Values of variables.
pub type Bindings = BTreeMap<Name, i64>;

/// A linear form: a sum of integer multiples of variables and a constant. Zero coefficients are never stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Affine {
    coefficients: BTreeMap<Name, i64>,
    constant: i64,
}

impl Affine {
    /// The constant `value`.
    pub fn constant(value: i64) -> Affine {
        Affine { coefficients: BTreeMap::new(), constant: value }
    }

    /// The variable `name`.
    pub fn variable(name: &Name) -> Affine {
        Affine::term(name, 1)
    }

    /// `coefficient * name`.
    pub fn term(name: &Name, coefficient: i64) -> Affine {
        let mut form = Affine::default();
        form.add_term(name, coefficient);
        form
    }

    /// The form with these coefficients, in the order of `names`, and no constant.
    pub fn from_row(names: &[Name], row: &[i64]) -> Affine {
        let mut form = Affine::default();
        names.iter().zip(row).for_each(|(name, coefficient)| form.add_term(name, *coefficient));
        form
    }

    /// Adds `coefficient * name` in place.
    pub fn add_term(&mut self, name: &Name, coefficient: i64) {
        let entry = self.coefficients.entry(Arc::clone(name)).or_insert(0);
        *entry += coefficient;
        if *entry == 0 {
            self.coefficients.remove(name);
        }
    }

    /// The coefficient of `name`, 0 where it does not occur.
    pub fn coefficient(&self, name: &str) -> i64 {
        self.coefficients.get(name).copied().unwrap_or(0)
    }

    /// The constant term.
    pub fn constant_term(&self) -> i64 {
        self.constant
    }

    /// The variables that occur, with their coefficients, sorted by name.
    pub fn terms(&self) -> impl Iterator<Item = (&Name, i64)> {
        self.coefficients.iter().map(|(name, coefficient)| (name, *coefficient))
    }

    /// The coefficients of `names`, in their order.
    pub fn row(&self, names: &[Name]) -> Vec<i64> {
        names.iter().map(|name| self.coefficient(name)).collect()
    }

    /// Whether no variable occurs.
    pub fn is_constant(&self) -> bool {
        self.coefficients.is_empty()
    }

    /// The single variable this form consists of, if it is one.
    pub fn as_variable(&self) -> Option<&Name> {
        let (name, coefficient) = self.coefficients.iter().next()?;
        (self.constant == 0 && *coefficient == 1 && self.coefficients.len() == 1).then_some(name)
    }

    /// Whether the two differ by a constant.
    pub fn is_parallel(&self, other: &Affine) -> bool {
        self.coefficients == other.coefficients
    }

    /// Whether any of `names` occurs.
    pub fn mentions<'a>(&self, names: impl IntoIterator<Item = &'a Name>) -> bool {
        names.into_iter().any(|name| self.coefficients.contains_key(name))
    }

    /// Each variable that `image` knows is replaced by its image.
    pub fn substitute(&self, image: &BTreeMap<Name, Affine>) -> Affine {
        let mut result = Affine::constant(self.constant);
        for (name, coefficient) in &self.coefficients {
            match image.get(name) {
                Some(form) => result = result + form.clone() * *coefficient,
                None => result.add_term(name, *coefficient),
            }
        }
        result
    }

    /// Each variable renamed.
    pub fn rename(&self, new_name: impl Fn(&Name) -> Name) -> Affine {
        let mut result = Affine::constant(self.constant);
        self.terms().for_each(|(name, coefficient)| result.add_term(&new_name(name), coefficient));
        result
    }

    /// The value under `bindings`; `None` where a variable has none or the value does not fit 64 bits.
    pub fn evaluate(&self, bindings: &Bindings) -> Option<i64> {
        self.coefficients.iter().try_fold(self.constant, |sum, (name, coefficient)| {
            sum.checked_add(coefficient.checked_mul(*bindings.get(name)?)?)
        })
    }

    /// `self * factor + other * other_factor`, `None` where a number of it exceeds 2^60.
    pub fn combine(&self, factor: i64, other: &Affine, other_factor: i64) -> Option<Affine> {
        let mix = |a: i64, b: i64| {
            let value = i128::from(a) * i128::from(factor) + i128::from(b) * i128::from(other_factor);
            i64::try_from(value).ok().filter(|value| value.unsigned_abs() <= 1 << 60)
        };
        let mut result = Affine::constant(mix(self.constant, other.constant)?);
        for name in self.coefficients.keys().chain(other.coefficients.keys()) {
            let value = mix(self.coefficient(name), other.coefficient(name))?;
            if value != 0 {
                result.coefficients.insert(Arc::clone(name), value);
            }
        }
        Some(result)
    }

    /// No less than the form wherever each variable is at least 1: one that is taken off is taken off as 1.
    pub fn rising(&self) -> Affine {
        let mut rising = Affine::constant(self.constant);
        for (name, times) in self.terms() {
            match times > 0 {
                true => rising.add_term(name, times),
                false => rising.constant += times,
            }
        }
        rising
    }

    /// No less than the form, and no less than `least`, wherever each variable is at least 1.
    pub fn rising_from(&self, least: i64) -> Affine {
        let rising = self.rising();
        let lowest = rising.terms().map(|(_, times)| times).sum::<i64>() + rising.constant;
        rising + Affine::constant((least - lowest).max(0))
    }

    /// What orders forms: those of fewer variables first, then of smaller coefficients, then of a smaller constant.
    pub fn plainness(&self) -> (usize, i64, i64) {
        (self.coefficients.len(), self.coefficients.values().sum(), self.constant)
    }

    /// The greatest common divisor of the coefficients, 0 where there are none.
    pub fn content(&self) -> i64 {
        self.coefficients.values().fold(0, |divisor, coefficient| super::gcd(divisor, *coefficient))
    }
}

impl Add for Affine {
    type Output = Affine;
    fn add(mut self, other: Affine) -> Affine {
        self.constant += other.constant;
        other.coefficients.iter().for_each(|(name, coefficient)| self.add_term(name, *coefficient));
        self
    }
}

impl Neg for Affine {
    type Output = Affine;
    fn neg(self) -> Affine {
        self * -1
    }
}

impl Sub for Affine {
    type Output = Affine;
    fn sub(self, other: Affine) -> Affine {
        self + -other
    }
}

impl Mul<i64> for Affine {
    type Output = Affine;
    fn mul(mut self, factor: i64) -> Affine {
        if factor == 0 {
            return Affine::default();
        }
        self.coefficients.values_mut().for_each(|coefficient| *coefficient *= factor);
        self.constant *= factor;
        self
    }
}

impl From<i64> for Affine {
    fn from(value: i64) -> Affine {
        Affine::constant(value)
    }
}

impl fmt::Display for Affine {
    /// `i + 2*j - 1`, positive terms first; `0` for the empty form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut terms: Vec<(String, i64)> =
            self.terms().map(|(name, coefficient)| (self.show_term(name, coefficient), coefficient)).collect();
        terms.sort_by_key(|(_, coefficient)| *coefficient < 0);
        if self.constant != 0 || terms.is_empty() {
            terms.push((self.constant.unsigned_abs().to_string(), self.constant));
        }
        for (position, (text, coefficient)) in terms.iter().enumerate() {
            f.write_str(match (position, *coefficient < 0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            })?;
            f.write_str(text)?;
        }
        Ok(())
    }
}

impl Affine {
    /// The form without blanks around signs: `i+2*j-1`.
    pub fn compact(&self) -> String {
        self.to_string().replace(" + ", "+").replace(" - ", "-")
    }

    /// One term without its sign. A name of several words, such as `i mod 16`, has brackets where it does not stand alone.
    fn show_term(&self, name: &Name, coefficient: i64) -> String {
        let is_alone = self.constant == 0 && coefficient == 1 && self.terms().count() == 1;
        let name = if is_alone || !name.contains(' ') { name.to_string() } else { format!("({name})") };
        match coefficient.unsigned_abs() {
            1 => name,
            magnitude => format!("{magnitude}*{name}"),
        }
    }
}
