//! The leaves that tiling gives for the kernels: valid, read back from their text, and with the bits of their terms.

use super::examples::program;
use super::naive;
use super::naive::{elements, tile};
use super::whole::{at, numbers, same_bits};
use systole_base::diagnostic::{Checked, Diagnostics, render};
use systole_base::integer::{Bindings, name};
use systole_base::span::Source;
use systole_equations::tiles::{Leaf, TileSize};
use systole_equations::{recurrence, tiles};
use systole_program::array::{Program, parse, print};
use systole_run::leaf::{LeafBackend, Leaves, Tile};

/// The text of a file of the repository.
pub fn text_of(path: &str) -> String {
    std::fs::read_to_string(format!("{}/{path}", env!("SYSTOLE_ROOT"))).unwrap()
}

/// A program with the leaves of the kernel in a file whose indices are in tiles of this size.
pub fn tiled(path: &str, indices: &[&str], size: i64) -> Program {
    tiled_text(path, &text_of(path), indices, size)
}

/// The same of a text.
pub fn tiled_text(title: &str, text: &str, indices: &[&str], size: i64) -> Program {
    let refused = |faults: Diagnostics| -> ! { panic!("{}", render(&faults, false)) };
    try_tiled(title, text, indices, size).unwrap_or_else(|faults| refused(faults))
}

/// The same, where it may be refused.
pub fn try_tiled(title: &str, text: &str, indices: &[&str], size: i64) -> Checked<Program> {
    let system = recurrence::load(&Source::new(title, text))?;
    let sizes: Vec<TileSize> = indices.iter().map(|index| TileSize { index: name(index), size, span: None }).collect();
    let tiled = tiles::tile(&system, &sizes)?;
    let parameters: Vec<&str> = system.parameters.iter().map(|name| &**name).collect();
    let mut program = program(&parameters, tiled.leaves);
    program.tiles = tiled.counts;
    Ok(program)
}

/// How many calls of a leaf stay within their windows, at all coordinates from 0 to 3.
fn compare(program: &Program, sizes: &Bindings, number: usize, leaf: &Leaf) -> usize {
    let leaves = Leaves::new(program, sizes).unwrap_or_else(|faults| panic!("{}", render(&faults, false)));
    let sizes = systole_program::array::bind_tiles(program, sizes);
    let points = leaf.coordinates.iter().fold(vec![vec![]], |points: Vec<Vec<i64>>, _| {
        points.iter().flat_map(|point| (0..4).map(move |next| [point.clone(), vec![next]].concat())).collect()
    });
    let mut within = 0;
    for point in points {
        let bindings = at(leaf, &sizes, &point);
        let random = |boxes, seed| tile(numbers(elements(boxes, &bindings).len() as i64, seed));
        let arguments: Vec<Tile> =
            leaf.arguments.iter().zip(1..).map(|(argument, seed)| random(&argument.tile, seed)).collect();
        let onto = leaf.windows[0].operator.map(|_| random(&leaf.result, 50));
        if let Ok(Tile::Values(found)) = leaves.call(number, &point, onto.clone(), &arguments) {
            same_bits(&found, &naive::call(leaf, &sizes, &point, onto.as_ref(), &arguments));
            within += 1;
        }
    }
    within
}

fn check(kernel: &str, indices: &[&str]) -> Program {
    let program = tiled(&format!("kernels/{kernel}.rec"), indices, 3);
    let read = parse("tiled.pe", &print(&program)).unwrap_or_else(|faults| panic!("{}", render(&faults, false)));
    assert_eq!(read, program, "{kernel}");
    let sizes: Bindings = program.parameters.iter().zip([8, 7, 5, 4, 3, 3, 3]).map(|(p, n)| (p.clone(), n)).collect();
    for (number, leaf) in program.leaves.iter().enumerate() {
        let within = compare(&program, &sizes, number, leaf);
        assert!(within > 0, "no call of `{}` of {kernel} stays within its windows", leaf.name);
    }
    program
}

#[test]
fn leaves_of_kernels() {
    check("trisolve", &["i"]);
    check("cholesky", &["i"]);
    check("smith_waterman", &["i", "j"]);
    check("prefix_sum", &["i"]);
    check("fir", &["i", "k"]);
}

#[test]
fn the_leaf_of_the_matrix_product_is_one_for_the_library() {
    let program = check("matmul", &["i", "j", "k"]);
    let sizes = ["M", "N", "K"].map(|title| (name(title), 8)).into();
    let leaves = Leaves::with_backend(&program, &sizes, LeafBackend::Faer).unwrap();
    let known: Vec<_> = (0..program.leaves.len()).map(|leaf| leaves.known(leaf, &[0, 0, 0])).collect();
    assert!(known.iter().all(|known| *known == Ok(vec!["gemm"])), "{known:?} of\n{}", print(&program));
}
