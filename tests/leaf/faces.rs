//! What a leaf reads of a tile: nothing beside its face, and no less than that.

use super::derived::tiled;
use super::examples::{argument, form, index, window};
use super::kept::points;
use super::naive::{elements, tile};
use super::whole::{at, numbers};
use proptest::prelude::*;
use std::sync::Arc;
use systole_base::integer::{Affine, Bindings, name};
use systole_equations::tiles::{Argument, Axis, Leaf, Range};
use systole_program::array::{Program, bind_tiles};
use systole_run::leaf::{Buffer, Extent, Face, Leaves, Tile};

/// Kernels with tiles beside a window, before it and after it, and with tiles that are read whole.
const KERNELS: [(&str, &[&str]); 7] = [
    ("smith_waterman", &["i", "j"]),
    ("edit_distance", &["i", "j"]),
    ("jacobi1d", &["i"]),
    ("jacobi2d", &["i", "j"]),
    ("cholesky", &["i"]),
    ("matmul", &["i", "j", "k"]),
    ("prefix_sum", &["i"]),
];

fn program(kernel: &str, indices: &[&str]) -> Program {
    tiled(&format!("kernels/{kernel}.rec"), indices, 3)
}

/// Those of all arguments of a leaf.
fn faces(leaf: &Leaf) -> Vec<Face> {
    leaf.arguments.iter().map(|argument| Face::of(leaf, argument)).collect()
}

/// What stands outside of a face: maxima, minima and everything else pass at least one of these on.
const POISONS: [f64; 3] = [1e9, -1e9, f64::NAN];

/// The tile of an argument with another number outside of a face.
fn poisoned((face, argument): (&Face, &Argument), bindings: &Bindings, tile: &Tile, poison: f64) -> Tile {
    let Tile::Values(values) = tile else { return tile.clone() };
    let kept = kept(face, argument, bindings);
    let poisoned = (0..values.len()).map(|place| if kept.contains(&place) { values[place] } else { poison });
    Tile::Values(Arc::new(poisoned.collect()))
}

/// The places of an argument's tile that are in a face.
fn kept(face: &Face, argument: &Argument, bindings: &Bindings) -> Vec<usize> {
    let along = |dimension: usize| elements(&argument.tile[dimension..=dimension], bindings).len();
    let lengths: Vec<usize> = (0..argument.tile.len()).map(along).collect();
    let places: Buffer = (0..lengths.iter().product()).map(|place: usize| place as f64).collect();
    let Some((_, Tile::Values(kept))) = face.cut(&Tile::Values(Arc::new(places.over(&lengths)))) else {
        panic!("no {face:?} of a tile of {lengths:?}")
    };
    kept.iter().map(|place| *place as usize).collect()
}

/// How many calls there are, and in how many the result is another one where only the faces are left of the arguments.
fn changed(program: &Program, (number, leaf): (usize, &Leaf), faces: &[Face]) -> (usize, usize) {
    let sizes: Bindings = program.parameters.iter().zip([8, 7, 5]).map(|(p, n)| (p.clone(), n)).collect();
    let leaves = Leaves::new(program, &sizes).expect("leaves");
    let bound = bind_tiles(program, &sizes);
    let (mut calls, mut changed) = (0, 0);
    for point in points(leaf, 0..5) {
        let bindings = at(leaf, &bound, &point);
        let random = |boxes, seed| tile(numbers(elements(boxes, &bindings).len() as i64, seed));
        let given: Vec<Tile> =
            leaf.arguments.iter().zip(1..).map(|(argument, seed)| random(&argument.tile, seed)).collect();
        let onto = leaf.windows[0].operator.map(|_| random(&leaf.result, 50));
        let result = |given: &[Tile]| match leaves.call(number, &point, onto.clone(), given) {
            Ok(Tile::Values(values)) => Some(values.iter().map(|value| value.to_bits()).collect::<Vec<_>>()),
            _ => None,
        };
        let left = |poison: f64| -> Vec<Tile> {
            let places = faces.iter().zip(&leaf.arguments).zip(&given);
            places.map(|(place, tile)| poisoned(place, &bindings, tile, poison)).collect()
        };
        if let Some(wanted) = result(&given) {
            calls += 1;
            changed += usize::from(POISONS.iter().any(|poison| result(&left(*poison)).as_ref() != Some(&wanted)));
        }
    }
    (calls, changed)
}

#[test]
fn outside_of_its_face_nothing_is_read() {
    for (kernel, indices) in KERNELS {
        let program = program(kernel, indices);
        for (number, leaf) in program.leaves.iter().enumerate() {
            let (calls, changed) = changed(&program, (number, leaf), &faces(leaf));
            assert!(calls > 0 && changed == 0, "`{}` of {kernel}: {changed} of {calls} calls", leaf.name);
        }
    }
}

/// The twin: with one element fewer along any dimension some call has another result.
#[test]
fn no_face_is_too_large() {
    let fewer = |extent: Extent| match extent {
        Extent::First(count) => count.checked_sub(1).map(Extent::First),
        Extent::Last(count) => count.checked_sub(1).map(Extent::Last),
        Extent::All => None,
    };
    let mut looked_at = 0;
    for (kernel, indices) in KERNELS {
        let program = program(kernel, indices);
        for (number, leaf) in program.leaves.iter().enumerate() {
            let faces = faces(leaf);
            let places =
                faces.iter().enumerate().flat_map(|(one, face)| (0..face.0.len()).map(move |along| (one, along)));
            for (one, along) in places {
                let Some(less) = fewer(faces[one].0[along]) else { continue };
                let mut smaller = faces.clone();
                smaller[one].0[along] = less;
                let (_, changed) = changed(&program, (number, leaf), &smaller);
                assert!(changed > 0, "argument {one} of `{}` of {kernel} along {along}", leaf.name);
                looked_at += 1;
            }
        }
    }
    assert!(looked_at >= 16, "{looked_at}");
}

#[test]
fn a_score_is_read_at_a_corner_a_row_and_a_column() {
    use Extent::{All, Last};
    let program = program("smith_waterman", &["i", "j"]);
    let leaf = program.leaves.iter().find(|leaf| leaf.arguments.len() == 5).expect("the leaf of scores");
    let found: Vec<Vec<Extent>> = faces(leaf).iter().map(|face| face.0.to_vec()).collect();
    assert_eq!(found[..3], [vec![Last(1), Last(1)], vec![Last(1), All], vec![All, Last(1)]]);
    let product = &self::program("matmul", &["i", "j", "k"]);
    assert!(product.leaves.iter().flat_map(faces).all(|face| face.is_whole()));
}

#[test]
fn a_face_is_cut_and_put_back() {
    let values: Buffer = (0..12).map(f64::from).collect();
    let tile: Tile = Tile::Values(Arc::new(values.over(&[3, 4])));
    for (extents, wanted) in [
        ([Extent::Last(1), Extent::All], vec![8.0, 9.0, 10.0, 11.0]),
        ([Extent::All, Extent::First(2)], vec![0.0, 1.0, 4.0, 5.0, 8.0, 9.0]),
        ([Extent::First(1), Extent::Last(9)], vec![0.0, 1.0, 2.0, 3.0]),
        ([Extent::Last(0), Extent::All], vec![]),
    ] {
        let face = Face(extents.into_iter().collect());
        let (lengths, cut) = face.cut(&tile).expect("a face");
        assert_eq!(cut.elements(0), wanted, "{face:?}");
        assert_eq!(face.volume(&lengths), Some(wanted.len()));
        let (_, again) = face.cut(&face.put_back(&lengths, &cut)).expect("a face");
        assert_eq!(again, cut);
    }
    // What has no such lengths, or is a number everywhere, is moved whole.
    let face = Face([Extent::Last(1)].into_iter().collect());
    assert_eq!((face.cut(&tile), face.cut(&Tile::Uniform(2.0))), (None, None));
    assert_eq!(face.put_back(&[3, 4], &tile), tile);
}

proptest! {
    /// Element by element: what a window along one index has of a tile is in the face; of a tile next to the index's own, into which
    /// the window reaches from there, that is all.
    #[test]
    fn a_face_is_what_a_window_has_of_a_tile(
        (before, after, size, n) in (0..3i64, 0..3i64, 1..5i64, 4..30i64),
        (shift, first, last) in (-3..4i64, -4..3i64, -2..5i64),
        (own, beside) in (0..9i64, -2..3i64),
    ) {
        let body = form("N") - Affine::constant(before + after);
        let axis = Axis { before, body, size, after, margin: 0 };
        let range = Range { form: form("i") + Affine::constant(shift), first, last, extent: form("N") };
        let argument = argument(0, vec![(axis.clone(), form("I") + Affine::constant(beside))]);
        let leaf = Leaf {
            name: name("reads"),
            coordinates: vec![name("I")],
            indices: vec![index("i", axis.clone(), "I")],
            windows: vec![window("X", vec![range], None)],
            result: vec![(axis.clone(), form("I"))],
            arguments: vec![argument.clone()],
            body: vec![],
        };
        let bindings = Bindings::from([(name("N"), n), (name("I"), own)]);
        let box_of = |tile: i64| elements(&[(axis.clone(), Affine::constant(tile))], &bindings).concat();
        let (indices, tile) = (box_of(own), box_of(own + beside));
        let reach = indices.first().zip(indices.last()).map(|(low, high)| low + shift + first..=high + shift + last);
        let has = |element: &i64| reach.as_ref().is_some_and(|reach| reach.contains(element));
        let wanted: Vec<usize> = (0..tile.len()).filter(|place| has(&tile[*place])).collect();
        let found = kept(&Face::of(&leaf, &argument), &argument, &bindings);
        prop_assert!(wanted.iter().all(|place| found.contains(place)), "{wanted:?} {found:?}");
        prop_assert!(beside.abs() != 1 || !indices.iter().any(has) || wanted == found, "{wanted:?} {found:?}");
    }
}
