//! Operations that a library knows beside products: found in leaves, within rounding of their loops, and nothing like them
//! taken for them.

use super::derived::{text_of, tiled, tiled_text, try_tiled};
use super::naive::{elements, tile};
use super::whole::{at, numbers};
use systole_base::integer::Bindings;
use systole_equations::tiles::Leaf;
use systole_program::array::{Program, bind_tiles};
use systole_run::leaf::{Forecasts, LeafBackend, Leaves, Tile};

/// The libraries of this build.
pub const LIBRARIES: &[LeafBackend] = &[
    LeafBackend::Faer,
    #[cfg(feature = "openblas")]
    LeafBackend::OpenBlas,
];

/// All parameters of a program with these values, in order.
pub fn bind(program: &Program, values: &[i64]) -> Bindings {
    program.parameters.iter().cloned().zip(values.iter().copied()).collect()
}

/// Numbers for a box: with a heavy diagonal where it is a matrix that is divided by, so that solves are tame.
fn numbers_for(leaf: &Leaf, window: usize, boxes: &[Vec<i64>], seed: u64) -> Vec<f64> {
    let mut values = numbers(boxes.len() as i64, seed);
    let weight = 4.0 + 2.0 * (boxes.len() as f64).sqrt();
    for (value, element) in values.iter_mut().zip(boxes) {
        if leaf.windows[window].operator.is_none() && element.len() == 2 && element[0] == element[1] {
            *value += weight;
        }
    }
    values
}

/// The tiles that a call of a leaf takes; an entry is spoilt where one is asked for.
fn given(leaf: &Leaf, bindings: &Bindings, spoilt: Option<(usize, usize, f64)>) -> Vec<Tile> {
    let arguments = leaf.arguments.iter().enumerate().map(|(position, argument)| {
        let mut values = numbers_for(leaf, argument.window, &elements(&argument.tile, bindings), position as u64 + 1);
        if let Some((_, place, number)) = spoilt.filter(|(which, ..)| *which == position) {
            let count = values.len();
            values.get_mut(place % count.max(1)).into_iter().for_each(|value| *value = number);
        }
        tile(values)
    });
    arguments.collect()
}

fn values(tile: &Tile) -> Vec<f64> {
    match tile {
        Tile::Values(values) => values.to_vec(),
        Tile::Uniform(value) => vec![*value],
    }
}

/// Calls a leaf by loops and by each library: within `bound` of each other, and the same arithmetic counted.
pub fn compare(program: &Program, sizes: &Bindings, number: usize, point: &[i64], bound: f64) {
    let leaf = &program.leaves[number];
    let bindings = at(leaf, &bind_tiles(program, sizes), point);
    let tiles = given(leaf, &bindings, None);
    let onto = leaf.windows[0].operator.map(|_| tile(numbers(elements(&leaf.result, &bindings).len() as i64, 50)));
    let by = |backend: LeafBackend| {
        let leaves = Leaves::with_backend(program, sizes, backend).unwrap();
        let found = leaves.call(number, point, onto.clone(), &tiles).unwrap();
        (values(&found), leaves.work().applied)
    };
    let (expected, applied) = by(LeafBackend::Loops);
    let scale = expected.iter().fold(1.0f64, |scale, value| scale.max(value.abs()));
    for library in LIBRARIES {
        let (found, counted) = by(*library);
        let what = format!("{library:?}: leaf `{}` of {} at {point:?} with {sizes:?}", leaf.name, program.kernel);
        assert_eq!(counted, applied, "{what}");
        assert_eq!(found.len(), expected.len(), "{what}");
        for (a, b) in expected.iter().zip(&found) {
            assert!((a - b).abs() <= bound * scale || a.to_bits() == b.to_bits(), "{what}: {a} and {b}");
        }
    }
}

const SOLVES: [&str; 8] = [
    "solve_rows",
    "solve_columns",
    "solve_vector",
    "solve_unit_rows",
    "solve_unit_columns",
    "solve_unit_vector",
    "solve_sums_rows",
    "solve_sums_columns",
];

const FACTORS: [&str; 4] = ["factor_lower", "factor_upper", "invert_lower", "factor_both"];

/// What the leaf of a definition is called, behind a point where it has one.
fn last_name(title: &str) -> &'static str {
    match title {
        "factor_both" => "3",
        _ if title.starts_with("solve") => "X",
        _ => "2",
    }
}

/// A definition in tiles of so many elements, and the number of the leaf that it defines.
fn definition(title: &str, size: i64) -> (Program, usize) {
    let indices: &[&str] = if title.starts_with("solve") && !title.ends_with("vector") { &["r", "i"] } else { &["i"] };
    let program = tiled(&format!("rules/leaves/{title}.rec"), indices, size);
    let leaf = last_name(title);
    let number = program.leaves.iter().rposition(|found| found.name.split('.').next_back() == Some(leaf)).unwrap();
    (program, number)
}

/// Tile sizes with extents: single elements, ragged tiles, tiles larger than everything.
const EXTENTS: [(i64, [i64; 2]); 7] =
    [(1, [2, 3]), (2, [3, 5]), (3, [7, 8]), (5, [4, 3]), (16, [20, 37]), (33, [40, 70]), (64, [70, 130])];

#[test]
fn definitions_are_what_the_library_computes() {
    let factors =
        [("factor_lower", "potrf"), ("factor_upper", "potrf"), ("invert_lower", "trtri"), ("factor_both", "getrf")];
    let tasks = SOLVES.map(|title| (title, "trsm")).into_iter().chain(factors);
    for (title, service) in tasks {
        // Tiles of one element do not need each other, so L and U are not on top of each other.
        for (size, extents) in EXTENTS.into_iter().filter(|(size, _)| *size > 1 || title != "factor_both") {
            let (program, number) = definition(title, size);
            let extents = if program.parameters.len() == 1 { vec![extents[1]] } else { extents.to_vec() };
            let sizes = bind(&program, &extents);
            let count = |extent: i64| (extent + size - 1) / size;
            let leaves = Leaves::with_backend(&program, &sizes, LeafBackend::Faer).unwrap();
            let dimensions = program.leaves[number].coordinates.len();
            let largest = *extents.last().unwrap();
            for tile in 0..count(largest) {
                let point =
                    vec![tile.min(count(extents[0]) - 1).max(if dimensions == 1 { tile } else { 0 }); dimensions];
                let known = leaves.known(number, &point).unwrap();
                let is_single = size == 1 || largest - tile * size == 1;
                let found = known == [service] || (is_single && known.is_empty());
                assert!(found, "{title} in tiles of {size}, tile {point:?} of {extents:?}: {known:?}");
                compare(&program, &sizes, number, &point, 1e-11);
            }
        }
    }
}

/// Both finite, or the same infinity, or neither a number.
pub fn same_kind(one: f64, other: f64) -> bool {
    one.is_finite() && other.is_finite() || one == other || one.is_nan() && other.is_nan()
}

/// Numbers to spoil a tile with, by place: what is not finite anywhere, pivots that are 0, negative, or whose reciprocals alone are too
/// large, and numbers with products that are.
const SPOILT: [(usize, f64); 13] = [
    (0, f64::NAN),
    (3, f64::INFINITY),
    (17 * 40 + 3, f64::NAN),
    (3 * 40 + 17, f64::NEG_INFINITY),
    (39 * 40 + 38, f64::INFINITY),
    (20 * 40 + 20, f64::INFINITY),
    (25 * 40 + 25, f64::NAN),
    (41, -1.0),
    (0, 0.0),
    (22 * 40 + 22, -0.0),
    (22 * 40 + 22, 3e-309),
    (30 * 40 + 30, f64::from_bits(1)),
    (19 * 40 + 2, 1e308),
];

/// Infinities and what is not a number are where the loops have them, and nowhere else; the calls that loops did are counted.
#[test]
fn numbers_that_are_not_finite_are_where_the_loops_have_them() {
    for title in SOLVES.into_iter().chain(FACTORS) {
        let (program, number) = definition(title, 40);
        let sizes = bind(&program, &vec![40; program.parameters.len()]);
        let leaf = &program.leaves[number];
        let point = vec![0; leaf.coordinates.len()];
        let bindings = at(leaf, &bind_tiles(&program, &sizes), &point);
        for argument in 0..leaf.arguments.len() {
            for (place, number_there) in SPOILT {
                let tiles = given(leaf, &bindings, Some((argument, place, number_there)));
                let by = |backend: LeafBackend| {
                    let leaves = Leaves::with_backend(&program, &sizes, backend).unwrap();
                    (values(&leaves.call(number, &point, None, &tiles).unwrap()), leaves.work())
                };
                let (expected, _) = by(LeafBackend::Loops);
                for library in LIBRARIES {
                    let (found, work) = by(*library);
                    let what = format!("{library:?}: {title}, argument {argument}, {number_there} at {place}");
                    let is_kept = expected.iter().zip(&found).all(|(a, b)| same_kind(*a, *b));
                    assert!(is_kept, "{what}: {found:?} where the loops have {expected:?}");
                    let is_finite = expected.iter().all(|value| value.is_finite());
                    let (served, back) = (work.served.iter().sum::<u64>(), work.handed_back.iter().sum::<u64>());
                    assert_eq!(served + back, 1, "{what}");
                    assert!(is_finite || back == 1, "{what}");
                }
            }
            let tiles = given(leaf, &bindings, None);
            for library in LIBRARIES {
                let leaves = Leaves::with_backend(&program, &sizes, *library).unwrap();
                leaves.call(number, &point, None, &tiles).unwrap();
                assert_eq!(leaves.work().handed_back.iter().sum::<u64>(), 0, "{library:?}: {title}");
            }
        }
    }
}

/// A definition with one thing changed, in texts that a leaf can be made of.
const TWINS: [(&str, &str, &str); 17] = [
    ("solve_rows", "B[r, i] - sum", "B[r, i] + sum"),
    ("solve_rows", "/ L[i, i]", "* L[i, i]"),
    ("solve_rows", "/ L[i, i]", "/ L[i, 0]"),
    ("solve_rows", "0..i)", "0..i-1)"),
    ("solve_rows", "L[i, j] * X", "B[r, j] * X"),
    ("solve_columns", "B[i, r] -", "2 * B[i, r] -"),
    ("solve_columns", "L[i, j] * X", "L[i, i] * X"),
    ("solve_unit_rows", "B[r, i] - sum", "B[r, i] - 2 * sum"),
    ("factor_lower", "sqrt(A[i, i] - sum", "sqrt(A[i, i] + sum"),
    ("factor_lower", "L[i, k] * L[j, k]) / L[j, j]", "L[i, k] * L[j, k]) / A[j, j]"),
    ("factor_lower", "L[i, j] = 0 ", "L[i, j] = 1 "),
    ("invert_lower", "1 / L[i, i]", "2 / L[i, i]"),
    ("invert_lower", "-(sum", "(sum"),
    ("factor_both", "/ U[j, j]", "/ A[j, j]"),
    ("factor_both", "A[i, j] - sum(k in 0..i)", "A[i, j] + sum(k in 0..i)"),
    ("factor_both", "(A[i, j] - sum", "(2 * A[i, j] - sum"),
    ("factor_both", "sum(k in 0..j) L[i, k] * U[k, j]) / U[j, j]", "sum(k in 0..j) L[i, k] * L[j, k]) / U[j, j]"),
];

#[test]
fn twins_are_run_by_loops() {
    for (title, what, by) in TWINS {
        let text = text_of(&format!("rules/leaves/{title}.rec"));
        assert!(text.contains(what), "{title}: {what}");
        let indices: &[&str] = if title.starts_with("solve") { &["r", "i"] } else { &["i"] };
        let program = tiled_text(title, &text.replace(what, by), indices, 4);
        let sizes = bind(&program, &[12, 12]);
        let leaves = Leaves::with_backend(&program, &sizes, LeafBackend::Faer).unwrap();
        for (number, leaf) in program.leaves.iter().enumerate() {
            let is_defined = leaf.name.split('.').next_back() == Some(last_name(title)) && !leaf.name.contains("sum");
            for tile in (0..3).filter(|_| is_defined) {
                let known = leaves.known(number, &vec![tile; leaf.coordinates.len()]).unwrap();
                let taken = known.iter().any(|known| ["trsm", "potrf", "trtri", "getrf"].contains(known));
                assert!(!taken, "{title} with `{by}` at tile {tile}: {known:?}");
            }
        }
    }
}

/// A definition with other names, orders and layouts, which is the same operation.
const VARIANTS: [(&str, &[(&str, &str)]); 7] = [
    ("solve_rows", &[("L[i, j] * X[r, j]", "X[r, j] * L[j, i]")]),
    ("solve_rows", &[("B[R, N]", "B[N, R]"), ("B[r, i]", "B[i, r]")]),
    ("solve_columns", &[("L[i, j] * X[j, r]", "L[j, i] * X[j, r]"), ("B[N, R]", "B[R, N]"), ("B[i, r]", "B[r, i]")]),
    ("solve_unit_columns", &[("sum(j in 0..i) L[i, j] * X[j, r]", "sum(k in 0..i) L[k, i] * X[k, r]")]),
    ("factor_lower", &[("(A[i, j]", "(A[j, i]"), ("L[i, k] * L[j, k])", "L[j, k] * L[i, k])")]),
    ("invert_lower", &[("L[i, k] * X", "L[k, i] * X")]),
    ("factor_both", &[("L[i, k] * U[k, j]", "U[k, j] * L[i, k]"), ("A[i, j]", "A[j, i]")]),
];

#[test]
fn other_layouts_and_orders_are_the_same_operation() {
    for (title, changes) in VARIANTS {
        let text = text_of(&format!("rules/leaves/{title}.rec"));
        let text = changes.iter().fold(text, |text, (what, by)| {
            assert!(text.contains(what), "{title}: {what}");
            text.replace(what, by)
        });
        let indices: &[&str] = if title.starts_with("solve") { &["r", "i"] } else { &["i"] };
        let program = tiled_text(title, &text, indices, 21);
        let sizes = bind(&program, &vec![50; program.parameters.len()]);
        let leaves = Leaves::with_backend(&program, &sizes, LeafBackend::Faer).unwrap();
        let defined = last_name(title);
        let number = program.leaves.iter().rposition(|leaf| leaf.name.split('.').next_back() == Some(defined)).unwrap();
        for tile in 0..3 {
            let point = vec![tile; program.leaves[number].coordinates.len()];
            assert_eq!(leaves.known(number, &point).unwrap().len(), 1, "{title} {changes:?}");
            compare(&program, &sizes, number, &point, 1e-11);
        }
    }
}

/// Nests of four indices in tiles of 5, with how many products a tile of each is: products side by side, also where terms begin at the
/// product's own number, and one whose columns have two indices. In the last the number has a bound by the rows, which ties it to
/// them: for each row and number a product of a row.
const NESTS: [(&str, &[&str], u64); 4] = [
    (
        "in A[N, N, N], B[N, N, N]\nout C[N, N, N]\nC[b, i, j] = sum(k) A[b, i, k] * B[b, k, j]",
        &["b", "i", "j", "k"],
        5,
    ),
    ("in A[N, N], B[N, N, N]\nout C[N, N, N]\nC[i, r, j] = sum(k) A[i, k] * B[r, j, k]", &["i", "r", "j", "k"], 5),
    (
        "in A[N, N, N], B[N, N, N]\nout C[N, N, N]\nC[i, b, j] = sum(k in b..N) A[b, i, k] * B[b, k, j]",
        &["i", "b", "j", "k"],
        5,
    ),
    (
        "in A[N, N, N], B[N, N, N]\nout C[N, N, N]\nC[i, b, j] = sum(k) A[b, i, k] * B[b, k, j] where b <= i\nC[i, b, j] = 0 where b > i",
        &["i", "b", "j", "k"],
        15,
    ),
];

#[test]
fn a_nest_of_more_indices_is_several_products() {
    for (text, indices, products) in NESTS {
        let program = tiled_text("nest", &format!("kernel nest(N)\n{text}\n"), indices, 5);
        let sizes = bind(&program, &[14]);
        let number = program.leaves.iter().position(|leaf| &*leaf.name == "C.sum").unwrap();
        let leaves = Leaves::with_backend(&program, &sizes, LeafBackend::Faer).unwrap();
        for point in [[1, 1, 1, 1], [1, 0, 2, 2], [2, 2, 2, 2]] {
            assert_eq!(leaves.known(number, &point).unwrap(), ["gemm"], "{text} at {point:?}");
            compare(&program, &sizes, number, &point, 1e-11);
        }
        let forecast = Forecasts::new(&program, &sizes, LeafBackend::Faer).unwrap().of(number, &[1, 1, 1, 1]).unwrap();
        assert_eq!(forecast.work().served[0], products, "{text}");
    }
}

/// Where an index is not divided its loop has one round, which is opened beside a library, its bounds as conditions: leaves that no library
/// knows keep their bits.
#[test]
fn loops_of_one_round_change_no_bit() {
    let cases: [(&str, &[&str], i64); 4] = [
        ("flash_attention", &["i"], 5),
        ("mttkrp", &["i", "j"], 3),
        ("edit_distance", &["i"], 4),
        ("jacobi2d", &["i"], 3),
    ];
    let mut compared = 0;
    for (kernel, indices, size) in cases {
        let text = text_of(&format!("kernels/{kernel}.rec"));
        let Ok(program) = try_tiled(kernel, &text, indices, size) else { panic!("{kernel}") };
        let sizes = bind(&program, &vec![7; program.parameters.len()]);
        let leaves = Leaves::with_backend(&program, &sizes, LeafBackend::Faer).unwrap();
        for (number, leaf) in program.leaves.iter().enumerate() {
            for point in [[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [1, 0, 1, 0, 1], [0, 1, 0, 1, 0]] {
                let point = &point[..leaf.coordinates.len()];
                if leaves.known(number, point).is_ok_and(|known| known.is_empty()) {
                    compare(&program, &sizes, number, point, 0.0);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 40, "{compared}");
}

/// L and U lie on top of each other in a tile; below the diagonal it is a solve by columns, to the right of it one by rows, each of its
/// own layer.
#[test]
fn panels_of_both_factors_are_solves() {
    let program = tiled("kernels/lu.rec", &["i", "j"], 21);
    let sizes = bind(&program, &[50]);
    let leaves = Leaves::with_backend(&program, &sizes, LeafBackend::Faer).unwrap();
    let leaf = |name: &str| program.leaves.iter().position(|leaf| &*leaf.name == name).unwrap();
    for (name, point, expected) in
        [("L_U", [1, 0], "trsm"), ("L_U", [2, 1], "trsm"), ("L_U.2", [0, 1], "trsm"), ("L_U.2", [1, 2], "trsm")]
    {
        let number = leaf(name);
        assert_eq!(leaves.known(number, &point).unwrap(), [expected], "{name} at {point:?}");
        compare(&program, &sizes, number, &point, 1e-11);
    }
    for tile in 0..3 {
        compare(&program, &sizes, leaf("L_U.3"), &[tile], 1e-11);
    }
}

/// Every text in `rules/leaves` is held to a library's result above.
#[test]
fn no_definition_lies_idle() {
    let folder = std::fs::read_dir(concat!(env!("SYSTOLE_ROOT"), "/rules/leaves")).unwrap();
    let mut found: Vec<String> =
        folder.map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned()).collect();
    found.sort();
    let mut known: Vec<&str> = SOLVES.into_iter().chain(FACTORS).collect();
    known.sort_unstable();
    assert_eq!(found, known);
}

/// A sum that leaves its first term out is a solve in every tile but the first.
#[test]
fn bounds_count_where_they_cut() {
    let text = text_of("rules/leaves/solve_rows.rec").replace("0..i)", "1..i)");
    let program = tiled_text("solve_rows", &text, &["r", "i"], 4);
    let sizes = bind(&program, &[12, 12]);
    let leaves = Leaves::with_backend(&program, &sizes, LeafBackend::Faer).unwrap();
    let number = program.leaves.iter().position(|leaf| &*leaf.name == "X").unwrap();
    let known = [0, 1, 2].map(|tile| leaves.known(number, &[0, tile]).unwrap().join(" "));
    assert_eq!(known, ["", "trsm", "trsm"]);
    (0..3).for_each(|tile| compare(&program, &sizes, number, &[0, tile], 1e-11));
}

/// A leaf, and what a library runs of it at three tiles.
type Known = (&'static str, [&'static str; 3]);

/// For each kernel that can be tiled its leaves, with what a library runs of them at the tiles (1, 1, 0), (2, 1, 0) and (2, 0, 1).
const RECOGNISED: [(&str, &[Known]); 24] = [
    ("cholesky", &[("L", ["", "trsm", "trsm"]), ("L.sum.2", ["syrk", "gemm", ""]), ("L.2", ["potrf"; 3])]),
    ("conv1d", &[("y.sum", ["gemm"; 3])]),
    ("conv2d", &[("Y.sum", ["gemm"; 3])]),
    ("divergences", &[("D.sum", LOOPS)]),
    ("edit_distance", &[("D", LOOPS), ("D.2", LOOPS), ("D.3", LOOPS), ("D.4", LOOPS)]),
    ("fir", &[("y.sum", ["gemm"; 3])]),
    (
        "flash_attention",
        &[
            ("O", LOOPS),
            ("S", LOOPS),
            ("S.sum", ["gemm"; 3]),
            ("m_over_j", LOOPS),
            ("l_over_j", LOOPS),
            ("o_over_j", LOOPS),
        ],
    ),
    ("jacobi1d", &[("U", LOOPS), ("U.2", LOOPS), ("U.3", LOOPS), ("U.4", LOOPS)]),
    ("jacobi2d", &[("U", LOOPS), ("U.2", LOOPS), ("U.3", LOOPS), ("U.4", LOOPS), ("U.5", LOOPS), ("U.6", LOOPS)]),
    (
        "lu",
        &[
            ("L", LOOPS),
            ("U", LOOPS),
            ("L_U", ["", "trsm", "trsm"]),
            ("L_U.sum", ["gemm", "gemm", ""]),
            ("L_U.2", LOOPS),
            ("L_U.3", ["getrf"; 3]),
        ],
    ),
    ("matmul", &[("C.sum", ["gemm"; 3])]),
    ("matvec", &[("y.sum", ["gemm"; 3])]),
    ("minkowski", &[("D", LOOPS), ("D.sum", LOOPS)]),
    ("mttkrp", &[("A.sum", LOOPS)]),
    ("prefix_sum", &[("P", LOOPS), ("P.2", LOOPS)]),
    ("prefix_sum_by_definition", &[("P.sum", LOOPS)]),
    (
        "qr_givens",
        &[
            ("R", LOOPS),
            ("R.2", LOOPS),
            ("X_G_c_s", LOOPS),
            ("X_G_c_s.2", LOOPS),
            ("X_G_c_s.3", LOOPS),
            ("X_G_c_s.4", LOOPS),
            ("X_G_c_s.5", LOOPS),
        ],
    ),
    ("ranks", &[("R", LOOPS), ("R.sum", LOOPS), ("R.sum.2", LOOPS)]),
    ("smith_waterman", &[("H", LOOPS)]),
    ("transitive_closure", &[("T", LOOPS), ("C_row_column", LOOPS), ("C_row_column.2", LOOPS)]),
    ("triangular_inverse", &[("X", ["", "trsm", "trsm"]), ("X.sum", ["", "", "gemm"]), ("X.2", ["trtri"; 3])]),
    ("trisolve", &[("X", ["trsm"; 3]), ("X.sum", ["gemm", "gemm", "gemm"])]),
    ("trsm", &[("X", ["trsm"; 3]), ("X.sum", ["gemm", "gemm", ""])]),
    ("ttm", &[("Y.sum", ["gemm"; 3])]),
];

/// A leaf that no library knows.
const LOOPS: [&str; 3] = [""; 3];

/// What a library runs of each leaf of a kernel in tiles of 4; nothing of one that is refused.
fn recognised(kernel: &str) -> Vec<(String, [String; 3])> {
    let text = text_of(&format!("kernels/{kernel}.rec"));
    let is_used = |index: &&str| text.contains(&format!("[{index}")) || text.contains(&format!(", {index}]"));
    let indices: Vec<&str> = ["i", "j", "k", "r", "l", "d"].into_iter().filter(is_used).collect();
    let Ok(program) = try_tiled(kernel, &text, &indices, 4) else { return vec![] };
    let sizes = program.parameters.iter().map(|parameter| (parameter.clone(), 12)).collect();
    let leaves = Leaves::with_backend(&program, &sizes, LeafBackend::Faer).unwrap();
    let lines = program.leaves.iter().enumerate().map(|(number, leaf)| {
        let count = leaf.coordinates.len();
        let points = [[1, 1, 0, 0, 0], [2, 1, 0, 0, 0], [2, 0, 1, 0, 0]].map(|point| point[..count].to_vec());
        (leaf.name.to_string(), points.map(|point| leaves.known(number, &point).unwrap().join(" ")))
    });
    lines.collect()
}

#[test]
fn leaves_of_kernels_that_a_library_runs() {
    let folder = std::fs::read_dir(concat!(env!("SYSTOLE_ROOT"), "/kernels")).unwrap();
    let stem = |path: std::path::PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
    let files = folder.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    for kernel in files.map(stem) {
        let expected = RECOGNISED.iter().find(|(title, _)| *title == kernel).map_or(&[][..], |(_, leaves)| leaves);
        let found = recognised(&kernel);
        let found: Vec<(&str, [&str; 3])> =
            found.iter().map(|(leaf, known)| (&**leaf, known.each_ref().map(|known| &**known))).collect();
        assert_eq!(found, expected, "{kernel}");
    }
}
