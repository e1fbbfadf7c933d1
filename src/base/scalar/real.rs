//! The numbers that elements are: of double precision, or of single.
//!
//! Functions have their meaning in double precision ([`Function::apply`]). In single precision each is applied to the same numbers and its
//! value is rounded. For sums, differences, products, quotients and square roots that is what the processor's own operations give: a
//! double has more than twice the digits of a single and two more, so rounding twice is rounding once (S. A. Figueroa, "When is double
//! rounding innocuous?", SIGNUM Newsletter 30(3), 1995).
//!
//! The larger and the smaller of two are those of IEEE 754-2019, `maximum` and `minimum` (section 9.6), in one place for all that computes.

use super::Function;
use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// How many digits elements have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// 64 bits.
    #[default]
    Double,
    /// 32 bits.
    Single,
}

impl Precision {
    /// All of them.
    pub const ALL: [Precision; 2] = [Precision::Double, Precision::Single];

    /// The word for it, on the command line.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            Precision::Double => "double",
            Precision::Single => "single",
        }
    }

    /// The bytes of an element.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Precision::Double => size_of::<f64>(),
            Precision::Single => size_of::<f32>(),
        }
    }
}

/// A number of some precision.
pub trait Real:
    Copy
    + Debug
    + Default
    + PartialEq
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    /// How many digits it has.
    const PRECISION: Precision;
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// Not a number.
    const NAN: Self;

    /// The nearest to a number.
    fn rounded(value: f64) -> Self;

    /// The same number.
    fn double(self) -> f64;

    /// The larger of two: `maximum` of IEEE 754-2019. What is not a number on either side is none; -0 is less than 0.
    #[must_use]
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        -(-self).smaller(-other)
    }

    /// The smaller of two: `minimum` of IEEE 754-2019. So the order in which numbers are compared shows in no bit.
    #[must_use]
    fn smaller(self, other: Self) -> Self;
}

macro_rules! reals {
    ($($real:ident $precision:ident;)*) => {
        $(impl Real for $real {
            const PRECISION: Precision = Precision::$precision;
            const ZERO: $real = 0.0;
            const ONE: $real = 1.0;
            const NAN: $real = $real::NAN;

            #[inline(always)]
            fn rounded(value: f64) -> $real {
                value as $real
            }

            #[inline(always)]
            fn double(self) -> f64 {
                f64::from(self)
            }

            // Selections alone, so that loops over it become vectors. Of equal numbers only zeros have other bits than each
            // other: together these are a zero with the sign of either.
            #[inline(always)]
            fn smaller(self, other: $real) -> $real {
                let same = $real::from_bits(self.to_bits() | other.to_bits());
                let either = if self == other { same } else { $real::NAN };
                let first = if self < other { self } else { either };
                if other < self { other } else { first }
            }
        })*
    };
}

reals! {
    f64 Double;
    f32 Single;
}

impl Function {
    /// Its value at numbers of some precision; there must be as many as [`Function::arity`] says.
    #[inline(always)]
    pub fn of<R: Real, const COUNT: usize>(self, arguments: [R; COUNT]) -> R {
        R::rounded(self.apply(&arguments.map(R::double)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SPECIAL: [f64; 12] = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        0.0,
        -0.0,
        1.0,
        -1.0,
        1.25,
        f64::from_bits(1),
        -f64::from_bits(1),
        1e-40,
        f64::MAX,
    ];

    /// IEEE 754-2019, section 9.6, word by word.
    fn maximum(a: f64, b: f64) -> f64 {
        match a.partial_cmp(&b) {
            None => f64::NAN,
            Some(std::cmp::Ordering::Less) => b,
            Some(std::cmp::Ordering::Greater) => a,
            Some(std::cmp::Ordering::Equal) if a.is_sign_negative() => b,
            Some(std::cmp::Ordering::Equal) => a,
        }
    }

    fn is_same(a: f64, b: f64) -> bool {
        a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
    }

    fn pairs() -> impl Iterator<Item = (f64, f64)> {
        SPECIAL.into_iter().flat_map(|a| SPECIAL.map(|b| (a, b)))
    }

    #[test]
    fn maximum_and_minimum_are_those_of_the_standard() {
        for (a, b) in pairs() {
            let (greatest, least) = (maximum(a, b), -maximum(-a, -b));
            assert!(is_same(a.larger(b), greatest), "{a} {b}");
            assert!(is_same(a.smaller(b), least), "{a} {b}");
            assert!(
                is_same(Function::Maximum.apply(&[a, b]), greatest) && is_same(Function::Minimum.apply(&[a, b]), least)
            );
            let [x, y] = [a, b].map(f32::rounded);
            assert!(is_same(x.larger(y).double(), maximum(x.double(), y.double())), "{x} {y}");
            assert!(is_same(x.smaller(y).double(), -maximum(-x.double(), -y.double())), "{x} {y}");
        }
    }

    /// Twin: those of `f64::max` depend on the order, which the same comparison sees.
    #[test]
    fn the_order_shows_in_no_bit() {
        let all = || pairs().flat_map(|(a, b)| SPECIAL.map(|c| [a, b, c]));
        let is_one =
            |join: fn(f64, f64) -> f64| all().all(|[a, b, c]| is_same(join(join(a, b), c), join(a, join(c, b))));
        assert!(is_one(f64::larger) && is_one(f64::smaller));
        let loses = |a: f64, b: f64| if a < b { b } else { a };
        assert!(!is_one(loses));
        let is_kept = pairs().all(|(a, b)| is_same(a.max(b), maximum(a, b)));
        assert!(!is_kept);
    }

    proptest! {
        /// What the processor does with singles, bit for bit.
        #[test]
        fn rounding_twice_is_rounding_once(a: f32, b: f32) {
            let found = [Function::Add, Function::Subtract, Function::Multiply, Function::Divide].map(|function| function.of([a, b]));
            for (found, expected) in found.into_iter().zip([a + b, a - b, a * b, a / b]) {
                prop_assert!(found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan()));
            }
            prop_assert_eq!(Function::SquareRoot.of([a.abs()]).to_bits(), a.abs().sqrt().to_bits());
            prop_assert_eq!(Function::Maximum.of([a, b]).to_bits(), a.larger(b).to_bits());
        }
    }
}
