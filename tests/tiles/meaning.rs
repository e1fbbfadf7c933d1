//! The meaning in the order of tiles: that of the equations as written where the order is the same, and sums that are grouped
//! otherwise where it is not.

use super::{kernel, system, tiled, tiled_by};
use ndarray::{ArrayD, Dimension};
use systole_base::integer::{Affine, Bindings, Name, Polyhedron, name};
use systole_equations::recurrence::spaces::cut_for_tiles;
use systole_equations::recurrence::{Chain, Role, Tensors, evaluate};
use systole_equations::tiles::{TileChain, TileChains, evaluate_tiled};

pub fn inputs(system: &systole_equations::recurrence::RecurrenceSystem, sizes: &Bindings) -> Tensors {
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

/// Recurrences from the last element to the first, along one coordinate or two, and a solve from the last row up: terms that a leaf
/// adds by itself come last, those of other tiles before.
const BACKWARD: [&str; 5] = [
    "kernel suffix(M, N)\nin a[M + 1], b[N]\nout X[M + 1]\nX[M] = a[M]\nX[i] = X[i + 1] + a[i] * b[0]   where i < M\n",
    "kernel far(M, N)\nin a[M + 3], b[N]\nout X[M + 3]\nX[i] = a[i] where i >= M\nX[i] = X[i + 3] * b[0] - a[i]   where i < M\n",
    "kernel corner(M, N)\nin a[M, N]\nout X[M, N]\nX[i, j] = a[i, j] where i == 0\nX[i, j] = a[i, j] where i >= 1, j == N - 1\n\
     X[i, j] = a[i, j] + X[i - 1, j + 1] - X[i, j + 1]   where i >= 1, j <= N - 2\n",
    "kernel mirror(M, N)\nin a[M], b[N]\nout X[M]\nX[M - 1] = a[0]\nX[M - 1 - i] = X[M - i] + a[i] where 1 <= i, i < M\n",
    "kernel up(M, N)\nin U[M, M] is dominant, b[M], c[N]\nout X[M]\nX[i] = (b[i] - sum(j in i + 1..M) U[i, j] * X[j]) / U[i, i]\n",
];

#[test]
fn recurrences_may_run_backward_within_a_tile() {
    for (text, side) in BACKWARD.iter().flat_map(|text| [1, 2, 3, 5].map(|side| (text, side))) {
        let system = system(text);
        let (index, other) = if text.contains("corner") { ("i", "j") } else { ("i", "i") };
        let tiled = tiled(&system, &[(index, side), (other, side)]);
        assert!(side == 1 || tiled.leaves.iter().any(|leaf| format!("{leaf:?}").contains("falls: true")), "{text}");
        for (m, n) in [(1, 1), (2, 3), (5, 2), (7, 7)] {
            let sizes = Bindings::from([(name("M"), m), (name("N"), n)]);
            let inputs = inputs(&system, &sizes);
            let found = evaluate_tiled(&tiled, &TileChains::new(), &sizes, &inputs).unwrap();
            let wanted = evaluate(&system, &sizes, &inputs).unwrap();
            let apart = found["X"].iter().zip(&wanted["X"]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-12, "{} of {side} at {m}, {n}: {found:?}, {wanted:?}", system.name);
        }
    }
}

/// Extents with a multiple of a size or several sizes, with borders, with strides: the last tiles may have no elements.
const EXTENTS: [&str; 6] = [
    "kernel later(M, N)\nin x[M + 40], b[N]\nout y[M]\ny[i] = x[i + 40] * b[0]\n",
    "kernel longer(M, N)\nin x[M + 23], b[N]\nout y[M + 23]\ny[i] = x[i] where i <= 22\ny[i] = y[i - 23] + x[i] * b[0] where i >= 23\n",
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
        let sides = if text.contains("j") { 2 } else { 1 };
        let tiled = tiled(&system, &[("i", side), ("j", side)][..sides]);
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
    let (indices, chain) = (["i", "j", "k"].map(name).to_vec(), Chain::along(vec![vec![0, 0, -1]]));
    let back = TileChain { indices, chain, set: Polyhedron::default(), coordinates: vec![] };
    let chains = TileChains::from([(name("C.sum"), vec![back])]);
    let found = evaluate_tiled(&tiled, &chains, &sizes, &inputs).unwrap();
    for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let terms = [6, 3, 4, 5, 0, 1, 2].map(|k: usize| a[[i, k]] * b[[k, j]]);
        let expected = terms.into_iter().reduce(|sum, term| sum + term).unwrap();
        assert_eq!(found["C"][[i, j]].to_bits(), expected.to_bits());
    }
}

/// The sums of row 0 run along tiles of k, those of the other rows against them: two spaces call one leaf.
#[test]
fn spaces_that_call_one_leaf_have_chains_of_their_own() {
    let system = kernel("matmul");
    let tiled = tiled(&system, &[("k", 3)]);
    let sizes: Bindings = ["M", "N", "K"].into_iter().zip([3, 2, 7]).map(|(key, value)| (name(key), value)).collect();
    let inputs = inputs(&system, &sizes);
    let (a, b) = (&inputs["A"], &inputs["B"]);
    let leaf = tiled.leaves.iter().find(|leaf| &*leaf.name == "C.sum").unwrap();
    let indices: Vec<Name> = ["i", "j", "k"].map(name).to_vec();
    let i = Affine::variable(&indices[0]);
    let of_rows = |set: Vec<Affine>, along: i64| TileChain {
        indices: indices.clone(),
        chain: Chain::along(vec![vec![0, 0, along]]),
        set: Polyhedron::new(set),
        coordinates: leaf.coordinates.iter().map(Affine::variable).collect(),
    };
    let forward = of_rows(vec![i.clone(), -i.clone()], 1);
    let back = of_rows(vec![i - Affine::constant(1)], -1);
    for chains in [[forward.clone(), back.clone()], [back, forward]] {
        let chains = TileChains::from([(name("C.sum"), chains.to_vec())]);
        let found = evaluate_tiled(&tiled, &chains, &sizes, &inputs).unwrap();
        for (i, j) in (0..3).flat_map(|i| [(i, 0), (i, 1)]) {
            let order: [usize; 7] = if i == 0 { [0, 1, 2, 3, 4, 5, 6] } else { [6, 3, 4, 5, 0, 1, 2] };
            let expected = order.map(|k| a[[i, k]] * b[[k, j]]).into_iter().reduce(|sum, term| sum + term).unwrap();
            assert_eq!(found["C"][[i, j]].to_bits(), expected.to_bits(), "{i}, {j}");
        }
    }
}

/// A kernel over `M` and `N` from `a`, `b` and `c` to `X`, tiled along an index, with what an element of `X` is by its definition.
struct Defined {
    text: &'static str,
    index: &'static str,
    element: fn(&Tensors, &[usize], i64, i64) -> f64,
}

fn at(tensors: &Tensors, name: &str, element: &[i64]) -> f64 {
    let element: Vec<usize> = element.iter().map(|subscript| usize::try_from(*subscript).unwrap()).collect();
    tensors[name][&element[..]]
}

/// Indices that go below 0, of which some read nothing.
const BELOW_0: [Defined; 4] = [
    Defined {
        text: "kernel t(M, N)\nin b, c[N]\nout X[M + 2]\nX[i] = sum(k in M - i - 1..M) b\n",
        index: "i",
        element: |given, x, _, _| (0..=x[0]).map(|_| at(given, "b", &[])).reduce(|sum, term| sum + term).unwrap(),
    },
    Defined {
        text: "kernel t(M, N)\nin a[M + 2], c[N]\nout X[M]\nX[i] = max(k in -2..M) (a[k + 2] - i)\n",
        index: "i",
        element: |given, x, m, _| {
            (0..m + 2).map(|k| at(given, "a", &[k]) - x[0] as f64).fold(f64::NEG_INFINITY, f64::max)
        },
    },
    Defined {
        text: "kernel t(M, N)\nin b, c[N]\nout X[M]\nX[i] = max(k in -2..N, l in -N..N) (b * l + k + i)\n",
        index: "i",
        element: |given, x, _, n| {
            let terms = (-2..n).flat_map(|k| (-n..n).map(move |l| (k, l)));
            let term = |(k, l): (i64, i64)| at(given, "b", &[]) * l as f64 + k as f64 + x[0] as f64;
            terms.map(term).fold(f64::NEG_INFINITY, f64::max)
        },
    },
    Defined {
        text: "kernel t(M, N)\nin b, c[M]\nout X[M]\nX[j] = max(k in -3..N) (k * b - c[j])\n",
        index: "j",
        element: |given, x, _, n| {
            let term = |k: i64| k as f64 * at(given, "b", &[]) - at(given, "c", &[x[0] as i64]);
            (-3..n).map(term).fold(f64::NEG_INFINITY, f64::max)
        },
    },
];

#[test]
fn indices_that_go_below_0_have_all_their_terms() {
    for (case, side) in BELOW_0.iter().flat_map(|case| [2, 3, 4].map(|side| (case, side))) {
        let system = system(case.text);
        let tiled = tiled(&system, &[(case.index, side)]);
        for (m, n) in (1..=5).flat_map(|m| [1, 2, 3, 8].map(|n| (m, n))) {
            let sizes = Bindings::from([(name("M"), m), (name("N"), n)]);
            let inputs = inputs(&system, &sizes);
            let found = evaluate_tiled(&tiled, &TileChains::new(), &sizes, &inputs).unwrap();
            for (x, value) in found["X"].indexed_iter() {
                let element = x.slice();
                let expected = (case.element)(&inputs, element, m, n);
                let near = (value - expected).abs() <= 1e-9 || *value == expected;
                assert!(near, "{} {side} {m} {n} {element:?}: {value} {expected}", case.text);
            }
        }
    }
}

/// Ranges that begin and end with another index, so that no bound over sizes is theirs alone; or that end at half of a size.
const NESTED: [&str; 5] = [
    "kernel t(M, N)\nin b, c[N]\nout X[M]\nX[i] = sum(k in 0..i + 1, l in k - N..k) (b * l + k)\n",
    "kernel t(M, N)\nin a[M, M], b[M, N]\nout X[M]\nX[i] = sum(k in 0..i + 1) sum(l in k - N..k) a[i, k] * b[k, l + N - k]\n",
    "kernel t(M, N)\nin b, c[N]\nout X[M]\nX[i] = sum(k in 0..N, l in k..k + M) (b * l + k)\n",
    "kernel t(M, N)\nin b, c[N]\nout X[M]\nX[i] = sum(k in 0..i + 1, l in k - 2*N..k + i - 1) (b * l + k)\n",
    "kernel t(M, N)\nin b, c[N]\nout X[2*M]\nX[i] = sum(k in 0..i + 2) (b * k + i)   where 2*i <= M\n\
    X[i] = 0   where M < 2*i\n",
];

#[test]
fn ranges_within_ranges_have_all_their_terms() {
    for (text, side) in NESTED.iter().flat_map(|text| [2, 3, 4].map(|side| (text, side))) {
        let system = system(text);
        let all =
            ["k", "l"].into_iter().filter(|index| text.contains(&format!("{index} in "))).map(|index| (index, side));
        let tiled = tiled(&system, &all.collect::<Vec<_>>());
        for (m, n) in (1..=5).flat_map(|m| [1, 2, 3, 8].map(|n| (m, n))) {
            let sizes = Bindings::from([(name("M"), m), (name("N"), n)]);
            let inputs = inputs(&system, &sizes);
            let found = evaluate_tiled(&tiled, &TileChains::new(), &sizes, &inputs).unwrap();
            let expected = evaluate(&system, &sizes, &inputs).unwrap();
            for (x, value) in found["X"].indexed_iter() {
                let near = (value - expected["X"][&x]).abs() <= 1e-9;
                assert!(near, "{text} {side} {m} {n} {x:?}: {value} {}", expected["X"][&x]);
            }
        }
    }
}

/// Steps, conditions, halves, borders, what is defined elsewhere, and what is replaced in place, each with the index that is cut.
const WRITTEN: [(&str, &str); 13] = [
    ("k", "kernel t(M, N)\nin a[N], c[M]\nout X[M]\nX[i] = sum(k where k != i) a[k] * c[i]\n"),
    ("i", "kernel t(M, N)\nin a[N], c[M]\nout X[M]\nX[i] = sum(k where k <= i) a[k] * c[i]\n"),
    ("k", "kernel t(M, N)\nin a[N], c[M]\nout X[M]\nX[i] = sum(k in 0..N step 2) a[k] * c[i]\n"),
    ("k", "kernel t(M, N)\nin a[N], c[M]\nout X[M]\nX[i] = sum(k in N-1..-1 step -1) a[k] * c[i]\n"),
    ("k", "kernel t(M, N)\nin a[N], b[2*N]\nout X[M]\nX[i] = sum(k) a[k div 2] * b[k] + i\n"),
    ("i", "kernel t(M, N)\nin a[M], b[N]\nout X[M]\nX[i] = b[0] + (a[i - 1] else 2)\n"),
    ("i", "kernel t(M, N)\nin a[M], b[3 * N]\nout X[M]\nX[i] = sum(k in 0..3) (a[i + k - 1] else 0) * b[k]\n"),
    ("i", "kernel t(M, N)\nin a[M], b[N]\nout X[M, M]\nX[i, j] = a[i] * b[0] where j < i\nX[i, j] = 0 elsewhere\n"),
    ("i", "kernel t(M, N)\nin a[M], b[N]\nout X[M]\nX[i] = a[max(0, i - 2)] + b[0]\n"),
    ("j", "kernel t(M, N)\nin b[N]\ninout A[M, M] over k in 0..M\nA[i, j] = min(A[i, j], A[i, k] + A[k, j] + b[0])\n"),
    // What is not replaced yet is read from what comes in, then from the step before: two sums that stand at one place of one equation.
    ("i", "kernel t(M, N)\nin a[M, M]\ninout x[M] over t in 0..N\nx[i] = (sum(j in 0..M) a[i, j] * x[j]) / 2\n"),
    ("i", "kernel t(M, N)\nin a[M, M]\ninout x[M] over t in 0..N\nx[i] = (sum(j where j != i) a[i, j] * x[j]) + 1\n"),
    ("i", "kernel t(M, N)\nin a[M, M]\ninout x[M] over t in 0..N\nx[i] = max(j in 0..M) min(a[i, j], x[j])\n"),
];

#[test]
fn what_people_write_has_its_meaning_in_tiles() {
    for ((index, text), side) in WRITTEN.iter().flat_map(|case| [2, 3].map(|side| (case, side))) {
        let system = system(text);
        let tiled = tiled(&system, &[(index, side)]);
        for (m, n) in [(1, 1), (2, 5), (5, 2), (6, 7)] {
            let sizes = Bindings::from([(name("M"), m), (name("N"), n)]);
            let inputs = inputs(&system, &sizes);
            let found = evaluate_tiled(&tiled, &TileChains::new(), &sizes, &inputs).unwrap();
            for (tensor, wanted) in evaluate(&system, &sizes, &inputs).unwrap() {
                let apart = found[&tensor].iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(apart < 1e-12, "{text} {side} {m} {n}: {:?} {wanted:?}", found[&tensor]);
            }
        }
    }
    // What is written by strides is in strips of its own, which tiles do not follow.
    let halved = system("kernel t(M, N)\nin a[M], b[N]\nout X[2*M]\nX[i] = a[i div 2] * b[0]\n");
    let faults = tiled_by(&halved, &[("i", 2)]).expect_err("a refusal");
    assert_eq!(faults[0].message(), "`X` cannot be tiled: its subscripts do not name its points");
}

/// Each term of a reduction is at an element of the axis that its index is cut along: all others would be in no tile.
#[test]
fn every_term_is_in_a_tile() {
    let short = "kernel t(M, N)\nin b\nout X[M + N]\nX[i] = sum(k in 0..N - 2*M) sum(l in 2 - M..N - 3) (b + k * l)\n";
    let texts = BELOW_0.iter().map(|case| (case.text, case.index)).chain([(short, "k"), (short, "l")]);
    let texts = texts.chain(NESTED[..4].iter().map(|text| (*text, "l"))).chain([(NESTED[4], "k")]);
    for ((text, index), side) in texts.flat_map(|case| [1, 3, 4].map(|side| (case, side))) {
        let tiled = tiled(&system(text), &[(index, side)]);
        let cut = cut_for_tiles(&tiled.elements).unwrap();
        for (m, n) in (1..=4).flat_map(|m| [1, 2, 3, 9].map(|n| (m, n))) {
            let sizes = Bindings::from([(name("M"), m), (name("N"), n)]);
            for space in &cut.spaces {
                let all = space.domain.set.points(space.indices(), &sizes).unwrap();
                for (point, reduced) in
                    all.iter().flat_map(|point| space.reduced.iter().map(move |index| (point, index)))
                {
                    let axis = &tiled.along[&space.name][reduced];
                    let (body, tiles) = (axis.body.evaluate(&sizes).unwrap(), axis.tiles(&sizes).unwrap());
                    let place = space.indices().iter().position(|index| index == reduced).unwrap();
                    let spans = (0..tiles).map(|tile| axis.span(tile, body));
                    let holding = spans.filter(|(first, last)| (*first..=*last).contains(&point[place]));
                    assert_eq!(holding.count(), 1, "{text} {side} {m} {n}: {reduced} at {point:?} along {axis:?}");
                }
            }
        }
    }
}

/// Recurrences over intervals: the tile of an element holds the first and the last terms of its reduction.
const INTERVALS: [&str; 4] = [
    "kernel pairs(N)\nin s[N]\nout X[N, N]\nX[i, j] = 0   where j <= i + 1\nX[i, j] = max(X[i + 1, j - 1] + s[i] * s[j], \
     max(k in i..j) (X[i, k] + X[k + 1, j]))   where 0 <= i, i + 1 < j, j < N\n",
    "kernel chain(N)\nin p[N + 1]\nout X[N, N]\nX[i, i] = 0\nX[i, j] = min(k in i..j) (X[i, k] + X[k + 1, j] + \
     p[i] * p[k + 1] * p[j + 1])   where 0 <= i, i < j, j < N\nX[i, j] = 0   where i > j\n",
    "kernel sums(N)\nin p[N]\nout X[N, N]\nX[i, i] = p[i]\nX[i, j] = sum(k in i..j) (X[i, k] / 4 - X[k + 1, j] / 8) \
     where 0 <= i, i < j, j < N\nX[i, j] = 0   where i > j\n",
    // The last element is a tile of its own, which the reduction's index never reaches.
    "kernel trees(N)\nin p[N + 1]\nout X[N + 1, N + 1]\nX[i, i] = p[i]\nX[i, j] = p[j] + min(k in i..j) (X[i, k] + X[k + 1, j]) \
     where 0 <= i, i < j, j <= N\nX[i, j] = 0   where i > j\n",
];

#[test]
fn a_tile_holds_the_first_and_the_last_terms_of_an_interval() {
    for (text, side) in INTERVALS.iter().flat_map(|text| [1, 2, 3, 5].map(|side| (text, side))) {
        let system = system(text);
        let tiled = tiled(&system, &[("i", side)]);
        for n in [1, 2, 3, 5, 7, 10] {
            let sizes = Bindings::from([(name("N"), n)]);
            let inputs = inputs(&system, &sizes);
            let found = evaluate_tiled(&tiled, &TileChains::new(), &sizes, &inputs).unwrap();
            let wanted = evaluate(&system, &sizes, &inputs).unwrap();
            let apart = found["X"].iter().zip(&wanted["X"]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-12, "{} of {side} at {n}: {found:?}, {wanted:?}", system.name);
        }
    }
}
