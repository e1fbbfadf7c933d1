//! Attention in blocks of keys, tiled: a block's scores and its values are two products of matrices, and nothing is kept for each key.

use super::command::{Emitted, systole};
use super::programs::Way;
use ndarray::{Array2, Array3, ArrayD};
use ndarray_npy::{read_npy, write_npy};
use serde_json::{Value, json};

/// The program in small tiles of queries, which is one of those of `tiles`, and is written once for all.
fn streamed() -> Emitted {
    let flags =
        ["--tile", "i=4,j=128,d=64", "--schedule", "streamed", "--budget", "100000"].map(str::to_owned).to_vec();
    Emitted::by(&Way { kernel: "blocks/attention".to_owned(), flags })
}

/// Queries on three workers in rows, each with a tile of queries: keys and values of each block pass both borders, and nothing else does.
#[test]
fn keys_and_values_go_from_worker_to_worker() {
    let emitted = streamed();
    let flags = ["exec", &emitted.program, "--size", "N=11,R=2", "--threads", "3", "--grid", "3x1", "--leaves", "faer"];
    let output = systole(&[&flags[..], &["--json"]].concat());
    let found: Value = serde_json::from_slice(&output.stdout).expect("one object");
    assert_eq!((&found["words"], &found["served"]), (&(2 * 2 * 2).into(), &json!({ "gemm": 2 * 3 * 2 })));
}

/// Queries, blocks, keys of a block, width.
const SIZES: [usize; 4] = [11, 3, 128, 64];

fn numbers(count: usize, seed: usize) -> Vec<f64> {
    (0..count).map(|at| ((at * 37 + seed * 11) % 101) as f64 / 50.0 - 1.0).collect()
}

/// Queries, keys, values.
fn operands() -> (Array2<f64>, [Array3<f64>; 2]) {
    let [queries, blocks, keys, width] = SIZES;
    let block = |seed| Array3::from_shape_vec((blocks, keys, width), numbers(blocks * keys * width, seed));
    let q = Array2::from_shape_vec((queries, width), numbers(queries * width, 1)).expect("a shape");
    (q, [2, 3].map(|seed| block(seed).expect("a shape")))
}

/// By the definition: no maximum, no blocks.
fn by_definition(q: &Array2<f64>, [k, v]: &[Array3<f64>; 2]) -> Array2<f64> {
    let [queries, blocks, keys, width] = SIZES;
    let all = || (0..blocks).flat_map(|r| (0..keys).map(move |j| (r, j)));
    let score = |i: usize, (r, j): (usize, usize)| (0..width).map(|d| q[[i, d]] * k[[r, j, d]]).sum::<f64>();
    let weight = |i: usize, key: (usize, usize)| (score(i, key) / (width as f64).sqrt()).exp();
    Array2::from_shape_fn((queries, width), |(i, d)| {
        let values: f64 = all().map(|(r, j)| weight(i, (r, j)) * v[[r, j, d]]).sum();
        values / all().map(|key| weight(i, key)).sum::<f64>()
    })
}

#[test]
fn blocks_of_keys_are_two_products_each() {
    let emitted = streamed();
    let (q, blocks) = operands();
    let path = |name: &str| emitted.path(&format!("{name}.npy"));
    write_npy(path("Q"), &q).expect("written");
    ["K", "V"].iter().zip(&blocks).for_each(|(name, block)| write_npy(path(name), block).expect("written"));
    let inputs = ["Q", "K", "V"].map(|name| format!("{name}={}", path(name)));
    let target = format!("O={}", path("O"));
    let inputs = inputs.iter().flat_map(|input| ["--input", input]);
    let flags: Vec<&str> = inputs.chain(["--size", "N=11,R=3", "--json", "--output", &target]).collect();
    let expected = by_definition(&q, &blocks);
    for (leaves, threads, served) in [
        ("loops", "1", json!({})),
        ("faer", "1", json!({"gemm": 2 * 3 * 3})),
        ("faer", "2", json!({"gemm": 2 * 3 * 3})),
    ] {
        let output =
            systole(&[&["exec", &emitted.program, "--leaves", leaves, "--threads", threads], &flags[..]].concat());
        let found: Value = serde_json::from_slice(&output.stdout).expect("one object");
        assert_eq!(found["served"], served, "{leaves}");
        let found: ArrayD<f64> = read_npy(path("O")).expect("an array");
        let worst = found.iter().zip(&expected).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-14, "{leaves} on {threads}: {worst}");
    }
}
