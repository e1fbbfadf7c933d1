//! How busy each part of the array was.
//!
//! In: the counters of a run. Out: a picture of at most [`MOST`] cells each way; in a larger array a cell stands for a
//! block of PEs and shows their mean. Rows grow with the first coordinate, columns with the second; a row of PEs is one
//! row of cells. Arrays of a higher rank have no such picture.

use super::recorder::grid_of;
use serde::Serialize;
use systole_run::sim::Outcome;

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

/// Which cell each PE lies in.
struct Cells {
    /// The smallest coordinates: of a row of PEs `[0, left]`.
    first: [i64; 2],
    /// How many PEs there are down and across.
    extents: [usize; 2],
    /// How many PEs a cell covers, down and across.
    block: [usize; 2],
}

impl Heat {
    /// The picture of a run; `None` where the array has more than two dimensions.
    pub fn of(outcome: &Outcome) -> Option<Heat> {
        let points: Vec<&[i64]> = outcome.counters.pes.iter().map(|pe| &pe.point[..]).collect();
        let cells = Cells::of(&points)?;
        let [rows, columns] = cells.counts();
        let mut sums = vec![(0.0, 0u64); rows * columns];
        for pe in &outcome.counters.pes {
            if let Some(sum) = sums.get_mut(cells.position(&pe.point)) {
                sum.0 += share(pe.busy, outcome.cycles);
                sum.1 += 1;
            }
        }
        let mean = |(sum, count): &(f64, u64)| (*count > 0).then(|| sum / *count as f64);
        let [down, across] = cells.block;
        Some(Heat { rows, columns, block: (down, across), cells: sums.iter().map(mean).collect() })
    }
}

impl Cells {
    fn of(points: &[&[i64]]) -> Option<Cells> {
        let (first, extents) = grid_of(points);
        let (first, extents) = match (&first[..], &extents[..]) {
            ([], []) => ([0, 0], [1, 1]),
            ([left], [width]) => ([0, *left], [1, *width]),
            ([top, left], [height, width]) => ([*top, *left], [*height, *width]),
            _ => return None,
        };
        Some(Cells { first, extents, block: extents.map(|extent| extent.div_ceil(MOST).max(1)) })
    }

    /// How many rows and columns of cells there are.
    fn counts(&self) -> [usize; 2] {
        [self.extents[0].div_ceil(self.block[0]), self.extents[1].div_ceil(self.block[1])]
    }

    /// The position of the cell of a PE, row by row.
    fn position(&self, point: &[i64]) -> usize {
        let [y, x] = match point {
            [x] => [0, *x],
            [y, x] => [*y, *x],
            _ => [0, 0],
        };
        let cell = |axis: usize, entry: i64| {
            usize::try_from(entry.saturating_sub(self.first[axis])).unwrap_or(0) / self.block[axis]
        };
        cell(0, y) * self.counts()[1] + cell(1, x)
    }
}

fn share(busy: u64, cycles: u64) -> f64 {
    if cycles == 0 { 0.0 } else { busy as f64 / cycles as f64 }
}
