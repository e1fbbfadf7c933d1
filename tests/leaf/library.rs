//! Leaves that a library runs are within rounding of those that loops run; what is no matrix product stays with the loops.

use super::examples::{
    add_product, argument, axis, bound, element, form, forms, matrix_product, names, program, range, repeat,
    smith_waterman, triangular_solve, window,
};
use super::naive::{elements, tile};
use super::specials::{FILLINGS, special};
use super::tasks::{LIBRARIES, same_kind};
use super::whole::{at, numbers, same_bits, sizes};
use proptest::prelude::*;
use systole_base::integer::{Bindings, name};
use systole_base::scalar::Function;
use systole_equations::recurrence::Operator;
use systole_equations::tiles::{Leaf, Step, Value};
use systole_run::leaf::{Element, LeafBackend, Leaves, Tile};

/// A result by loops and by the library, and what the library runs. Both count the same arithmetic.
fn both<E: Element>(
    leaf: &Leaf,
    sizes: &Bindings,
    coordinates: &[i64],
    with_onto: bool,
) -> ([Vec<E>; 2], Vec<&'static str>) {
    let parameters: Vec<&str> = sizes.keys().map(|name| &**name).collect();
    let program = program(&parameters, vec![leaf.clone()]);
    let bindings = at(leaf, sizes, coordinates);
    let random = |boxes, seed| tile(numbers(elements(boxes, &bindings).len() as i64, seed));
    let arguments: Vec<Tile<E>> =
        leaf.arguments.iter().zip(1..).map(|(argument, seed)| random(&argument.tile, seed)).collect();
    let onto = with_onto.then(|| random(&leaf.result, 100));
    let (mut known, mut applied) = (vec![], vec![]);
    let results = [LeafBackend::Loops, LeafBackend::Faer].map(|backend| {
        let leaves = Leaves::with_backend(&program, sizes, backend).unwrap();
        known = leaves.known(0, coordinates).unwrap();
        let found = leaves.call(0, coordinates, onto.clone(), &arguments).unwrap();
        applied.push(leaves.work().applied);
        match found {
            Tile::Values(values) => values.to_vec(),
            Tile::Uniform(value) => vec![value],
        }
    });
    assert_eq!(applied[0], applied[1], "{leaf:?}");
    (results, known)
}

fn close(leaf: &Leaf, sizes: &Bindings, coordinates: &[i64]) {
    for with_onto in [false, true] {
        close_in::<f64>(leaf, sizes, coordinates, with_onto, 1e-12);
        close_in::<f32>(leaf, sizes, coordinates, with_onto, 1e-5);
    }
}

fn close_in<E: Element>(leaf: &Leaf, sizes: &Bindings, coordinates: &[i64], with_onto: bool, tolerance: f64) {
    let (results, known) = both::<E>(leaf, sizes, coordinates, with_onto);
    let [loops, library] = results.map(|values| values.into_iter().map(E::double).collect::<Vec<_>>());
    assert_eq!(known, ["gemm"], "{leaf:?}");
    assert_eq!(loops.len(), library.len());
    let scale = loops.iter().fold(1.0f64, |scale, value| scale.max(value.abs()));
    for (a, b) in loops.iter().zip(&library) {
        assert!((a - b).abs() <= tolerance * scale, "{a} and {b} for {coordinates:?} of {leaf:?}");
    }
}

/// The matrix product with other subscripts: `c`, `a` and `b` as written, with windows and tiles to match.
fn product_of(c: &[&str], a: &[&str], b: &[&str], function: Function) -> Leaf {
    let mut leaf = matrix_product([7, 5, 6]);
    let place = |subscript: &&str| match *subscript {
        "i" => (range("i", 0, 0, "M"), (axis("M", 7), form("I"))),
        "j" => (range("j", 0, 0, "N"), (axis("N", 5), form("J"))),
        _ => (range("k", 0, 0, "K"), (axis("K", 6), form("L"))),
    };
    let ranges = |subscripts: &[&str]| subscripts.iter().map(|subscript| place(subscript).0).collect::<Vec<_>>();
    let tiles = |subscripts: &[&str]| subscripts.iter().map(|subscript| place(subscript).1).collect::<Vec<_>>();
    leaf.windows[0] = window("C", ranges(c), Some(Operator::Sum));
    leaf.windows[1] = window("A", ranges(a), None);
    leaf.windows[2] = window("B", ranges(b), None);
    leaf.result = tiles(c);
    leaf.arguments = vec![argument(1, tiles(a)), argument(2, tiles(b))];
    let product = Value::Apply(Function::Multiply, vec![element(1, a), element(2, b)]);
    let step = Step::Set { window: 0, element: forms(c), value: Value::Apply(function, vec![element(0, c), product]) };
    let used = |title: &str| [c, a, b].iter().any(|subscripts| subscripts.contains(&title));
    let nest = [(2, "k"), (0, "i"), (1, "j")].into_iter().filter(|(_, title)| used(title));
    leaf.body = nest.fold(vec![step], |body, (index, _)| vec![repeat(index, body)]);
    leaf
}

#[test]
fn products_of_every_orientation() {
    let sizes = sizes(&[("M", 17), ("N", 8), ("K", 13)]);
    for coordinates in [[0, 0, 0], [2, 1, 2], [1, 1, 0]] {
        for c in [["i", "j"], ["j", "i"]] {
            for a in [["i", "k"], ["k", "i"]] {
                for b in [["k", "j"], ["j", "k"]] {
                    close(&product_of(&c, &a, &b, Function::Add), &sizes, &coordinates);
                    close(&product_of(&c, &b, &a, Function::Subtract), &sizes, &coordinates);
                }
            }
        }
    }
}

#[test]
fn products_with_vectors() {
    let sizes = sizes(&[("M", 17), ("N", 8), ("K", 13)]);
    for coordinates in [[0, 0, 0], [2, 1, 2]] {
        close(&product_of(&["i"], &["i", "k"], &["k"], Function::Add), &sizes, &coordinates);
        close(&product_of(&["i"], &["k"], &["k", "i"], Function::Subtract), &sizes, &coordinates);
        close(&product_of(&["i", "j"], &["i"], &["j"], Function::Add), &sizes, &coordinates);
        close(&product_of(&["j", "i"], &["i"], &["j"], Function::Subtract), &sizes, &coordinates);
    }
}

#[test]
fn large_products_and_products_smaller_than_a_tile() {
    close(&matrix_product([64, 64, 64]), &sizes(&[("M", 150), ("N", 130), ("K", 140)]), &[2, 1, 2]);
    close(&matrix_product([64, 64, 64]), &sizes(&[("M", 3), ("N", 1), ("K", 2)]), &[0, 0, 0]);
}

/// Operands outside of the array have no elements; the product changes nothing.
#[test]
fn products_over_nothing() {
    let ([loops, library], known) =
        both::<f64>(&matrix_product([4, 4, 4]), &sizes(&[("M", 4), ("N", 4), ("K", 4)]), &[0, 0, 1], true);
    assert_eq!(known, ["gemm"]);
    same_bits(&library, &loops);
}

/// A window that a tile fills only in part has rows that are farther apart than they are long.
#[test]
fn products_in_a_part_of_their_window() {
    let mut leaf = matrix_product([4, 4, 4]);
    leaf.windows[0].ranges[1] = range("j", -1, 2, "N");
    leaf.windows[1].ranges[1] = range("k", -2, 1, "K");
    close(&leaf, &sizes(&[("M", 9), ("N", 11), ("K", 10)]), &[1, 1, 1]);
}

/// One layer of several is no matrix in memory: factors that are such are copied.
#[test]
fn products_of_layers() {
    let sizes = sizes(&[("M", 9), ("N", 11), ("K", 10)]);
    for (window, subscripts, layer) in [(1, ["i", "k"], "1"), (2, ["k", "j"], "0")] {
        let mut leaf = matrix_product([4, 4, 4]);
        leaf.windows[window].ranges.push(range("0", 0, 1, "2"));
        leaf.arguments[window - 1].tile.push((axis("2", 2), form("0")));
        let layered = element(window, &[subscripts[0], subscripts[1], layer]);
        let other = if window == 1 { element(2, &["k", "j"]) } else { element(1, &["i", "k"]) };
        leaf.body =
            vec![repeat(0, vec![repeat(1, vec![repeat(2, vec![add_product(0, &["i", "j"], layered, other)])])])];
        close(&leaf, &sizes, &[1, 1, 1]);
        close(&leaf, &sizes, &[2, 2, 2]);
    }
}

#[test]
fn what_is_no_product_is_run_by_loops() {
    let sizes = sizes(&[("M", 9), ("N", 9), ("K", 9)]);
    let triangular = matrix_product([4, 4, 4]);
    let set = add_product(0, &["i", "j"], element(1, &["i", "k"]), element(2, &["k", "j"]));
    let inner = |last: &str| {
        let body = vec![set.clone()];
        Step::Loop { index: 2, falls: false, lower: vec![], upper: vec![bound(last)], body }
    };
    // Each row is a product of a vector and a part of the matrix.
    let mut by_rows = triangular;
    by_rows.body = vec![repeat(0, vec![repeat(1, vec![inner("i - 1")])])];
    close(&by_rows, &sizes, &[1, 0, 0]);
    let mut three = matrix_product([4, 4, 4]);
    three.body = product_of(&["i", "j"], &["i", "k"], &["k", "j"], Function::Maximum).body;
    let mut batch = product_of(&["i", "j"], &["i", "j"], &["i", "j"], Function::Add);
    batch.coordinates = names(&["I", "J", "L"]);
    batch.name = name("elementwise");
    for leaf in [three, batch] {
        let ([loops, library], known) = both::<f64>(&leaf, &sizes, &[1, 0, 0], true);
        assert!(known.is_empty(), "{leaf:?}");
        same_bits(&library, &loops);
    }
    let ([loops, library], known) = both::<f64>(&smith_waterman([4, 4]), &sizes, &[1, 1], false);
    assert!(known.is_empty());
    same_bits(&library, &loops);
}

/// Subscripts such as `i + k` overlap: it is a product by its form, but the elements do not lie like a matrix.
#[test]
fn elements_that_overlap_are_multiplied_by_loops() {
    let leaf = super::examples::convolution(6, 6);
    let ([loops, library], known) = both::<f64>(&leaf, &sizes(&[("N", 9), ("K", 4)]), &[0, 0], false);
    assert_eq!(known, ["gemm"]);
    same_bits(&library, &loops);
    let [off_diagonal, _] = triangular_solve(8);
    close(&off_diagonal, &sizes(&[("N", 30)]), &[2, 1]);
}

/// A product of tiles of these sides with special numbers; by loops and by each library. Before each call a tile of what is not a number is
/// dropped, whose memory the next may be.
fn check_specials<E: Element>(
    sides: [i64; 3],
    turn: usize,
    filling: u64,
    with_onto: bool,
) -> Result<(), TestCaseError> {
    let [c, a, b] = [
        [["i", "j"], ["i", "k"], ["k", "j"]],
        [["j", "i"], ["k", "i"], ["k", "j"]],
        [["i", "j"], ["k", "i"], ["j", "k"]],
    ][turn];
    let (mut leaf, size) = (product_of(&c, &a, &b, [Function::Add, Function::Subtract][(filling % 2) as usize]), 64);
    let whole = |axis: &mut systole_equations::tiles::Axis| axis.size = size;
    leaf.indices.iter_mut().for_each(|index| whole(&mut index.axis));
    leaf.result.iter_mut().for_each(|(axis, _)| whole(axis));
    leaf.arguments.iter_mut().flat_map(|argument| &mut argument.tile).for_each(|(axis, _)| whole(axis));
    let sizes = sizes(&[("M", sides[0]), ("N", sides[1]), ("K", sides[2])]);
    let bindings = at(&leaf, &sizes, &[0, 0, 0]);
    let random = |boxes, tensor| {
        let count = elements(boxes, &bindings).len();
        tile::<E>(special(filling, tensor, &[count]).into_raw_vec_and_offset().0)
    };
    let arguments: Vec<Tile<E>> =
        leaf.arguments.iter().zip(1..).map(|(argument, at)| random(&argument.tile, at)).collect();
    let onto = with_onto.then(|| random(&leaf.result, 0));
    let program = program(&["K", "M", "N"], vec![leaf.clone()]);
    let by = |backend: LeafBackend| {
        let leaves = Leaves::with_backend(&program, &sizes, backend).unwrap();
        let spoilt: Vec<Tile<E>> = arguments.iter().map(|_| Tile::Uniform(E::NAN)).collect();
        drop(leaves.call(0, &[0, 0, 0], None, &spoilt).unwrap());
        match leaves.call(0, &[0, 0, 0], onto.clone(), &arguments).unwrap() {
            Tile::Values(values) => values.iter().map(|value| value.double()).collect::<Vec<f64>>(),
            Tile::Uniform(value) => vec![value.double()],
        }
    };
    let expected = by(LeafBackend::Loops);
    for library in LIBRARIES {
        let found = by(*library);
        let is_kept = expected.iter().zip(&found).all(|(a, b)| same_kind(*a, *b));
        prop_assert!(is_kept, "{library:?}: {found:?} where the loops have {expected:?}");
    }
    Ok(())
}

proptest! {
    /// Infinities and what is not a number are in the same places: each element is a sum of the same products.
    #[test]
    fn a_product_of_special_numbers_has_them_where_loops_do(
        sides: [u8; 3], turn in 0usize..3, kind in 0..FILLINGS, seed in 0u64..1000, with_onto: bool, is_single: bool,
    ) {
        let sides = sides.map(|side| 1 + i64::from(side % 40));
        match is_single {
            true => check_specials::<f32>(sides, turn, kind + FILLINGS * seed, with_onto)?,
            false => check_specials::<f64>(sides, turn, kind + FILLINGS * seed, with_onto)?,
        }
    }
}
