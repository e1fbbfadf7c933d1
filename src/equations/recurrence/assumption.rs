//! What a kernel assumes of an input's values, so that what it computes is a number.
//!
//! In: the word after `is` in a declaration, as in `in A[N, N] is positive_definite`. Out: arrays that are as assumed,
//! made from arbitrary values in -1 to 1. Assumptions change no program and no proof: they say what arrays are filled with
//! where the user gives none.

use ndarray::ArrayD;

/// An assumption on the values of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// A square matrix whose diagonal outweighs the rest of each row.
    Dominant,
    /// A symmetric positive definite matrix.
    PositiveDefinite,
    /// Whole numbers from 0 to 3, the letters of a word.
    Letters,
    /// 0 or 1.
    Bits,
    /// From 1/4 to 9/4: numbers to divide by and to take logarithms of.
    Positive,
}

impl Assumption {
    /// All assumptions with the words for them.
    pub const ALL: [(Assumption, &'static str); 5] = [
        (Assumption::Dominant, "dominant"),
        (Assumption::PositiveDefinite, "positive_definite"),
        (Assumption::Letters, "letters"),
        (Assumption::Bits, "bits"),
        (Assumption::Positive, "positive"),
    ];

    /// The word for it.
    pub fn keyword(self) -> &'static str {
        Assumption::ALL.iter().find(|(assumption, _)| *assumption == self).map_or("", |(_, word)| word)
    }

    /// The assumption that `word` names.
    pub fn from_keyword(word: &str) -> Option<Assumption> {
        Assumption::ALL.iter().find(|(_, known)| *known == word).map(|(assumption, _)| *assumption)
    }

    /// Whether only a square matrix can be so.
    pub fn is_of_square_matrices(self) -> bool {
        matches!(self, Assumption::Dominant | Assumption::PositiveDefinite)
    }

    /// Turns values in -1 to 1 into values that are as assumed; only square matrices can be made dominant.
    pub fn impose(self, values: ArrayD<f64>) -> ArrayD<f64> {
        let shape = values.shape().to_vec();
        let given: Vec<f64> = values.into_iter().collect();
        let imposed = (0..given.len()).map(|address| self.element(&shape, address, &|at| given[at])).collect();
        ArrayD::from_shape_vec(shape, imposed).unwrap_or_default()
    }

    /// The element at a row-major address of the array that [`Assumption::impose`] makes of the values that `given` has at
    /// each address. So an array can be made in parts.
    pub fn element(self, shape: &[usize], address: usize, given: &impl Fn(usize) -> f64) -> f64 {
        match self {
            Assumption::Dominant => outweigh(square(shape), address, given),
            // A symmetric matrix with a positive dominant diagonal is positive definite, by Gershgorin's theorem.
            Assumption::PositiveDefinite => {
                let extent = square(shape);
                outweigh(extent, mirror(extent, address), given)
            }
            Assumption::Letters => ((given(address) + 1.0) * 2.0).floor().clamp(0.0, 3.0),
            // One in four is set: a random graph with more edges is all but sure to be connected.
            Assumption::Bits => f64::from(given(address) > 0.5),
            Assumption::Positive => given(address) + 1.25,
        }
    }
}

/// The extent of a square matrix; `None` for any other array.
fn square(shape: &[usize]) -> Option<usize> {
    match shape {
        [rows, columns] if rows == columns => Some(*rows),
        _ => None,
    }
}

/// An element, with the extent added to its absolute value on the diagonal. The others of a row add up to less.
fn outweigh(extent: Option<usize>, address: usize, given: &impl Fn(usize) -> f64) -> f64 {
    match extent.filter(|extent| address / extent == address % extent) {
        Some(extent) => given(address).abs() + extent as f64,
        None => given(address),
    }
}

/// The address whose value stands at this one when the lower triangle is copied above the diagonal.
fn mirror(extent: Option<usize>, address: usize) -> usize {
    match extent.filter(|extent| address / extent < address % extent) {
        Some(extent) => address % extent * extent + address / extent,
        None => address,
    }
}
