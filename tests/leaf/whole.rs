//! Kernels computed tile by tile give the bits of loops over whole arrays.

use super::examples::{convolution, matrix_product, prefix_sum, program, smith_waterman, triangular_solve};
use super::naive::{elements, tile};
use systole_base::integer::{Affine, Bindings, name};
use systole_equations::tiles::{Axis, Leaf};
use systole_run::leaf::{Element, Leaves, Tile};

pub fn sizes(values: &[(&str, i64)]) -> Bindings {
    values.iter().map(|(parameter, value)| (name(parameter), *value)).collect()
}

/// Numbers that are not sums of few powers of two.
pub fn numbers(count: i64, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// The leaves of a program over these parameters.
pub fn prepare(leaves: &[Leaf], sizes: &Bindings) -> Leaves {
    let parameters: Vec<&str> = sizes.keys().map(|name| &**name).collect();
    Leaves::new(&program(&parameters, leaves.to_vec()), sizes).unwrap()
}

/// A row-major array with these extents, and its tiles.
pub struct Whole {
    pub extents: Vec<i64>,
    pub values: Vec<f64>,
}

impl Whole {
    fn address(&self, element: &[i64]) -> usize {
        element.iter().zip(&self.extents).fold(0, |address, (subscript, extent)| address * extent + subscript) as usize
    }

    /// The tile at these coordinates.
    pub fn tile(&self, boxes: &[(Axis, Affine)], bindings: &Bindings) -> Tile {
        tile(elements(boxes, bindings).iter().map(|element| self.values[self.address(element)]).collect())
    }

    pub fn put(&mut self, boxes: &[(Axis, Affine)], bindings: &Bindings, tile: &Tile) {
        let Tile::Values(values) = tile else { panic!("a tile of values") };
        for (element, value) in elements(boxes, bindings).iter().zip(values.iter()) {
            let address = self.address(element);
            self.values[address] = *value;
        }
    }
}

fn tiles(extent: i64, size: i64) -> i64 {
    (extent + size - 1) / size
}

/// Sizes with the coordinates of a call.
pub fn at(leaf: &Leaf, sizes: &Bindings, at: &[i64]) -> Bindings {
    sizes
        .iter()
        .map(|(name, value)| (name.clone(), *value))
        .chain(leaf.coordinates.iter().cloned().zip(at.iter().copied()))
        .collect()
}

pub fn same_bits<E: Element>(found: &[E], expected: &[E]) {
    let bits = |values: &[E]| values.iter().map(|value| value.double().to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(found), bits(expected), "{found:?} for {expected:?}");
}

fn multiply_by_tiles(leaf: &Leaf, extents: [i64; 3], cuts: [i64; 3], a: &Whole, b: &Whole) -> Vec<f64> {
    let [m, n, k] = extents;
    let sizes = sizes(&[("M", m), ("N", n), ("K", k)]);
    let leaves = prepare(std::slice::from_ref(leaf), &sizes);
    let mut c = Whole { extents: vec![m, n], values: vec![f64::NAN; (m * n) as usize] };
    for i in 0..tiles(m, cuts[0]) {
        for j in 0..tiles(n, cuts[1]) {
            let mut running = None;
            for l in 0..tiles(k, cuts[2]) {
                let bindings = at(leaf, &sizes, &[i, j, l]);
                let given = [a.tile(&leaf.arguments[0].tile, &bindings), b.tile(&leaf.arguments[1].tile, &bindings)];
                running = Some(leaves.call(0, &[i, j, l], running, &given).unwrap());
            }
            c.put(&leaf.result, &at(leaf, &sizes, &[i, j, 0]), &running.unwrap());
        }
    }
    c.values
}

#[test]
fn matrix_products() {
    let shapes = [[4, 4, 4], [5, 7, 6], [1, 1, 1], [3, 2, 9], [17, 70, 33], [2, 130, 3]];
    for (extents, cuts) in
        shapes.iter().flat_map(|shape| [[4, 4, 4], [3, 5, 2], [16, 66, 8], [200, 200, 200]].map(|cut| (*shape, cut)))
    {
        let [m, n, k] = extents;
        let a = Whole { extents: vec![m, k], values: numbers(m * k, 1) };
        let b = Whole { extents: vec![k, n], values: numbers(k * n, 2) };
        let found = multiply_by_tiles(&matrix_product(cuts), extents, cuts, &a, &b);
        let entry = |i: i64, j: i64| {
            let products = (0..k).map(|l| a.values[(i * k + l) as usize] * b.values[(l * n + j) as usize]);
            products.reduce(|sum, product| sum + product).unwrap()
        };
        let expected: Vec<f64> = (0..m).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| entry(i, j)).collect();
        same_bits(&found, &expected);
    }
}

#[test]
fn a_tile_that_somebody_else_holds_is_left_alone() {
    let leaf = matrix_product([2, 2, 2]);
    let leaves = prepare(&[leaf], &sizes(&[("M", 2), ("N", 2), ("K", 2)]));
    let onto = tile(vec![1.0; 4]);
    let given = [tile(vec![1.0, 2.0, 3.0, 4.0]), Tile::Uniform(1.0)];
    let found = leaves.call(0, &[0, 0, 0], Some(onto.clone()), &given).unwrap();
    assert_eq!(found, tile(vec![4.0, 4.0, 8.0, 8.0]));
    assert_eq!(onto, tile(vec![1.0; 4]));
}

#[test]
fn triangular_solves() {
    for (n, cut) in [(1, 1), (4, 4), (7, 3), (9, 4), (5, 8), (66, 32)] {
        let kernel = triangular_solve(cut);
        let sizes = sizes(&[("N", n)]);
        let leaves = prepare(&kernel, &sizes);
        let l = Whole { extents: vec![n, n], values: numbers(n * n, 3).iter().map(|value| value + 2.0).collect() };
        let b = Whole { extents: vec![n], values: numbers(n, 4) };
        let mut x = Whole { extents: vec![n], values: vec![f64::NAN; n as usize] };
        for i in 0..tiles(n, cut) {
            let mut sum = Tile::Uniform(0.0);
            for j in 0..i {
                let bindings = at(&kernel[0], &sizes, &[i, j]);
                let given =
                    [l.tile(&kernel[0].arguments[0].tile, &bindings), x.tile(&kernel[0].arguments[1].tile, &bindings)];
                sum = leaves.call(0, &[i, j], Some(sum), &given).unwrap();
            }
            let bindings = at(&kernel[1], &sizes, &[i]);
            let given =
                [sum, l.tile(&kernel[1].arguments[1].tile, &bindings), b.tile(&kernel[1].arguments[2].tile, &bindings)];
            let found = leaves.call(1, &[i], None, &given).unwrap();
            x.put(&kernel[1].result, &bindings, &found);
        }
        let mut expected: Vec<f64> = vec![];
        for i in 0..n as usize {
            let sum = (0..i).map(|j| l.values[i * n as usize + j] * expected[j]).reduce(|a, b| a + b).unwrap_or(-0.0);
            expected.push((b.values[i] - sum) / l.values[i * n as usize + i]);
        }
        same_bits(&x.values, &expected);
    }
}

#[test]
fn alignments_of_sequences() {
    for ([m, n], cut) in [([1, 1], [2, 2]), ([5, 7], [2, 3]), ([8, 8], [4, 4]), ([9, 4], [1, 1]), ([6, 6], [10, 10])] {
        let leaf = smith_waterman(cut);
        let sizes = sizes(&[("M", m), ("N", n)]);
        let leaves = prepare(std::slice::from_ref(&leaf), &sizes);
        let letters = |count: i64, seed| Whole {
            extents: vec![count],
            values: numbers(count, seed).iter().map(|value| (value * 2.0).floor()).collect(),
        };
        let (a, b) = (letters(m, 5), letters(n, 6));
        let mut h = Whole { extents: vec![m, n], values: vec![f64::NAN; (m * n) as usize] };
        for i in 0..tiles(m, cut[0]) {
            for j in 0..tiles(n, cut[1]) {
                let bindings = at(&leaf, &sizes, &[i, j]);
                let mut given: Vec<Tile> =
                    leaf.arguments[..3].iter().map(|argument| h.tile(&argument.tile, &bindings)).collect();
                given.extend([a.tile(&leaf.arguments[3].tile, &bindings), b.tile(&leaf.arguments[4].tile, &bindings)]);
                let found = leaves.call(0, &[i, j], None, &given).unwrap();
                h.put(&leaf.result, &bindings, &found);
            }
        }
        same_bits(&h.values, &align(&a.values, &b.values));
    }
}

fn align(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut h = vec![0.0; a.len() * b.len()];
    for i in 0..a.len() {
        for j in 0..b.len() {
            let score: f64 = if a[i] == b[j] { 3.0 } else { -2.0 };
            h[i * b.len() + j] = match (i, j) {
                (0, _) | (_, 0) => score.max(0.0),
                _ => {
                    let (above, here) = ((i - 1) * b.len() + j, i * b.len() + j);
                    (h[above - 1] + score).max(0.0).max(h[above] - 1.0).max(h[here - 1] - 1.0)
                }
            };
        }
    }
    h
}

#[test]
fn prefix_sums() {
    for (n, cut) in [(1, 3), (2, 3), (4, 3), (8, 3), (200, 64)] {
        let leaf = prefix_sum(cut);
        let sizes = sizes(&[("N", n)]);
        let leaves = prepare(std::slice::from_ref(&leaf), &sizes);
        let x = Whole { extents: vec![n], values: numbers(n, 7) };
        let mut s = Whole { extents: vec![n], values: vec![f64::NAN; n as usize] };
        for i in 0..1 + tiles(n - 1, cut) {
            let bindings = at(&leaf, &sizes, &[i]);
            let given = [s.tile(&leaf.arguments[0].tile, &bindings), x.tile(&leaf.arguments[1].tile, &bindings)];
            let found = leaves.call(0, &[i], None, &given).unwrap();
            s.put(&leaf.result, &bindings, &found);
        }
        let expected = x.values.iter().scan(-0.0, |sum, value| {
            *sum += value;
            Some(*sum)
        });
        same_bits(&s.values, &expected.collect::<Vec<_>>());
    }
}

#[test]
fn convolutions() {
    for (n, k, cut) in [(1, 1, 1), (5, 3, 4), (8, 4, 4), (100, 7, 32), (3, 4, 8)] {
        let leaf = convolution(cut, cut);
        let sizes = sizes(&[("N", n), ("K", k)]);
        let leaves = prepare(std::slice::from_ref(&leaf), &sizes);
        let (x, w) = (
            Whole { extents: vec![n + k - 1], values: numbers(n + k - 1, 8) },
            Whole { extents: vec![k], values: numbers(k, 9) },
        );
        let mut y = Whole { extents: vec![n], values: vec![f64::NAN; n as usize] };
        for i in 0..tiles(n, cut) {
            let bindings = at(&leaf, &sizes, &[i, 0]);
            let given: Vec<Tile> = [&x, &x, &w]
                .iter()
                .zip(&leaf.arguments)
                .map(|(whole, argument)| whole.tile(&argument.tile, &bindings))
                .collect();
            let found = leaves.call(0, &[i, 0], None, &given).unwrap();
            y.put(&leaf.result, &bindings, &found);
        }
        let expected = (0..n as usize)
            .map(|i| (0..k as usize).map(|l| x.values[i + l] * w.values[l]).reduce(|a, b| a + b).unwrap());
        same_bits(&y.values, &expected.collect::<Vec<_>>());
    }
}
