//! What of a layer fits an array at once, and how often.
//!
//! In: a product, an array, what stays in its PEs. Out: the number of folds, the sizes of one, the extent that streams past the array;
//! and the cycles that SCALE-Sim counts. Invariant: no number overflows, where it would there is none.

use super::topology::Layer;

/// What stays in the PEs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dataflow {
    /// Results: rows of the array are places, columns are filters.
    OutputStationary,
    /// Weights: rows of the array are weights of a filter, columns are filters.
    WeightStationary,
    /// Inputs: rows of the array are weights of a filter, columns are places.
    InputStationary,
}

impl Dataflow {
    /// All of them.
    pub const ALL: [Dataflow; 3] = [Dataflow::OutputStationary, Dataflow::WeightStationary, Dataflow::InputStationary];

    /// The word of SCALE-Sim for it.
    pub fn keyword(self) -> &'static str {
        match self {
            Dataflow::OutputStationary => "os",
            Dataflow::WeightStationary => "ws",
            Dataflow::InputStationary => "is",
        }
    }

    /// The dataflow of a word.
    pub fn from_keyword(word: &str) -> Option<Dataflow> {
        Dataflow::ALL.into_iter().find(|dataflow| dataflow.keyword() == word)
    }

    /// The schedule of `kernels/layers/folded_product.rec` that does it.
    pub fn schedule(self) -> &'static str {
        match self {
            Dataflow::OutputStationary => "output-stationary",
            Dataflow::WeightStationary => "weight-stationary",
            Dataflow::InputStationary => "input-stationary",
        }
    }

    /// Which of M, N, K lies along the rows, which along the columns, and which streams.
    fn axes(self) -> [usize; 3] {
        match self {
            Dataflow::OutputStationary => [0, 1, 2],
            Dataflow::WeightStationary => [2, 1, 0],
            Dataflow::InputStationary => [2, 0, 1],
        }
    }
}

/// A layer on an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portions {
    /// How many folds there are.
    pub count: i64,
    /// M, N and K of one; the last ones may be smaller, and are counted as if they were not.
    pub sizes: [i64; 3],
    /// The cycles that SCALE-Sim counts: the number of the last one, from 0, summed over the groups of the layer.
    pub theirs: i64,
    /// Those of them in which what stays is shifted into the array, row by row.
    pub filling: i64,
    /// The cycles in which all PEs of the array are busy, which no design goes below.
    pub bound: i64,
}

impl Portions {
    /// The folds of a layer on an array of these sides; `None` where numbers do not fit.
    pub fn of(layer: &Layer, dataflow: Dataflow, array: [i64; 2]) -> Option<Portions> {
        let ([along_rows, along_columns, along_time], [rows, columns]) = (dataflow.axes(), array);
        let mut sizes = layer.product;
        let folds = ceiling(sizes[along_rows], rows)?.checked_mul(ceiling(sizes[along_columns], columns)?)?;
        sizes[along_rows] = sizes[along_rows].min(rows);
        sizes[along_columns] = sizes[along_columns].min(columns);
        let fill = if dataflow == Dataflow::OutputStationary { 0 } else { rows };
        let walked = sizes[along_time].checked_add(rows)?.checked_add(columns)?.checked_sub(2)?.checked_add(fill)?;
        let theirs = folds.checked_mul(walked)?.checked_sub(1)?.checked_mul(layer.groups)?;
        let count = folds.checked_mul(layer.groups)?;
        let filling = count.checked_mul(fill)?;
        let bound = ceiling(layer.operations()?, rows.checked_mul(columns)?)?;
        Some(Portions { count, sizes, theirs, filling, bound })
    }
}

/// How many parts of this size a number has.
fn ceiling(number: i64, size: i64) -> Option<i64> {
    number.checked_add(size)?.checked_sub(1)?.checked_div(size)
}
