//! What a kernel assumes of an input's values, so that what it computes is a number.
//!
//! In: the word after `is` in a declaration, as in `in A[N, N] is positive_definite`. Out: arrays that are as assumed,
//! made from arbitrary values in -1 to 1. Assumptions change no program and no proof: they say what arrays are filled with
//! where the user gives none.

use ndarray::{ArrayD, Ix2};

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
}

impl Assumption {
    /// All assumptions with the words for them.
    pub const ALL: [(Assumption, &'static str); 4] = [
        (Assumption::Dominant, "dominant"),
        (Assumption::PositiveDefinite, "positive_definite"),
        (Assumption::Letters, "letters"),
        (Assumption::Bits, "bits"),
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
        let is_square = matches!(values.shape(), [rows, columns] if rows == columns);
        match self {
            Assumption::Dominant | Assumption::PositiveDefinite if !is_square => values,
            Assumption::Dominant => outweigh(values),
            // A symmetric matrix with a positive dominant diagonal is positive definite, by Gershgorin's theorem.
            Assumption::PositiveDefinite => outweigh(mirror(values)),
            Assumption::Letters => values.mapv(|value| ((value + 1.0) * 2.0).floor().clamp(0.0, 3.0)),
            // One in four is set: a random graph with more edges is all but sure to be connected.
            Assumption::Bits => values.mapv(|value| f64::from(value > 0.5)),
        }
    }
}

/// The matrix with the extent added to the absolute values on its diagonal. The others of a row add up to less.
fn outweigh(mut values: ArrayD<f64>) -> ArrayD<f64> {
    if let Ok(matrix) = values.view_mut().into_dimensionality::<Ix2>() {
        let extent = matrix.nrows() as f64;
        matrix.into_diag().mapv_inplace(|value| value.abs() + extent);
    }
    values
}

/// The matrix with its lower triangle copied above the diagonal.
fn mirror(mut values: ArrayD<f64>) -> ArrayD<f64> {
    let lower = values.clone();
    for (at, value) in values.indexed_iter_mut() {
        if at[0] < at[1] {
            *value = lower[[at[1], at[0]]];
        }
    }
    values
}
