//! Alignments, stencils, closure and attention of the repository against plain loops.

use crate::support::{filled, outputs, pairs, relative_error};
use ndarray::{ArrayD, IxDyn};

/// Letters of an alphabet of three.
fn letters(seed: usize, length: usize) -> ArrayD<f64> {
    filled(seed, &[length]).mapv(|value| (value * 4.0 + 30.0) % 3.0)
}

const WORDS: [(usize, usize); 7] = [(1, 1), (1, 2), (2, 1), (2, 2), (7, 4), (5, 9), (8, 8)];

#[test]
fn smith_waterman_scores_every_local_alignment() {
    for (m, n) in WORDS {
        let (a, b) = (letters(1, m), letters(2, n));
        let found = &outputs("smith_waterman.rec", &[("M", m), ("N", n)], &[("a", &a), ("b", &b)])["H"];
        let mut h = vec![vec![0i64; n + 1]; m + 1];
        for (i, j) in pairs(m, n) {
            let score = if a[[i]] == b[[j]] { 2 } else { -1 };
            h[i + 1][j + 1] = [0, h[i][j] + score, h[i][j + 1] - 1, h[i + 1][j] - 1].into_iter().max().unwrap();
        }
        assert!(pairs(m + 1, n + 1).all(|(i, j)| found[[i, j]] == h[i][j] as f64), "M = {m}, N = {n}: {found}");
    }
}

/// The edit distance by its definition, without a table.
fn distance(a: &[f64], b: &[f64]) -> usize {
    match (a.split_last(), b.split_last()) {
        (None, _) => b.len(),
        (_, None) => a.len(),
        (Some((last_a, a_rest)), Some((last_b, b_rest))) => {
            let change = distance(a_rest, b_rest) + usize::from(last_a != last_b);
            change.min(distance(a_rest, b) + 1).min(distance(a, b_rest) + 1)
        }
    }
}

#[test]
fn the_edit_distance_of_all_beginnings_is_the_definition() {
    for (m, n) in [(1, 1), (1, 2), (2, 1), (2, 2), (6, 4), (3, 5)] {
        let (a, b) = (letters(3, m), letters(4, n));
        let found = &outputs("edit_distance.rec", &[("M", m), ("N", n)], &[("a", &a), ("b", &b)])["D"];
        let (a, b) = (a.as_slice().unwrap(), b.as_slice().unwrap());
        for (i, j) in pairs(m + 1, n + 1) {
            assert_eq!(found[[i, j]], distance(&a[..i], &b[..j]) as f64, "{a:?} {b:?} at {i}, {j}");
        }
    }
}

#[test]
fn the_edit_distance_of_kitten_and_sitting_is_three() {
    let codes =
        |word: &str| ArrayD::from_shape_vec(IxDyn(&[word.len()]), word.bytes().map(f64::from).collect()).unwrap();
    let (a, b) = (codes("kitten"), codes("sitting"));
    let found = &outputs("edit_distance.rec", &[("M", 6), ("N", 7)], &[("a", &a), ("b", &b)])["D"];
    assert_eq!(found[[6, 7]], 3.0);
}

#[test]
fn jacobi1d_averages_three_points() {
    for (sweeps, n) in [(1, 1), (2, 1), (1, 2), (2, 2), (5, 3), (3, 8)] {
        let a = filled(5, &[n + 2]);
        let found = &outputs("jacobi1d.rec", &[("T", sweeps), ("N", n)], &[("A", &a)])["U"];
        let mut line: Vec<f64> = a.iter().copied().collect();
        for sweep in 0..=sweeps {
            let state: Vec<f64> = (0..n + 2).map(|i| found[[sweep, i]]).collect();
            assert_eq!(state, line, "T = {sweeps}, N = {n}, after {sweep}");
            let old = line.clone();
            (1..=n).for_each(|i| line[i] = (old[i - 1] + old[i] + old[i + 1]) / 3.0);
        }
    }
}

#[test]
fn jacobi2d_averages_five_points() {
    for (sweeps, n) in [(1, 1), (2, 2), (4, 3), (2, 5)] {
        let a = filled(6, &[n + 2, n + 2]);
        let found = &outputs("jacobi2d.rec", &[("T", sweeps), ("N", n)], &[("A", &a)])["U"];
        let mut square = a.clone();
        for sweep in 0..=sweeps {
            assert!(pairs(n + 2, n + 2).all(|(i, j)| found[[sweep, i, j]] == square[[i, j]]), "T = {sweeps}, N = {n}");
            let old = square.clone();
            for (i, j) in pairs(n, n).map(|(i, j)| (i + 1, j + 1)) {
                let sum = old[[i, j]] + old[[i - 1, j]] + old[[i + 1, j]] + old[[i, j - 1]] + old[[i, j + 1]];
                square[[i, j]] = sum / 5.0;
            }
        }
    }
}

/// Warshall's triple loop, with every node reaching itself.
fn warshall(a: &ArrayD<f64>) -> ArrayD<f64> {
    let n = a.shape()[0];
    let mut reach = ArrayD::from_shape_fn(IxDyn(&[n, n]), |at| f64::max(a[[at[0], at[1]]], f64::from(at[0] == at[1])));
    for (k, (i, j)) in (0..n).flat_map(|k| pairs(n, n).map(move |pair| (k, pair))) {
        if reach[[i, k]] == 1.0 && reach[[k, j]] == 1.0 {
            reach[[i, j]] = 1.0;
        }
    }
    reach
}

fn closure(a: &ArrayD<f64>) -> ArrayD<f64> {
    outputs("transitive_closure.rec", &[("N", a.shape()[0])], &[("A", a)])["T"].clone()
}

#[test]
fn the_closure_of_every_graph_of_up_to_three_nodes_is_warshalls() {
    for n in 1..=3usize {
        for graph in 0..1u32 << (n * n) {
            let a = ArrayD::from_shape_fn(IxDyn(&[n, n]), |at| f64::from(graph >> (at[0] * n + at[1]) & 1));
            assert_eq!(closure(&a), warshall(&a), "{a}");
        }
    }
}

#[test]
fn the_closure_of_sparse_and_of_long_graphs_is_warshalls() {
    for (seed, n) in [(1, 5), (2, 6), (3, 7), (4, 9)] {
        let sparse = filled(seed, &[n, n]).mapv(|value| f64::from(value > 5.0));
        assert_eq!(closure(&sparse), warshall(&sparse), "{sparse}");
        let cycle = ArrayD::from_shape_fn(IxDyn(&[n, n]), |at| f64::from((at[0] * 3 + 1) % n == at[1]));
        assert_eq!(closure(&cycle), warshall(&cycle), "{cycle}");
    }
}

/// Softmax as it is defined, with all scores known before the first exponential.
fn attention(q: &ArrayD<f64>, k: &ArrayD<f64>, v: &ArrayD<f64>) -> ArrayD<f64> {
    let (n, m, d) = (q.shape()[0], k.shape()[0], q.shape()[1]);
    let mut result = ArrayD::zeros(IxDyn(&[n, d]));
    for i in 0..n {
        let score = |j: usize| (0..d).map(|c| q[[i, c]] * k[[j, c]]).sum::<f64>() / (d as f64).sqrt();
        let scores: Vec<f64> = (0..m).map(score).collect();
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = scores.iter().map(|score| (score - largest).exp()).collect();
        let total: f64 = weights.iter().sum();
        (0..d).for_each(|c| result[[i, c]] = (0..m).map(|j| weights[j] * v[[j, c]]).sum::<f64>() / total);
    }
    result
}

pub const HEADS: [(usize, usize, usize); 7] =
    [(1, 1, 1), (2, 2, 2), (1, 2, 1), (2, 1, 2), (3, 7, 4), (5, 2, 3), (4, 9, 1)];

#[test]
fn flash_attention_is_softmax_attention() {
    for (n, m, d) in HEADS {
        let (q, k, v) = (filled(7, &[n, d]), filled(8, &[m, d]), filled(9, &[m, d]));
        let sizes = [("N", n), ("M", m), ("D", d)];
        let o = &outputs("flash_attention.rec", &sizes, &[("Q", &q), ("K", &k), ("V", &v)])["O"];
        assert!(relative_error(o, &attention(&q, &k, &v)) < 1e-12, "{sizes:?}");
        let large = q.mapv(|value| value * 1e3);
        let o = &outputs("flash_attention.rec", &sizes, &[("Q", &large), ("K", &k), ("V", &v)])["O"];
        assert!(relative_error(o, &attention(&large, &k, &v)) < 1e-12, "{sizes:?} with scores of thousands");
    }
}
