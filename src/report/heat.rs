//! How busy each part of the array was.
//!
//! In: the counters of a run. Out: a picture of at most [`MOST`] cells each way; in a larger array a cell stands for a
//! block of PEs and shows their mean. Rows grow with the first coordinate, columns with the second; a row of PEs is one
//! row of cells. Arrays of a higher rank have no such picture.

use super::recorder::grid_of;
use crate::sim::Outcome;
use serde::Serialize;

/// The most cells each way.
const MOST: usize = 64;

/// The share of busy cycles, cell by cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Heat {
    /// How many rows of cells there are.
    pub rows: usize,
    /// How many columns.
    pub columns: usize,
    /// How many PEs a cell covers, down and across.
    pub block: (usize, usize),
    /// The cells row by row: from 0 to 1, or nothing where there is no PE.
    pub cells: Vec<Option<f64>>,
}

impl Heat {
    /// The picture of a run; `None` where the array has more than two dimensions.
    pub fn of(outcome: &Outcome) -> Option<Heat> {
        let points: Vec<&[i64]> = outcome.counters.pes.iter().map(|pe| &pe.point[..]).collect();
        let (first, extents) = grid_of(&points);
        let (top, left, height, width) = match (&first[..], &extents[..]) {
            ([], []) => (0, 0, 1, 1),
            ([left], [width]) => (0, *left, 1, *width),
            ([top, left], [height, width]) => (*top, *left, *height, *width),
            _ => return None,
        };
        let block = (height.div_ceil(MOST).max(1), width.div_ceil(MOST).max(1));
        let (rows, columns) = (height.div_ceil(block.0), width.div_ceil(block.1));
        let mut sums = vec![(0.0, 0u64); rows * columns];
        for pe in &outcome.counters.pes {
            let (row, column) = match pe.point[..] {
                [x] => (0, offset(x, left)),
                [y, x] => (offset(y, top), offset(x, left)),
                _ => (0, 0),
            };
            if let Some(sum) = sums.get_mut((row / block.0) * columns + column / block.1) {
                sum.0 += share(pe.busy, outcome.cycles);
                sum.1 += 1;
            }
        }
        let mean = |(sum, count): &(f64, u64)| (*count > 0).then(|| sum / *count as f64);
        Some(Heat { rows, columns, block, cells: sums.iter().map(mean).collect() })
    }
}

fn offset(entry: i64, first: i64) -> usize {
    usize::try_from(entry.saturating_sub(first)).unwrap_or(0)
}

fn share(busy: u64, cycles: u64) -> f64 {
    if cycles == 0 { 0.0 } else { busy as f64 / cycles as f64 }
}
