//! Whole numbers of a fixed width, and products of two of them that are exact.
//!
//! Most problems have small numbers, which 64 bits hold. The constants of a kernel, such as blocks of 64, are factors of every pivot
//! though, so a few dozen pivots need some bits more.

use ethnum::I256;
use num_traits::{CheckedNeg, Euclid, PrimInt, Signed};
use std::ops::{Add, Div, Mul, Sub};

/// A number of a dictionary.
pub(super) trait Number: PrimInt + Signed + CheckedNeg + Euclid + From<i64> {
    /// Holds a product of two numbers, neither of them the least one, and the difference of two such products.
    type Product: Copy
        + Ord
        + From<Self>
        + TryInto<Self>
        + Add<Output = Self::Product>
        + Sub<Output = Self::Product>
        + Mul<Output = Self::Product>
        + Div<Output = Self::Product>;

    fn of(number: i64) -> Self {
        <Self as From<i64>>::from(number)
    }

    fn widened(self) -> Self::Product {
        self.into()
    }

    fn product(self, other: Self) -> Self::Product {
        self.widened() * other.widened()
    }

    /// The number, if it fits.
    fn narrowed(product: Self::Product) -> Option<Self> {
        product.try_into().ok()
    }
}

impl Number for i64 {
    type Product = i128;
}

impl Number for i128 {
    type Product = I256;
}
