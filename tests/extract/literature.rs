//! Cycles and PEs that the literature derives by hand for kernels of several spaces, each found by the search from the place.
//!
//! The fewest PEs of a triangular solve in 2n - 1 steps are as many as are busy in the fullest step: no linear place has as
//! few, but on `i - j` neighbours work in turns, and a fold makes one PE of two.

use crate::kernel_texts::{CHOLESKY, EDIT_DISTANCE, PREFIX_SUM, SMITH_WATERMAN, TRISOLVE};
use crate::systems::{Kernel, kernel};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Bindings, name};
use systole_base::machine::Machine;
use systole_compile::cost::Objective;
use systole_compile::extract::{Constraint, Found, place_of, solve};
use systole_compile::mapping::candidates::Bounds;

const TABLE: &str = include_str!("../oracles/analytic.csv");

/// A sum of indices with factors.
type Index = &'static [(&'static str, i64)];

/// The sizes and values of the rows that begin with these words, which end in `n=`.
fn rows(words: &str) -> Vec<(i64, u64)> {
    let row = |rest: &str| {
        let (n, rest) = rest.split_once(',')?;
        Some((n.parse().ok()?, rest.split(',').next()?.parse().ok()?))
    };
    TABLE.lines().filter_map(|line| line.strip_prefix(words)).map(|rest| row(rest).expect("two numbers")).collect()
}

fn sizes(kernel: &Kernel, n: i64) -> Bindings {
    kernel.system.parameters.iter().map(|parameter| (parameter.clone(), n)).collect()
}

/// The shortest design of the front under the place with these rows, and of those one with the fewest PEs; without rows, on
/// any line of PEs.
fn found(kernel: &Kernel, rows: &[Index], n: i64) -> Found {
    folded(kernel, rows, n, 1)
}

/// The same where up to so many PEs may be folded onto one.
fn folded(kernel: &Kernel, rows: &[Index], n: i64, fold: i64) -> Found {
    let row = |row: &Index| {
        row.iter().fold(Affine::default(), |sum, (index, factor)| sum + Affine::term(&name(index), *factor))
    };
    let rows: Vec<Affine> = rows.iter().map(row).collect();
    let places = kernel.system.families.iter().map(|family| place_of(family, &rows)).collect();
    let none = Constraint::none(&kernel.system);
    let constraint = if rows.is_empty() { none } else { Constraint { places, ..none } };
    let bounds = Bounds { ranks: vec![rows.len().max(1)], bound: 1, steps: (-1, 2) };
    let machine = Machine::default();
    let problem = solve::Task::new(&kernel.system, &kernel.choices, bounds, &machine, &sizes(kernel, n), constraint);
    let mut problem = problem.expect("a problem");
    problem.limits.fold = fold;
    let front = solve::search(&problem, false, &|_, _| true).sorted(Objective::Systolic);
    front.into_iter().min_by_key(|found| (found.cost.cycles, found.cost.pes)).expect("a design")
}

/// The PEs that work in the step in which most do, at a size, counted point by point.
fn fullest(kernel: &Kernel, found: &Found, n: i64) -> u64 {
    let sizes = sizes(kernel, n);
    let mut busy: BTreeMap<i64, u64> = BTreeMap::new();
    for (space, part) in kernel.system.spaces.iter().zip(&found.parts) {
        let start = part.start().evaluate(&sizes).expect("a start");
        for point in space.domain.set.points(space.indices(), &sizes).expect("a bounded space") {
            *busy.entry(start + part.map.step.apply(&point)[0]).or_default() += 1;
        }
    }
    busy.into_values().max().unwrap_or(0)
}

#[test]
fn a_triangular_solve_is_as_long_as_its_longest_path() {
    let kernel = kernel(TRISOLVE);
    let places: [Index; 3] = [&[("i", 1)], &[("j", 1)], &[("i", 1), ("j", -1)]];
    let cycles = rows("trisolve,\"linear, place i or j or i-j, step i+j\",steps; n=");
    let pes = rows("trisolve,\"linear, place i, j or i-j\",PEs; n=");
    let fewest = rows("trisolve,\"any, time-minimal\",fewest PEs for 2n-1 steps; n=");
    assert_eq!((cycles.len(), pes.len(), fewest.len()), (2, 2, 2));
    for (((n, cycles), (_, pes)), (_, fewest)) in cycles.into_iter().zip(pes).zip(fewest) {
        for (position, place) in places.into_iter().enumerate() {
            let found = found(&kernel, &[place], n);
            // On (i - j) the divisions join the PE of the last products, so that one PE fewer is enough.
            let saved = u64::from(position == 2);
            assert_eq!((found.cost.cycles, found.cost.pes), (cycles, pes - saved), "{place:?}, n = {n}");
            assert_eq!(fullest(&kernel, &found, n), fewest);
        }
        let found = folded(&kernel, &[], n, 2);
        assert_eq!((found.cost.cycles, found.cost.pes), (cycles, fewest), "any place, n = {n}");
    }
}

#[test]
fn a_factorisation_is_as_long_as_its_longest_path() {
    let kernel = kernel(CHOLESKY);
    let (i, j, k): (Index, Index, Index) = (&[("i", 1)], &[("j", 1)], &[("k", 1)]);
    let cycles = rows("Cholesky,\"triangular, step i+j+k\",steps; n=");
    let pes = rows("Cholesky,\"place (i,j), (i,k) or (j,k)\",PEs; n=");
    assert_eq!((cycles.len(), pes.len()), (2, 2));
    for ((n, cycles), (_, pes)) in cycles.into_iter().zip(pes) {
        for place in [[i, j], [i, k], [j, k]] {
            let found = found(&kernel, &place, n);
            assert_eq!((found.cost.cycles, found.cost.pes), (cycles, pes), "{place:?}, n = {n}");
        }
    }
    let busy = rows("Cholesky,\"any, time-minimal\",PEs busy in the fullest step; n=");
    assert_eq!(busy.len(), 4);
    let found = found(&kernel, &[i, j], 4);
    for (n, busy) in busy {
        assert_eq!(fullest(&kernel, &found, n), busy, "n = {n}");
    }
}

#[test]
fn two_strings_are_aligned_along_their_diagonals() {
    let cycles = rows("Smith-Waterman / edit distance,\"linear, place i, step i+j\",steps (two strings of n); n=");
    let pes = rows("Smith-Waterman / edit distance,\"linear, place i\",PEs; n=");
    assert_eq!((cycles.len(), pes.len()), (2, 2));
    for ((n, cycles), (_, pes)) in cycles.into_iter().zip(pes) {
        for text in [SMITH_WATERMAN, EDIT_DISTANCE] {
            let found = found(&kernel(text), &[&[("i", 1)]], n);
            assert_eq!((found.cost.cycles, found.cost.pes), (cycles, pes), "n = {n}");
        }
    }
}

#[test]
fn a_chain_of_sums_takes_a_step_for_each() {
    let rows = rows("prefix sum,\"chain, one index, place i, step i\",steps; n=");
    assert_eq!(rows.len(), 2);
    for (n, cycles) in rows {
        let found = found(&kernel(PREFIX_SUM), &[&[("i", 1)]], n);
        assert_eq!((found.cost.cycles, found.cost.pes), (cycles, n.unsigned_abs()));
    }
}
