//! Linear forms with integer coefficients over named variables, such as `i + 2*j - N + 1`.

use super::Name;
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

/// Values of variables.
pub type Bindings = BTreeMap<Name, i64>;

/// A linear form: a sum of integer multiples of variables and a constant. Zero coefficients are never stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Affine {
    /// Sorted by name. Most forms have few, which lie in the form itself.
    coefficients: SmallVec<[(Name, i64); 4]>,
    constant: i64,
}

impl Affine {
    /// The constant `value`.
    pub fn constant(value: i64) -> Affine {
        Affine { coefficients: SmallVec::new(), constant: value }
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
        match self.position(name) {
            Ok(at) => {
                self.coefficients[at].1 += coefficient;
                if self.coefficients[at].1 == 0 {
                    self.coefficients.remove(at);
                }
            }
            Err(at) if coefficient != 0 => self.coefficients.insert(at, (name.clone(), coefficient)),
            Err(_) => {}
        }
    }

    /// Where a name stands, or where it would.
    fn position(&self, name: &Name) -> Result<usize, usize> {
        match self.coefficients.iter().position(|(other, _)| other >= name) {
            Some(at) if self.coefficients[at].0 == *name => Ok(at),
            Some(at) => Err(at),
            None => Err(self.coefficients.len()),
        }
    }

    /// The coefficient of `name`, 0 where it does not occur.
    pub fn coefficient(&self, name: &Name) -> i64 {
        self.terms().find(|(other, _)| *other == name).map_or(0, |(_, coefficient)| coefficient)
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
        let (name, coefficient) = self.coefficients.first()?;
        (self.constant == 0 && *coefficient == 1 && self.coefficients.len() == 1).then_some(name)
    }

    /// Whether the two differ by a constant.
    pub fn is_parallel(&self, other: &Affine) -> bool {
        self.coefficients == other.coefficients
    }

    /// Whether any of `names` occurs.
    pub fn mentions<'a>(&self, names: impl IntoIterator<Item = &'a Name>) -> bool {
        names.into_iter().any(|name| self.position(name).is_ok())
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
        let mut result = Affine::constant(mix((self.constant, factor), (other.constant, other_factor))?);
        for (name, mine, others) in merged(&self.coefficients, &other.coefficients) {
            let value = mix((mine, factor), (others, other_factor))?;
            if value != 0 {
                result.coefficients.push((name.clone(), value));
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
        (self.coefficients.len(), self.terms().map(|(_, coefficient)| coefficient).sum(), self.constant)
    }

    /// The greatest common divisor of the coefficients, 0 where there are none.
    pub fn content(&self) -> i64 {
        self.terms().fold(0, |divisor, (_, coefficient)| super::gcd(divisor, coefficient))
    }
}

/// `a * factor + b * other_factor`, `None` where it exceeds 2^60.
pub(super) fn mix((a, factor): (i64, i64), (b, other_factor): (i64, i64)) -> Option<i64> {
    let value = i128::from(a) * i128::from(factor) + i128::from(b) * i128::from(other_factor);
    i64::try_from(value).ok().filter(|value| value.unsigned_abs() <= 1 << 60)
}

/// The names of two sorted lists, sorted, each with its coefficient in either.
fn merged<'a>(one: &'a [(Name, i64)], other: &'a [(Name, i64)]) -> impl Iterator<Item = (&'a Name, i64, i64)> {
    let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
    std::iter::from_fn(move || {
        let order = match (one.peek(), other.peek()) {
            (Some((mine, _)), Some((theirs, _))) => mine.cmp(theirs),
            (Some(_), None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        let mine = if order.is_le() { one.next() } else { None };
        let theirs = if order.is_ge() { other.next() } else { None };
        let coefficient = |term: Option<&(Name, i64)>| term.map_or(0, |(_, coefficient)| *coefficient);
        mine.or(theirs).map(|(name, _)| (name, coefficient(mine), coefficient(theirs)))
    })
}

impl Add for Affine {
    type Output = Affine;
    fn add(mut self, other: Affine) -> Affine {
        self.constant += other.constant;
        other.terms().for_each(|(name, coefficient)| self.add_term(name, coefficient));
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
        self.coefficients.iter_mut().for_each(|(_, coefficient)| *coefficient *= factor);
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
