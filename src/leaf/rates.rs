//! How fast leaves are on this machine.
//!
//! In: a task of a machine file, the side of a tile, and who does it. Out: rates of several runs, in 10^9 applications of scalar
//! functions a second. A task is measured as runs do it: a leaf of a tiled kernel is called on tiles, so what a call takes beside
//! its arithmetic is in its rate. The tiles change from call to call, and together do not fit a core's own memory.

use super::routine::compile_leaf;
use super::{LeafBackend, Leaves, Tile};
use crate::array::Trouble;
use crate::cost::TASKS;
use crate::diagnostic::{Checked, Diagnostic};
use crate::integer::{Bindings, Name};
use crate::recurrence::load;
use crate::span::Source;
use crate::tiles::{Argument, Leaf, TileSize, tile};
use std::sync::Arc;
use std::time::Instant;

/// A kernel, the indices that are tiled, and the leaf that is called, at the last tile along each index.
struct Sample {
    text: &'static str,
    tiled: &'static [&'static str],
    leaf: &'static str,
    last: i64,
}

const PRODUCT: &str = "kernel product(N)\nin A[N, N], B[N, N]\nout C[N, N]\nC[i, j] = sum(k) A[i, k] * B[k, j]\n";

const TRIANGLE: &str = "kernel triangle(N)\nin A[N, N]\nout C[N, N]\n\
    C[i, j] = sum(k) A[i, k] * A[j, k] where j <= i\nC[i, j] = 0 where j > i\n";

/// What stands for each of [`TASKS`].
const SAMPLES: [Sample; TASKS.len()] = [
    Sample { text: PRODUCT, tiled: &["i", "j", "k"], leaf: "C.sum", last: TILES - 1 },
    Sample { text: TRIANGLE, tiled: &["i", "j", "k"], leaf: "C.sum", last: TILES - 1 },
    Sample { text: include_str!("../../rules/leaves/solve_rows.rec"), tiled: &["r", "i"], leaf: "X", last: TILES - 1 },
    Sample { text: include_str!("../../rules/leaves/factor_lower.rec"), tiled: &["i"], leaf: "L.2", last: TILES - 1 },
    Sample { text: include_str!("../../rules/leaves/invert_lower.rec"), tiled: &["i"], leaf: "X.2", last: TILES - 1 },
    Sample { text: include_str!("../../rules/leaves/factor_both.rec"), tiled: &["i"], leaf: "L_U.3", last: TILES - 1 },
    Sample { text: include_str!("../../kernels/edit_distance.rec"), tiled: &["i", "j"], leaf: "D.4", last: TILES },
];

/// A kernel has so many whole tiles along each index.
const TILES: i64 = 2;

/// The tiles of one measurement take so many elements: 32 MiB, which a library meets in memory as in the runs that take long. With a
/// quarter of it solves and factors of tiles of 128 come out up to twice as fast as they are in a run.
const ELEMENTS: u64 = 1 << 22;

/// Loops are so slow that memory keeps up with them: 8 MiB.
const ELEMENTS_OF_LOOPS: u64 = 1 << 20;

/// A measurement has so many tiles at most.
const MOST_GIVEN: u64 = 1024;

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// How many runs.
    pub runs: usize,
    /// How many applications of scalar functions a run has, at least.
    pub applications: u64,
}

/// A leaf, ready to be called at one place.
struct Call {
    leaves: Leaves,
    at: Vec<i64>,
    /// For each argument whether it is a running sum, and how many dimensions its tile has.
    arguments: Vec<(bool, u32)>,
    side: usize,
}

/// What one call is given and works onto.
struct Given {
    arguments: Vec<Tile>,
    onto: Option<Tile>,
}

/// The rates of so many runs of a task, by its position in [`TASKS`]; none where the library does not do it.
///
/// # Errors
/// A side at which boxes do not fit.
pub fn measure_rates(task: usize, side: u64, backend: LeafBackend, effort: Effort) -> Checked<Vec<f64>> {
    let Some(call) = SAMPLES.get(task).map(|sample| Call::new(sample, side, backend)).transpose()? else {
        return Ok(vec![]);
    };
    let is_known = call.leaves.known(0, &call.at).is_ok_and(|names| names.contains(&TASKS[task]));
    if backend.is_library() && !is_known {
        return Ok(vec![]);
    }
    call.measure(effort).map_err(|trouble| {
        vec![Diagnostic::new(format!("`{}` cannot be measured with tiles of side {side}: {trouble:?}", TASKS[task]))]
    })
}

impl Call {
    fn new(sample: &Sample, side: u64, backend: LeafBackend) -> Checked<Call> {
        let (leaf, sizes) = leaf_of(sample, i64::try_from(side).unwrap_or(i64::MAX))?;
        let is_sum = |argument: &Argument| leaf.windows[argument.window].operator.is_some();
        let arguments = leaf.arguments.iter().map(|argument| (is_sum(argument), argument.tile.len() as u32)).collect();
        let leaves = Leaves::of(vec![compile_leaf(&leaf, &sizes)?], backend)?;
        let side = usize::try_from(side).unwrap_or(usize::MAX);
        Ok(Call { leaves, at: vec![sample.last; leaf.coordinates.len()], arguments, side })
    }

    /// Calls the leaf on all that it is given in turn, after a round that is not measured.
    fn measure(&self, effort: Effort) -> Result<Vec<f64>, Trouble> {
        let elements = (self.side * self.side * (self.arguments.len() + 1)) as u64;
        let all = if self.leaves.backend.is_library() { ELEMENTS } else { ELEMENTS_OF_LOOPS };
        let mut given: Vec<Given> = (0..(all / elements).clamp(1, MOST_GIVEN)).map(|_| self.given()).collect();
        self.round(&mut given)?;
        let applied = (self.leaves.work().applied / given.len() as u64).max(1);
        let rounds = (effort.applications / applied).div_ceil(given.len() as u64).max(1);
        let mut rates = vec![];
        for _ in 0..effort.runs {
            let start = Instant::now();
            (0..rounds).try_for_each(|_| self.round(&mut given))?;
            let seconds = start.elapsed().as_secs_f64();
            rates.push((applied * rounds * given.len() as u64) as f64 * 1e-9 / seconds.max(1e-9));
        }
        Ok(rates)
    }

    fn round(&self, given: &mut [Given]) -> Result<(), Trouble> {
        for Given { arguments, onto } in given {
            let works_on = onto.is_some();
            let tile = self.leaves.call(0, &self.at, onto.take(), arguments)?;
            *onto = works_on.then_some(tile);
        }
        Ok(())
    }

    /// Tiles that can be divided by and factored; sums that have come to nothing yet. A leaf that is given no sum works onto one.
    fn given(&self) -> Given {
        let values = |is_sum: bool, dimensions: u32| {
            let value = |at: usize| match (at / self.side, at % self.side) {
                _ if is_sum => 0.0,
                (row, column) if row == column => self.side as f64,
                _ => (at * 7 % 5) as f64 * 0.1,
            };
            Tile::Values(Arc::new((0..self.side.pow(dimensions)).map(value).collect()))
        };
        let works_on =
            self.leaves.calls.routine(0, &self.at).is_ok_and(|routine| routine.windows[0].operator.is_some());
        Given {
            arguments: self.arguments.iter().map(|(is_sum, dimensions)| values(*is_sum, *dimensions)).collect(),
            onto: works_on.then(|| values(true, 2)),
        }
    }
}

/// The leaf of a sample at tiles of this side, with its sizes.
fn leaf_of(sample: &Sample, side: i64) -> Checked<(Leaf, Bindings)> {
    let system = load(&Source::new("sample", sample.text))?;
    let size = |index: &&str| TileSize { index: Name::from(*index), size: side, span: None };
    let tiled = tile(&system, &sample.tiled.iter().map(size).collect::<Vec<_>>())?;
    let whole = side.saturating_mul(TILES);
    let mut sizes: Bindings = system.parameters.iter().map(|parameter| (parameter.clone(), whole)).collect();
    let counts: Vec<_> =
        tiled.counts.iter().filter_map(|count| Some((count.name.clone(), count.at(&sizes)?))).collect();
    sizes.extend(counts);
    let names: Vec<String> = tiled.leaves.iter().map(|leaf| leaf.name.to_string()).collect();
    let found = tiled.leaves.into_iter().find(|leaf| &*leaf.name == sample.leaf);
    let missing = || vec![Diagnostic::new(format!("a sample has no leaf `{}` but {names:?}", sample.leaf))];
    Ok((found.ok_or_else(missing)?, sizes))
}
