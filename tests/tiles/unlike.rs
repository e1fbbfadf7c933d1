//! Tiles of several sides along what is divided alike: the least of them holds.

use super::meaning::inputs;
use super::{kernel, tiled, tiled_by};
use systole_base::integer::{Bindings, Name};
use systole_equations::recurrence::evaluate;
use systole_equations::tiles::{TileChains, Tiled, evaluate_tiled};

/// Sides that are asked for, by their indices.
type Sides = &'static [(&'static str, i64)];

/// Kernels with sides that meet, and the one that holds.
const MEETING: [(&str, Sides, i64); 4] = [
    ("trisolve", &[("i", 4), ("j", 3)], 3),
    ("polynomial_product", &[("i", 2), ("j", 3)], 2),
    ("cholesky", &[("i", 5), ("j", 4), ("k", 2)], 2),
    ("polybench/floyd_warshall", &[("k", 2), ("i", 3), ("j", 4)], 2),
];

#[test]
fn the_least_side_holds_for_all_that_are_divided_alike() {
    for (title, asked, least) in MEETING {
        let system = kernel(title);
        let alike: Vec<(&str, i64)> = asked.iter().map(|(index, _)| (*index, least)).collect();
        let (found, wanted) = (tiled(&system, asked), tiled(&system, &alike));
        assert_eq!(found.sides, vec![least; asked.len()], "{title}");
        assert_eq!(
            (&found.axes, &found.leaves, &found.inside),
            (&wanted.axes, &wanted.leaves, &wanted.inside),
            "{title}"
        );
        for size in [1, 2, 4, 7] {
            let sizes: Bindings = system.parameters.iter().map(|parameter| (parameter.clone(), size)).collect();
            let inputs = inputs(&system, &sizes);
            let values = |tiled: &Tiled| evaluate_tiled(tiled, &TileChains::new(), &sizes, &inputs).unwrap();
            assert_eq!(values(&found), values(&wanted), "{title} at {size}");
            let elements = evaluate(&system, &sizes, &inputs).unwrap();
            for (name, of_tiles) in values(&found) {
                let apart = of_tiles.iter().zip(&elements[&name]).map(|(one, other)| (one - other).abs());
                assert!(apart.fold(0.0, f64::max) < 1e-9, "{title} at {size}");
            }
        }
    }
}

/// Indices that do not meet keep the sides that they were asked for, also beside others that do.
#[test]
fn sides_that_do_not_meet_are_kept() {
    assert_eq!(tiled(&kernel("matmul"), &[("i", 4), ("j", 3), ("k", 2)]).sides, [4, 3, 2]);
    assert_eq!(tiled(&kernel("polybench/syrk"), &[("i", 4), ("j", 3), ("k", 5)]).sides, [3, 3, 5]);
    let unknown = tiled_by(&kernel("trisolve"), &[("i", 4), ("j", 3), ("l", 2)]).expect_err("no such index");
    assert!(unknown[0].message().contains("no equation has an index `l`"), "{unknown:?}");
}

/// What lies aslant is moved by sides that hold.
#[test]
fn slanted_tensors_are_moved_by_sides_that_hold() {
    let stencil = |t: i64, i: i64| tiled(&kernel("polybench/jacobi_1d"), &[("t", t), ("i", i)]);
    assert_eq!((stencil(3, 4).sides, stencil(4, 3).sides), (vec![3, 4], vec![4, 3]));
    let sizes = |tiled: &Tiled, tensor: &str| -> Vec<i64> {
        let name: &Name = tiled.axes.keys().find(|name| ***name == *tensor).expect("a tensor");
        tiled.axes[name].iter().map(|axis| axis.size).collect()
    };
    assert_eq!(sizes(&stencil(3, 4), "A"), [4]);
}
