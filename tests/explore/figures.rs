//! How busy the PEs are, as in the figures of Cyclotron's sections 10.2 and 10.3.
//!
//! The figures show shares of tiled programs on the DAM simulator; here a tile is one element, so the relations are exact
//! in the cycles in which a PE works, and by one length of the run also in the shares.

use super::common::json;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use tempfile::tempdir;

/// Busy cycles of each PE at the last point.
fn busy(arguments: &[&str]) -> BTreeMap<Vec<i64>, u64> {
    let found = json(arguments);
    let list = found["utilisation"].as_array().expect("the PEs of the last point");
    let point = &found["points"].as_array().expect("a list").last().expect("a point")["cycles"];
    let pe = |row: &Value| {
        let at = row["pe"].as_array().expect("a place").iter().map(|entry| entry.as_i64().expect("a number"));
        let busy = row["busy"].as_u64().expect("a number");
        let share = busy as f64 / point.as_f64().expect("cycles");
        // The reader of JSON may miss the last bit.
        assert!((row["share"].as_f64().expect("a share") - share).abs() < 1e-12, "{row}");
        (at.collect(), busy)
    };
    list.iter().map(pe).collect()
}

/// Figure 16(a): the updates of a diagonal cell grow with the array, so a cell of the diagonal is busier than the one
/// before, and a row busier than the row above. Exactly: PE (i, j) works j + 1 cycles: j products and one root or quotient.
#[test]
fn cholesky_is_busier_along_the_diagonal_and_down_the_array() {
    let n = 7;
    let busy = busy(&["kernels/cholesky.rec", "--schedule", "grid", "--sweep", "size.N=4,7", "--keep"]);
    let expected: BTreeMap<Vec<i64>, u64> =
        (0..n).flat_map(|i| (0..=i).map(move |j| (vec![i, j], j as u64 + 1))).collect();
    assert_eq!(busy, expected);
    let diagonal: Vec<u64> = (0..n).map(|i| busy[&vec![i, i]]).collect();
    assert!(diagonal.windows(2).all(|pair| pair[0] < pair[1]), "{diagonal:?}");
    // The mean of row i, of i + 1 PEs, as a fraction.
    let mean = |i: i64| (busy.iter().filter(|(pe, _)| pe[0] == i).map(|(_, busy)| *busy).sum::<u64>(), i as u64 + 1);
    let rises = |(above, above_pes): (u64, u64), (below, pes): (u64, u64)| above * pes < below * above_pes;
    assert!((1..n).all(|i| rises(mean(i - 1), mean(i))));
    let is_busiest = |i: i64| (0..i).all(|j| busy[&vec![i, j]] < busy[&vec![i, i]]);
    assert!((0..n).all(is_busiest), "the diagonal cell is the busiest of its row");
}

/// Figure 17(b): the updates of an unknown grow with its index i, for all right-hand sides alike. Exactly: PE (r, i) works
/// i + 1 cycles.
#[test]
fn the_triangular_solve_is_busier_along_i() {
    let busy = busy(&["kernels/trsm.rec", "--schedule", "grid", "--sweep", "size.N=3,6", "--size", "R=4", "--keep"]);
    let expected: BTreeMap<Vec<i64>, u64> =
        (0..4).flat_map(|r| (0..6).map(move |i| (vec![r, i], i as u64 + 1))).collect();
    assert_eq!(busy, expected);
}

/// A head of width 1: each PE holds a query.
const ATTENTION: &str = "kernel attention(N, M)
in  Q[N], K[M], V[M]
out O[N]
local S[N, M], m[N], l[N], o[N]
reduction online(m, l, o) with (x, p, v) = (
    max(m, x),
    select(max(m, x) == -infinity, 0, exp(m - max(m, x)) * l + exp(x - max(m, x)) * p),
    select(max(m, x) == -infinity, 0, exp(m - max(m, x)) * o + exp(x - max(m, x)) * v)) from (-infinity, 0, 0)
S[i, j] = Q[i] * K[j]
(m[i], l[i], o[i]) = online(j) (S[i, j], 1, V[j])
O[i] = o[i] / l[i]

schedule query
place (i)
";

/// Figure 16(b): each PE holds a query and takes all keys, so all are equally busy. Exactly: a score, a maximum, a
/// sum and a weighted sum for each of M keys, and the quotient: 4 M + 1 cycles.
#[test]
fn attention_is_balanced() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("attention.rec");
    fs::write(&path, ATTENTION).expect("written");
    let kernel = path.to_str().expect("a path");
    let busy = busy(&[kernel, "--schedule", "query", "--sweep", "size.N=5", "--size", "M=4"]);
    assert_eq!(busy.len(), 5);
    assert!(busy.values().all(|each| *each == 4 * 4 + 1), "{busy:?}");
}
