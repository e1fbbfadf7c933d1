//! The numbers of a trial: what elements hold, and what is computed with them.
//!
//! Floating-point numbers for laws that hold exactly; for the others reals, as far as they can be had: what is not defined over the
//! reals, such as a quotient by 0, is undefined here too, and what is too large for a number leaves the trial undecided. Laws that hold for
//! infinite values as well are tried on reals with both infinities: what IEEE has no number for, such as `infinity 0`, is undefined, and
//! the logarithm of 0 is `-infinity`.
//! A reduction is the collection of what it combines: it becomes one number where a scalar function takes it, in an order that
//! depends on the numbers alone. So two sides that differ in the order of their reductions only have the same bits.

use crate::check::instances::mixed_text;
use crate::rewrite::rules::Tag;
use std::cell::Cell;
use std::collections::BTreeMap;
use systole_base::scalar::Function;
use systole_equations::recurrence::Operator;

/// Beyond this a value says nothing about the law any more.
const HUGE: f64 = 1e100;

/// How far apart values of a law over the reals may be, relative to the largest number on the way to them.
const CLOSE: f64 = 1e-9;

/// The functions that pass infinities on; the logarithm of 0 is one as well.
const PASS_ON: [Function; 8] = [
    Function::Maximum,
    Function::Minimum,
    Function::Add,
    Function::Subtract,
    Function::Negate,
    Function::Absolute,
    Function::Select,
    Function::Logarithm,
];

/// What a field has at a point. What depends on an undefined value is undefined.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::check) enum Value {
    Undefined,
    Number(f64),
    Terms(Operator, Vec<f64>),
}

/// Which numbers elements hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::check) enum Palette {
    /// Integers from -4 to 4.
    Integers,
    /// Fractions with rounding.
    Fractions,
    /// Both zeros, infinities, what is not a number, and fractions.
    Special,
    /// Quarters between -4 and 4, often 0 or 1.
    Quarters,
    /// Quarters between 1/4 and 4.
    Positive,
    /// Quarters between -4 and 4 but 0.
    Nonzero,
    /// Quarters among infinities, most of them `-infinity` as masks are, what is not a number, zeros of both signs, the least and large numbers.
    Infinite,
}

/// Elements, by tensor and subscripts, with what they hold.
pub(in crate::check) type Seen = BTreeMap<(String, Vec<i64>), f64>;

/// What the elements of tensors hold.
#[derive(Clone, Debug)]
pub(in crate::check) struct Elements {
    pub seed: u64,
    pub palette: Palette,
    /// Elements that hold something else.
    pub fixed: Seen,
}

/// Whatever holds elements.
pub(in crate::check) trait Tensors {
    /// What an element holds, always the same.
    fn element(&self, tensor: &str, subscripts: &[i64]) -> f64;
}

impl<F: Fn(&str, &[i64]) -> f64> Tensors for F {
    fn element(&self, tensor: &str, subscripts: &[i64]) -> f64 {
        self(tensor, subscripts)
    }
}

impl Tensors for Elements {
    /// A number that depends on the tensor and the element only.
    fn element(&self, tensor: &str, subscripts: &[i64]) -> f64 {
        if let Some(value) = self.fixed.get(&(tensor.to_owned(), subscripts.to_vec())) {
            return *value;
        }
        let start = mixed_text(self.seed, tensor);
        let bits = subscripts.iter().fold(start, |state, subscript| mixed_text(state, &subscript.to_string()));
        self.palette.number(bits)
    }
}

impl Palette {
    /// The palettes for a law, which take turns.
    pub fn of(tag: Tag, law: &str) -> &'static [Palette] {
        match tag {
            Tag::Exact => &[Palette::Fractions, Palette::Special, Palette::Integers],
            Tag::Real => &[Palette::Quarters, Palette::Infinite, Palette::Positive, Palette::Infinite],
            Tag::Finite => &[Palette::Quarters, Palette::Positive, Palette::Quarters],
            Tag::Assume if law.contains("positive") || law.contains("negative") => &[Palette::Positive],
            Tag::Assume => &[Palette::Nonzero, Palette::Positive],
        }
    }

    /// One of its numbers.
    pub fn number(self, bits: u64) -> f64 {
        let integer = |least: i64, greatest: i64| least + (bits >> 8).rem_euclid((greatest - least + 1) as u64) as i64;
        match self {
            Palette::Integers => integer(-4, 4) as f64,
            Palette::Fractions => (bits >> 12) as f64 / (1u64 << 49) as f64 - 4.0,
            Palette::Special => special(bits),
            Palette::Infinite => infinite(bits).unwrap_or_else(|| Palette::Quarters.number(bits)),
            Palette::Quarters if bits.is_multiple_of(4) => integer(-1, 1) as f64,
            Palette::Quarters => integer(-16, 16) as f64 / 4.0,
            Palette::Positive => integer(1, 16) as f64 / 4.0,
            Palette::Nonzero => integer(1, 16) as f64 / if bits.is_multiple_of(2) { 4.0 } else { -4.0 },
        }
    }
}

/// No number is so large that a product of a few is none; overflow says nothing of a law over the reals.
fn infinite(bits: u64) -> Option<f64> {
    let rare = [f64::NAN, -0.0, 5e-324, -1e90, 1e30, f64::INFINITY, f64::INFINITY, f64::INFINITY];
    match (bits >> 40) % 16 {
        0..=4 => Some(f64::NEG_INFINITY),
        5 | 6 => rare.get(usize::try_from((bits >> 48) % 8).unwrap_or(0)).copied(),
        _ => None,
    }
}

/// Whether a value is so near 0 that it has lost digits. `1` times such a number has not, nor has a product of 0.
fn loses_digits(function: Function, numbers: &[f64], value: f64) -> bool {
    let is_right = match (function, numbers) {
        (Function::Multiply, [a, b]) => *a == 0.0 || *b == 0.0 || (value / b == *a && value / a == *b),
        (Function::Divide, [a, b]) => *a == 0.0 || value * b == *a,
        (Function::Power, [a, _]) => *a == 0.0,
        (Function::Exponential | Function::Reciprocal, _) => false,
        _ => true,
    };
    !is_right && value.abs() < f64::MIN_POSITIVE
}

fn special(bits: u64) -> f64 {
    let some =
        [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.1, -0.3, 1e-300, 1e300, 5e-324, f64::MAX];
    let at = usize::try_from((bits >> 8) % (some.len() as u64 + 4)).unwrap_or(0);
    some.get(at).copied().unwrap_or_else(|| Palette::Fractions.number(bits))
}

/// A way to compute, and what was met on the way.
pub(in crate::check) struct Arithmetic {
    reals: bool,
    /// Whether infinities are values too.
    extended: bool,
    /// Whether an infinity came from something else than maxima, minima and sums, such as a product.
    made: Cell<bool>,
    /// The largest magnitude so far.
    scale: Cell<f64>,
    /// Whether something was too large, or a comparison too near to be decided.
    undecided: Cell<bool>,
}

impl Arithmetic {
    /// The arithmetic in which a law of this tag holds, on these numbers.
    pub fn of(tag: Tag, palette: Palette) -> Arithmetic {
        let reals = tag != Tag::Exact;
        let extended = reals && palette == Palette::Infinite;
        Arithmetic { reals, extended, made: Cell::new(false), scale: Cell::new(1.0), undecided: Cell::new(false) }
    }

    /// Whether infinities are values too.
    pub fn is_extended(&self) -> bool {
        self.extended
    }

    /// Whether a law says something of the right side where this, which was computed so far, is the left one: over the reals always; of
    /// infinite values where it is finite, or an infinity that maxima, minima and sums have passed on.
    pub fn promises(&self, left: Option<f64>) -> bool {
        !self.extended || left.is_some_and(|left| left.is_finite() || !self.made.get())
    }

    /// Whether numbers came up that say nothing about the law.
    pub fn is_undecided(&self) -> bool {
        self.undecided.get()
    }

    /// An element; over the reals what is not a number is undefined.
    pub fn element(&self, number: f64) -> Option<f64> {
        self.number(Value::Number(number))
    }

    /// A value as one number; `None` where it is undefined.
    pub fn number(&self, value: Value) -> Option<f64> {
        match value {
            Value::Undefined => None,
            Value::Number(number) if self.reals && number.is_nan() => None,
            Value::Number(number) => Some(self.seen(number)),
            Value::Terms(operator, mut terms) => {
                terms.sort_by(f64::total_cmp);
                let mut left = terms.into_iter();
                let Some(first) = left.next() else { return Some(operator.neutral()) };
                left.try_fold(first, |all, term| self.function(operator.function(), &[all, term]))
            }
        }
    }

    fn seen(&self, number: f64) -> f64 {
        if self.reals && number.is_finite() {
            self.scale.set(self.scale.get().max(number.abs()));
            self.undecided.set(self.undecided.get() || number.abs() > HUGE);
        }
        number
    }

    /// A scalar function of its arguments.
    pub fn apply(&self, function: Function, arguments: Vec<Value>) -> Value {
        let numbers: Vec<Option<f64>> = arguments.into_iter().map(|value| self.number(value)).collect();
        let chosen = match (function, numbers.as_slice()) {
            // Only the value that is chosen has to be defined.
            (Function::Select, [condition, one, other]) => condition.and_then(|c| if c == 0.0 { *other } else { *one }),
            _ => {
                numbers.into_iter().collect::<Option<Vec<f64>>>().and_then(|numbers| self.function(function, &numbers))
            }
        };
        chosen.map_or(Value::Undefined, Value::Number)
    }

    fn function(&self, function: Function, numbers: &[f64]) -> Option<f64> {
        let value = if self.reals { self.over_the_reals(function, numbers)? } else { function.apply(numbers) };
        Some(self.seen(value))
    }

    fn over_the_reals(&self, function: Function, numbers: &[f64]) -> Option<f64> {
        let is_defined = match (function, numbers) {
            (Function::Divide, [_, b]) => *b != 0.0,
            (Function::Reciprocal, [a]) => *a != 0.0,
            (Function::Logarithm, [a]) if self.extended && *a == 0.0 => a.is_sign_positive(),
            (Function::Logarithm, [a]) => *a > 0.0,
            (Function::SquareRoot, [a]) => *a >= 0.0,
            (Function::Power, [a, b]) => *a > 0.0 || (b.fract() == 0.0 && (*b >= 0.0 || *a != 0.0)),
            _ => true,
        };
        if let (Function::Less | Function::LessEqual | Function::Equal | Function::NotEqual, [a, b]) =
            (function, numbers)
        {
            let near = a != b && (a - b).abs() <= 1e-12 * self.scale.get();
            self.undecided.set(self.undecided.get() || near);
        }
        let value = function.apply(numbers);
        let is_finite = numbers.iter().all(|number| number.is_finite());
        let overflows = is_defined && value.is_infinite() && is_finite && function != Function::Logarithm;
        let underflows = is_finite && loses_digits(function, numbers, value);
        self.undecided.set(self.undecided.get() || overflows || underflows);
        self.made.set(self.made.get() || value.is_infinite() && !PASS_ON.contains(&function));
        Some(value).filter(|value| is_defined && !value.is_nan())
    }

    /// Two values by an operator: their terms together.
    pub fn combine(&self, operator: Operator, values: impl IntoIterator<Item = Value>) -> Value {
        let mut all = vec![];
        for value in values {
            match value {
                Value::Terms(known, terms) if known == operator => all.extend(terms),
                value => match self.number(value) {
                    Some(number) => all.push(number),
                    None => return Value::Undefined,
                },
            }
        }
        Value::Terms(operator, all)
    }

    /// Whether two values are one, as far as the tag of the law says.
    pub fn agree(&self, one: Option<f64>, other: Option<f64>) -> bool {
        let (Some(one), Some(other)) = (one, other) else { return one == other };
        let same = one.to_bits() == other.to_bits() || (one.is_nan() && other.is_nan());
        let near = || one == other || (one - other).abs() <= CLOSE * self.scale.get();
        same || (self.reals && near())
    }
}
