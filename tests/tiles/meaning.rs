//! The meaning in the order of tiles: that of the equations as written where the order is the same, and sums that are grouped
//! otherwise where it is not.

use super::{kernel, system, tiled};
use ndarray::ArrayD;
use systole_base::integer::{Bindings, name};
use systole_equations::recurrence::{Chain, Role, Tensors, evaluate};
use systole_equations::tiles::{TileChains, evaluate_tiled};

fn inputs(system: &systole_equations::recurrence::RecurrenceSystem, sizes: &Bindings) -> Tensors {
    let input = |(number, tensor): (usize, &systole_equations::recurrence::Tensor)| {
        let shape: Vec<usize> = tensor.shape.iter().map(|side| side.evaluate(sizes).unwrap() as usize).collect();
        let mut state = 0.37 + number as f64;
        let values = ArrayD::from_shape_simple_fn(shape, || {
            state = (state * 3.93).fract() * (1.0 - (state * 3.93).fract()) * 3.99;
            state - 0.5
        });
        let values = tensor.assumption.map_or(values.clone(), |assumption| assumption.impose(values));
        (tensor.name.clone(), values)
    };
    system.tensors.iter().filter(|tensor| tensor.role == Role::Input).enumerate().map(input).collect()
}

#[test]
fn tiles_in_the_written_order_change_no_bit() {
    for (title, index) in [("matmul", "k"), ("trisolve", "i"), ("cholesky", "j"), ("triangular_inverse", "k")] {
        let system = kernel(title);
        let tiled = tiled(&system, &[(index, 3)]);
        for size in [1, 2, 3, 7] {
            let sizes: Bindings = system.parameters.iter().map(|parameter| (parameter.clone(), size)).collect();
            let inputs = inputs(&system, &sizes);
            let found = evaluate_tiled(&tiled, &TileChains::new(), &sizes, &inputs).unwrap();
            assert_eq!(found, evaluate(&system, &sizes, &inputs).unwrap(), "{title} at {size}");
        }
    }
}

/// Row and column 0 have equations of their own, which read themselves at a subscript that is a number, in the tile of the others.
/// Source: dynamic time warping, Sakoe and Chiba, IEEE Trans. ASSP 26(1), 1978, equation (9) without weights.
const TIME_WARPING: &str = "kernel time_warping(M, N)\nin a[M], b[N]\nout D[M, N]\nD[0, 0] = abs(a[0] - b[0])\n\
    D[i, 0] = abs(a[i] - b[0]) + D[i - 1, 0]   where 1 <= i\nD[0, j] = abs(a[0] - b[j]) + D[0, j - 1]   where 1 <= j\n\
    D[i, j] = abs(a[i] - b[j]) + min(D[i - 1, j - 1], min(D[i - 1, j], D[i, j - 1]))   where 1 <= i, 1 <= j\n";

#[test]
fn equations_of_a_border_read_the_tile_that_all_write() {
    let system = system(TIME_WARPING);
    let tiled = tiled(&system, &[("i", 3), ("j", 4)]);
    for (rows, columns) in [(1, 1), (1, 6), (3, 4), (4, 5), (10, 13)] {
        let sizes = Bindings::from([(name("M"), rows), (name("N"), columns)]);
        let inputs = inputs(&system, &sizes);
        let found = evaluate_tiled(&tiled, &TileChains::new(), &sizes, &inputs).unwrap();
        assert_eq!(found, evaluate(&system, &sizes, &inputs).unwrap(), "{rows} by {columns}");
    }
}

/// Extents with a multiple of a size or several sizes, with borders, with strides: the last tiles may have no elements.
const EXTENTS: [&str; 4] = [
    "kernel longest(M, N)\nin x[3*M + 2], z[2*N + M]\nout H[3*M + 3, 2*N + M + 1]\nH[0, j] = 0\nH[i, 0] = 0   where 1 <= i\n\
    H[i, j] = max(max(H[i - 1, j], H[i, j - 1]), H[i - 1, j - 1] + x[i - 1] * z[j - 1])   where 1 <= i, 1 <= j\n",
    "kernel blur(M, N)\nin x[2*M + N - 1], w[N]\nout y[2*M]\ny[i] = sum(j) w[j] * x[i + j]\n",
    "kernel decimated(M, N)\nin x[2*M + N], w[N]\nout y[M]\ny[i] = sum(j) w[j] * x[2*i + j]\n",
    "kernel crosswise(M, N)\nin a[2*M], b[N + M]\nout c[N + 3*M - 1]\nc[i + j] = sum(i, j) a[i] * b[j]\n",
];

#[test]
fn extents_of_several_sizes_have_tiles_of_each() {
    for (text, side) in EXTENTS.iter().flat_map(|text| [2, 3, 4, 7].map(|side| (text, side))) {
        let system = system(text);
        let tiled = tiled(&system, &[("i", side), ("j", side)]);
        for (m, n) in (1..=5).flat_map(|m| [1, 2, 4, 7].map(|n| (m, n))) {
            let sizes = Bindings::from([(name("M"), m), (name("N"), n)]);
            let inputs = inputs(&system, &sizes);
            let found = evaluate_tiled(&tiled, &TileChains::new(), &sizes, &inputs).unwrap();
            assert_eq!(found, evaluate(&system, &sizes, &inputs).unwrap(), "{} {side} {m} {n}", system.name);
        }
    }
}

/// Tiles of k from the last to the first: sums of 3, 3 and 1 terms in the reverse order of the tiles.
#[test]
fn a_chain_that_runs_back_turns_the_order_of_the_tiles_round() {
    let system = kernel("matmul");
    let tiled = tiled(&system, &[("k", 3)]);
    let sizes: Bindings = ["M", "N", "K"].into_iter().zip([2, 2, 7]).map(|(key, value)| (name(key), value)).collect();
    let inputs = inputs(&system, &sizes);
    let (a, b) = (&inputs["A"], &inputs["B"]);
    let back = Chain { directions: vec![vec![0, 0, -1]] };
    let chains = TileChains::from([(name("C.sum"), (["i", "j", "k"].map(name).to_vec(), back))]);
    let found = evaluate_tiled(&tiled, &chains, &sizes, &inputs).unwrap();
    for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let terms = [6, 3, 4, 5, 0, 1, 2].map(|k: usize| a[[i, k]] * b[[k, j]]);
        let expected = terms.into_iter().reduce(|sum, term| sum + term).unwrap();
        assert_eq!(found["C"][[i, j]].to_bits(), expected.to_bits());
    }
}
