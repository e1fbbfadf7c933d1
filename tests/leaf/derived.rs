//! The leaves that tiling gives for the kernels: valid, read back from their text, and with the bits of their terms.

use super::examples::program;
use super::naive::{self, elements, tile};
use super::whole::{at, numbers, same_bits};
use systole::array::{Program, parse, print};
use systole::diagnostic::{Diagnostic, render};
use systole::integer::{Bindings, name};
use systole::leaf::{LeafBackend, Leaves, Tile};
use systole::recurrence;
use systole::span::Source;
use systole::tiles::{self, Leaf, TileSize};

/// A program with the leaves of a kernel whose indices are tiled by 3.
fn tiled(kernel: &str, indices: &[&str]) -> Program {
    let text = std::fs::read_to_string(format!("kernels/{kernel}.rec")).unwrap();
    let refused = |faults: &[Diagnostic]| -> ! { panic!("{}", render(faults, false)) };
    let system = recurrence::load(&Source::new(kernel, &text)).unwrap_or_else(|faults| refused(&faults));
    let sizes: Vec<TileSize> =
        indices.iter().map(|index| TileSize { index: name(index), size: 3, span: None }).collect();
    let tiled = tiles::tile(&system, &sizes).unwrap_or_else(|faults| refused(&faults));
    let parameters: Vec<&str> = system.parameters.iter().map(|name| &**name).collect();
    let mut program = program(&parameters, tiled.leaves);
    program.tiles = tiled.counts;
    program
}

/// How many calls of a leaf stay within their windows, at all coordinates from 0 to 3.
fn compare(program: &Program, sizes: &Bindings, number: usize, leaf: &Leaf) -> usize {
    let leaves = Leaves::new(program, sizes).unwrap_or_else(|faults| panic!("{}", render(&faults, false)));
    let sizes = systole::array::bind_tiles(program, sizes);
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
    let program = tiled(kernel, indices);
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
    let nests: Vec<usize> = (0..program.leaves.len()).map(|leaf| leaves.library_nests(leaf)).collect();
    assert!(nests.iter().all(|nests| *nests == 1), "{nests:?} of\n{}", print(&program));
}
