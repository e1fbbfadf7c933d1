//! How fast leaves are on this machine.
//!
//! In: a task of a machine file, the side of a tile, and who does it. Out: rates of several runs, in 10^9 applications of scalar
//! functions a second. A task is measured as runs do it: a leaf of a tiled kernel is called on tiles, so what a call takes beside
//! its arithmetic is in its rate. The tiles change from call to call, so how many bytes all of them have is how many are touched
//! between two calls on the same tiles.

use super::routine::compile_leaf;
use super::{LeafBackend, Leaves, Tile};
use std::sync::Arc;
use std::time::Instant;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Bindings, Name};
use systole_base::machine::TASKS;
use systole_base::span::Source;
use systole_equations::recurrence::load;
use systole_equations::tiles::{Argument, Leaf, TileSize, tile};
use systole_program::array::Trouble;

/// A kernel, the indices that are tiled, and the leaf that is called, at the last tile along each index.
struct Sample {
    text: &'static str,
    tiled: &'static [&'static str],
    leaf: &'static str,
    last: i64,
}

const PRODUCT: Sample = Sample {
    text: "kernel product(N)\nin A[N, N], B[N, N]\nout C[N, N]\nC[i, j] = sum(k) A[i, k] * B[k, j]\n",
    tiled: &["i", "j", "k"],
    leaf: "C.sum",
    last: TILES - 1,
};

/// As factors and solves have them: libraries are not as fast at these.
const PRODUCT_OF_ROWS: Sample = Sample {
    text: "kernel rows(N)\nin A[N, N], B[N, N]\nout C[N, N]\nC[i, j] = sum(k) A[i, k] * B[j, k]\n",
    ..PRODUCT
};

const TRIANGLE: &str = "kernel triangle(N)\nin A[N, N]\nout C[N, N]\n\
    C[i, j] = sum(k) A[i, k] * A[j, k] where j <= i\nC[i, j] = 0 where j > i\n";

/// What stands for each of [`TASKS`].
const SAMPLES: [&[Sample]; TASKS.len()] = [
    &[PRODUCT, PRODUCT_OF_ROWS],
    &[Sample { text: TRIANGLE, ..PRODUCT }],
    &[Sample { text: include_str!("../leaves/solve_rows.rec"), tiled: &["r", "i"], leaf: "X", ..PRODUCT }],
    &[Sample { text: include_str!("../leaves/factor_lower.rec"), tiled: &["i"], leaf: "L.2", ..PRODUCT }],
    &[Sample { text: include_str!("../leaves/invert_lower.rec"), tiled: &["i"], leaf: "X.2", ..PRODUCT }],
    &[Sample { text: include_str!("../leaves/factor_both.rec"), tiled: &["i"], leaf: "L_U.3", ..PRODUCT }],
    &[Sample { text: include_str!("edit_distance.rec"), tiled: &["i", "j"], leaf: "D.4", last: TILES }],
];

/// A kernel has so many whole tiles along each index.
const TILES: i64 = 2;

/// A measurement has so many sets of tiles at most.
const MOST_GIVEN: u64 = 4096;

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

/// What one call is given, and works onto or begins. It is kept until the next call on the same tiles, so that what that begins has the
/// memory of a tile that was touched as long ago as the others.
struct Given {
    arguments: Vec<Tile>,
    result: Option<Tile>,
    works_on: bool,
}

/// The rates of so many runs of a task, by its position in [`TASKS`], whose tiles have so many bytes together, or those of one call if
/// that is more; none where the library does not do it.
///
/// # Errors
/// A side at which boxes do not fit.
pub fn measure_rates(task: usize, side: u64, bytes: u64, backend: LeafBackend, effort: Effort) -> Checked<Vec<f64>> {
    let samples = SAMPLES.get(task).copied().unwrap_or_default();
    let all = samples.iter().map(|sample| measure_sample((task, sample), side, bytes, backend, effort));
    let all = all.collect::<Checked<Vec<_>>>()?.into_iter();
    Ok(all
        .reduce(|one, other| one.into_iter().zip(other).map(|(one, other)| together(one, other)).collect())
        .unwrap_or_default())
}

/// The rate of two calls of as much work each.
fn together(one: f64, other: f64) -> f64 {
    2.0 / (1.0 / one + 1.0 / other)
}

fn measure_sample(
    (task, sample): (usize, &Sample),
    side: u64,
    bytes: u64,
    backend: LeafBackend,
    effort: Effort,
) -> Checked<Vec<f64>> {
    let call = Call::new(sample, side, backend)?;
    let is_known = call.leaves.known(0, &call.at).is_ok_and(|names| names.contains(&TASKS[task]));
    if backend.is_library() && !is_known {
        return Ok(vec![]);
    }
    call.measure(bytes, effort).map_err(|trouble| {
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
    fn measure(&self, bytes: u64, effort: Effort) -> Result<Vec<f64>, Trouble> {
        let each = (size_of::<f64>() * self.side * self.side * (self.arguments.len() + 1)) as u64;
        let mut given: Vec<Given> = (0..(bytes / each).clamp(1, MOST_GIVEN)).map(|_| self.given()).collect();
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
        for Given { arguments, result, works_on } in given {
            let onto = result.take_if(|_| *works_on);
            *result = Some(self.leaves.call(0, &self.at, onto, arguments)?);
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
            result: works_on.then(|| values(true, 2)),
            works_on,
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
