//! Whole numbers of a fixed width, and products of two of them that are exact.
//!
//! Most problems have small numbers, which 64 bits hold. The constants of a kernel, such as blocks of 64, are factors of every pivot
//! though, so a few dozen pivots need some bits more.

use ethnum::I256;
use num_traits::{CheckedNeg, Euclid, PrimInt, Signed};
use std::ops::{Add, Div, Sub};

/// A number of a dictionary.
pub(super) trait Number: PrimInt + Signed + CheckedNeg + Euclid {
    /// Holds a product of two numbers, neither of them the least one, and the difference of two such products.
    type Product: Copy + Ord + Add<Output = Self::Product> + Sub<Output = Self::Product> + Div<Output = Self::Product>;

    fn of(number: i64) -> Self;

    fn widened(self) -> Self::Product;

    fn product(self, other: Self) -> Self::Product;

    /// The number, if it fits.
    fn narrowed(product: Self::Product) -> Option<Self>;
}

impl Number for i64 {
    type Product = i128;

    fn of(number: i64) -> i64 {
        number
    }

    fn widened(self) -> i128 {
        i128::from(self)
    }

    fn product(self, other: i64) -> i128 {
        i128::from(self) * i128::from(other)
    }

    fn narrowed(product: i128) -> Option<i64> {
        i64::try_from(product).ok()
    }
}

impl Number for i128 {
    type Product = I256;

    fn of(number: i64) -> i128 {
        i128::from(number)
    }

    fn widened(self) -> I256 {
        I256::from(self)
    }

    fn product(self, other: i128) -> I256 {
        I256::from(self) * I256::from(other)
    }

    fn narrowed(product: I256) -> Option<i128> {
        i128::try_from(product).ok()
    }
}
