//! Which worker runs which PE.
//!
//! In: the grid of PEs, a number of workers, and how the PEs of an axis are distributed. Out: the worker of each PE. The
//! workers stand in a grid of their own, of as many axes; each axis of PEs is distributed to the workers of that axis, so each
//! PE has exactly one. Paper: Cyclotron section 9.2, and the layouts of ScaLAPACK.

use systole_base::diagnostic::{Checked, Diagnostic};
use systole_equations::recurrence::Distribution;
use systole_program::array::Grid;

/// The worker of each PE of a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owners {
    grid: Grid,
    /// How many workers stand along each axis.
    workers: Vec<usize>,
    /// How many PEs of each axis are distributed at a time.
    blocks: Vec<usize>,
}

impl Owners {
    /// Distributes a grid to at least one worker.
    ///
    /// Of all grids of so many workers it is the one in which the worker with the most PEs has the fewest; then the one
    /// that cuts the fewest pairs of neighbours; then the one with the fewest workers along the first axes.
    pub fn new(grid: &Grid, count: usize, distribution: Distribution) -> Owners {
        let arrangements = arrangements(grid.extents.len(), count.max(1));
        let best = arrangements.into_iter().min_by_key(|workers| burden(grid, workers, distribution));
        Owners::with(grid, best.unwrap_or_default(), distribution)
    }

    /// Distributes a grid to so many workers, so many of them along each axis.
    ///
    /// # Errors
    /// Another number of axes than the grid has, or of workers than there are.
    pub fn arranged(grid: &Grid, count: usize, workers: &[usize], distribution: Distribution) -> Checked<Owners> {
        let product = workers.iter().try_fold(1usize, |product, along| product.checked_mul(*along));
        if workers.len() != grid.extents.len() || workers.contains(&0) || product != Some(count) {
            return Err(vec![unfit(grid, count, workers)]);
        }
        Ok(Owners::with(grid, workers.to_vec(), distribution))
    }

    fn with(grid: &Grid, workers: Vec<usize>, distribution: Distribution) -> Owners {
        let blocks =
            grid.extents.iter().zip(&workers).map(|(extent, count)| block(*extent, *count, distribution)).collect();
        Owners { grid: grid.clone(), workers, blocks }
    }

    /// How many workers stand along each axis; empty for a single PE, which the first worker has.
    pub fn arrangement(&self) -> &[usize] {
        &self.workers
    }

    /// The worker of the PE at a row-major position of the grid.
    pub fn of(&self, mut position: usize) -> usize {
        let (mut owner, mut stride) = (0, 1);
        for axis in (0..self.workers.len()).rev() {
            let extent = self.grid.extents[axis].max(1);
            let (offset, count) = (position % extent, self.workers[axis]);
            owner += offset / self.blocks[axis] % count * stride;
            stride *= count;
            position /= extent;
        }
        owner
    }
}

/// Tells which of the two does not agree, the axes or the workers.
fn unfit(grid: &Grid, count: usize, workers: &[usize]) -> Diagnostic {
    let (axes, given) = (grid.extents.len(), workers.len());
    let note = match workers.iter().try_fold(1usize, |product, along| product.checked_mul(*along)) {
        _ if given != axes => format!("the number of axes is {axes} in the array of PEs, and {given} in the grid"),
        Some(product) => format!("the number of workers is {count}, and {product} in the grid"),
        None => format!("the number of workers is {count}, and too large for 64 bits in the grid"),
    };
    let fitting: Vec<String> = arrangements(axes, count).iter().map(|sides| written(sides)).collect();
    let help = match axes {
        0 => "leave `--grid` out: one worker has the only PE".to_owned(),
        _ => format!("grids that fit: {}; or leave `--grid` out", fitting.join(", ")),
    };
    Diagnostic::usage(format!("workers in a grid of {} do not fit", written(workers))).note(note).help(help)
}

/// A grid as it is typed.
fn written(sides: &[usize]) -> String {
    sides.iter().map(usize::to_string).collect::<Vec<_>>().join("x")
}

/// How many PEs of an axis are distributed at a time; at least 1.
fn block(extent: usize, workers: usize, distribution: Distribution) -> usize {
    match distribution {
        Distribution::Block => extent.div_ceil(workers).max(1),
        Distribution::Cyclic => 1,
        Distribution::BlockCyclic(length) => length.max(1),
    }
}

/// All grids of so many axes with `count` workers; none for no axes and several workers, where one has all there is.
pub fn arrangements(axes: usize, count: usize) -> Vec<Vec<usize>> {
    if axes == 0 {
        return vec![vec![]];
    }
    let first = (1..=count).filter(|first| count.is_multiple_of(*first));
    let with = |first: usize| {
        let rest = if axes == 1 { vec![] } else { arrangements(axes - 1, count / first) };
        let rest = if axes == 1 && first == count { vec![vec![]] } else { rest };
        rest.into_iter().map(move |rest| [vec![first], rest].concat())
    };
    first.flat_map(with).collect()
}

/// The PEs of the worker that has most, and the pairs of neighbours of different workers.
fn burden(grid: &Grid, workers: &[usize], distribution: Distribution) -> (usize, usize) {
    let volume = grid.volume();
    let (mut most, mut cut) = (1usize, 0usize);
    for (extent, count) in grid.extents.iter().zip(workers) {
        let length = block(*extent, *count, distribution);
        // The first worker of an axis has a block of every round, and no other has more.
        let rounds = (0..*extent).step_by(length.saturating_mul(*count));
        most = most.saturating_mul(rounds.map(|start| length.min(extent - start)).sum());
        let borders = if *count == 1 { 0 } else { extent.div_ceil(length).saturating_sub(1) };
        cut = cut.saturating_add(borders.saturating_mul(volume / extent.max(&1)));
    }
    (most, cut)
}
