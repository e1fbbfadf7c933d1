//! Products larger than the array: fold after fold against SCALE-Sim, and what it saves when folds overlap.
//!
//! A *fold* is the part of a product that fits an array of R by C PEs; T is the extent that streams past it. One program,
//! proved for all sizes, runs every fold at the fold's own sizes, the smaller last ones too, and the parts of the result are
//! put together or added. Fold after fold, SCALE-Sim's total is the sum of what `scalesim.rs` states of one:
//!
//! ```text
//! theirs + 1 = sum over folds of (ours + preload + (R - used rows) + (C - used cols)) = folds (T + R + C - 2 + preload)
//! ```
//!
//! Folds need not wait for each other. With the number of the fold as the first entry of the time, `(f, i + j + k)`, a PE
//! begins fold f + 1 in the cycle after its last one of fold f, and the skew is walked once and not for every fold:
//!
//! ```text
//! folds T + R + C - 2 cycles, which is (folds - 1)(R + C - 2) less
//! ```

use super::common::{Kernel, kernel, load, machine, shown};
use super::scalesim::{Row, table};
use ndarray::{Array2, ArrayD, IxDyn};
use std::collections::BTreeMap;
use std::ops::Range;
use systole::array::{Program, Tensors};
use systole::emit::emit;
use systole::integer::name;
use systole::network::Network;
use systole::sim::{Outcome, Settings, simulate};

/// Products with more points than this are run for their cycles alone.
const MANY_POINTS: i64 = 1 << 15;

/// The same product again and again, each with its own matrices.
const BACK_TO_BACK: &str = "kernel folded(F, M, N, K)
in  A[F, M, K], B[F, K, N]
out C[F, M, N]
C[f, i, j] = sum(k in 0..K) A[f, i, k] * B[f, k, j]

schedule cannon
place (i, j)   time (f, i + j + k)
stream A along j   stream B along i

schedule weight-stationary
place (i, k)   time (f, i + j + k)
prefetch A   stream B along i

schedule input-stationary
place (k, j)   time (f, i + j + k)
prefetch B   stream A along j

schedule a-cycle-apart
place (i, j)   time f + i + j + k
stream A along j   stream B along i
";

/// The ranges of i, j and k.
type Fold = [Range<usize>; 3];

impl Row<'_> {
    /// The most of i, j and k that one fold takes: what lies along the array is cut, what streams is not.
    fn limits(&self) -> [i64; 3] {
        let [m, n, k] = self.sizes;
        match self.dataflow {
            "os" => [self.rows, self.cols, k],
            "ws" => [m, self.cols, self.rows],
            _ => [self.cols, n, self.rows],
        }
    }

    fn folds(&self) -> Vec<Fold> {
        let limits = self.limits();
        let [i, j, k] = [0, 1, 2].map(|axis| cut(self.sizes[axis], limits[axis]));
        let pairs = i.iter().flat_map(|i| j.iter().map(move |j| (i, j)));
        pairs.flat_map(|(i, j)| k.iter().map(move |k| [i.clone(), j.clone(), k.clone()])).collect()
    }

    /// The extent that streams.
    fn streamed(&self) -> i64 {
        self.limits()[match self.dataflow {
            "os" => 2,
            "ws" => 0,
            _ => 1,
        }]
    }

    fn points(&self) -> i64 {
        self.sizes.iter().product()
    }
}

fn cut(size: i64, limit: i64) -> Vec<Range<usize>> {
    let starts = (0..size).step_by(limit as usize);
    starts.map(|start| start as usize..(start + limit).min(size) as usize).collect()
}

fn lengths(fold: &Fold) -> [i64; 3] {
    fold.clone().map(|range| range.len() as i64)
}

/// Whole numbers, so that sums agree in any order.
fn factors(sizes: [i64; 3]) -> (Array2<f64>, Array2<f64>) {
    let [m, n, k] = sizes.map(|size| size as usize);
    let whole = |seed: usize| move |(i, j): (usize, usize)| ((i * 7919 + j * 104_729 + seed) % 31) as f64 - 14.0;
    (Array2::from_shape_fn((m, k), whole(3)), Array2::from_shape_fn((k, n), whole(8)))
}

/// The programs of a kernel's schedules, each proved for all sizes and emitted once.
struct Programs {
    kernel: Kernel,
    programs: BTreeMap<&'static str, Program>,
}

impl Programs {
    fn of(kernel: Kernel) -> Programs {
        let machine = machine(Network::Mesh);
        let sizes = kernel.sizes(&vec![4; kernel.space.parameters.len()]);
        let emitted = ["cannon", "input-stationary", "weight-stationary"].map(|schedule| {
            let found = kernel.scheduled(schedule, &machine, &sizes).remove(0);
            let program = emit(&kernel.design(&found), &machine.links);
            (schedule, program.unwrap_or_else(|problems| panic!("{}", shown(&problems))))
        });
        Programs { kernel, programs: BTreeMap::from(emitted) }
    }

    fn run(&self, schedule: &str, sizes: &[i64], inputs: [ArrayD<f64>; 2]) -> Outcome {
        let inputs: Tensors = ["A", "B"].map(name).into_iter().zip(inputs).collect();
        let outcome = simulate(&self.programs[schedule], &self.kernel.sizes(sizes), &inputs, &Settings::default());
        outcome.unwrap_or_else(|problems| panic!("{}", shown(&problems)))
    }

    /// Cycles of all folds of each size, one after another, and what they compute where that is asked for.
    fn run_folds(&self, row: &Row<'_>, known: &mut BTreeMap<(&'static str, [i64; 3]), i64>) -> (i64, Array2<f64>) {
        let (schedule, _, _, preload) = row.match_schedule();
        let ((a, b), [m, n, _]) = (factors(row.sizes), row.sizes);
        let (mut total, mut c) = (0, Array2::zeros((m as usize, n as usize)));
        for fold in row.folds() {
            let key = (schedule, lengths(&fold));
            if row.points() <= MANY_POINTS || !known.contains_key(&key) {
                let [i, j, k] = &fold;
                let outcome = self.run(schedule, &key.1, [part(&a, i, k), part(&b, k, j)]);
                add(&mut c, &fold, |i, j| outcome.outputs[&name("C")][[i, j]]);
                assert_eq!(*known.entry(key).or_insert(outcome.cycles as i64), outcome.cycles as i64);
            }
            let [rows, cols] = used(row, &fold);
            total += known[&key] + preload + (row.rows - rows) + (row.cols - cols);
        }
        (total, c)
    }
}

/// Some rows and columns of a matrix.
fn part(whole: &Array2<f64>, rows: &Range<usize>, columns: &Range<usize>) -> ArrayD<f64> {
    let at = |at: IxDyn| whole[[rows.start + at[0], columns.start + at[1]]];
    ArrayD::from_shape_fn(vec![rows.len(), columns.len()], at)
}

/// Adds what a fold computed to its rows and columns.
fn add(sum: &mut Array2<f64>, [rows, columns, _]: &Fold, computed: impl Fn(usize, usize) -> f64) {
    for (i, j) in rows.clone().flat_map(|i| columns.clone().map(move |j| (i, j))) {
        sum[[i, j]] += computed(i - rows.start, j - columns.start);
    }
}

/// The rows and columns of the array that a fold takes.
fn used(row: &Row<'_>, fold: &Fold) -> [i64; 2] {
    let [i, j, k] = lengths(fold);
    match row.dataflow {
        "os" => [i, j],
        "ws" => [k, j],
        _ => [k, i],
    }
}

#[test]
fn every_total_of_several_folds_agrees() {
    let (programs, mut known, mut covered) = (Programs::of(kernel("matmul.rec")), BTreeMap::new(), 0);
    for row in table().iter().filter(|row| row.folds().len() > 1) {
        let (total, c) = programs.run_folds(row, &mut known);
        let what = format!("{} {:?} on {} by {}", row.dataflow, row.sizes, row.rows, row.cols);
        assert_eq!(row.cycles + 1, total, "{what}");
        let (a, b) = factors(row.sizes);
        if row.points() <= MANY_POINTS {
            assert_eq!(c, a.dot(&b), "{what}");
        }
        let (folds, preload) = (row.folds().len() as i64, row.match_schedule().3);
        assert_eq!(total, folds * (row.streamed() + row.rows + row.cols - 2 + preload), "{what}");
        covered += 1;
    }
    assert_eq!(covered, 144 - 52);
}

/// The parts of the factors, each filled up with zeros to the size of a whole fold.
fn stack(row: &Row<'_>) -> [ArrayD<f64>; 2] {
    let ((a, b), folds, limits) = (factors(row.sizes), row.folds(), row.limits().map(|limit| limit as usize));
    [(a, 0, 2), (b, 2, 1)].map(|(whole, down, right)| {
        ArrayD::from_shape_fn(vec![folds.len(), limits[down], limits[right]], |at| {
            let [rows, columns] = [down, right].map(|axis| &folds[at[0]][axis]);
            let is_inside = at[1] < rows.len() && at[2] < columns.len();
            if is_inside { whole[[rows.start + at[1], columns.start + at[2]]] } else { 0.0 }
        })
    })
}

#[test]
fn folds_back_to_back_walk_the_skew_once() {
    let programs = Programs::of(load(BACK_TO_BACK).unwrap());
    let (mut apart, mut overlapped, mut covered) = (0, 0, 0);
    for row in table().iter().filter(|row| row.folds().len() > 1 && row.points() <= MANY_POINTS) {
        let (folds, [m, n, k]) = (row.folds(), row.limits());
        let outcome = programs.run(row.match_schedule().0, &[folds.len() as i64, m, n, k], stack(row));
        let (count, skew, cycles) = (folds.len() as i64, row.rows + row.cols - 2, outcome.cycles as i64);
        assert_eq!(cycles, count * row.streamed() + skew);
        let (a, b) = factors(row.sizes);
        let mut c = Array2::zeros((row.sizes[0] as usize, row.sizes[1] as usize));
        for (number, fold) in folds.iter().enumerate() {
            add(&mut c, fold, |i, j| outcome.outputs[&name("C")][[number, i, j]]);
        }
        assert_eq!(c, a.dot(&b));
        (apart, overlapped, covered) = (apart + count * (row.streamed() + skew), overlapped + cycles, covered + 1);
    }
    // Without what is spent on preloads: 27 % fewer cycles.
    assert_eq!((covered, apart, overlapped), (56, 19_335, 14_041));
}

/// Folds a single cycle apart would meet on every PE.
#[test]
fn folds_a_cycle_apart_are_refused() {
    let kernel = load(BACK_TO_BACK).unwrap();
    let sizes = kernel.sizes(&[2, 3, 3, 3]);
    assert!(kernel.scheduled("a-cycle-apart", &machine(Network::Mesh), &sizes).is_empty());
    assert!(!kernel.scheduled("cannon", &machine(Network::Mesh), &sizes).is_empty());
}
