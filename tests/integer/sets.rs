//! Differences of sets and the sizes of a kernel, against every point.

use proptest::prelude::*;
use systole_base::integer::{Affine, Bindings, Name, Polyhedron, name};

/// `0 <= i, j <= 4`, cut by forms `a*i + b*j + c >= 0`.
fn cut(cuts: &[(i64, i64, i64)]) -> Polyhedron {
    let (i, j) = (Affine::variable(&name("i")), Affine::variable(&name("j")));
    let four = Affine::constant(4);
    let sides = [i.clone(), j.clone(), four.clone() - i.clone(), four - j.clone()];
    let forms = cuts.iter().map(|(a, b, c)| i.clone() * *a + j.clone() * *b + Affine::constant(*c));
    Polyhedron::new(sides.into_iter().chain(forms))
}

fn forms() -> impl Strategy<Value = Vec<(i64, i64, i64)>> {
    proptest::collection::vec((-3i64..4, -3i64..4, -6i64..7), 0..4)
}

fn point(i: i64, j: i64) -> Bindings {
    [(name("i"), i), (name("j"), j)].into_iter().collect()
}

proptest! {
    #[test]
    fn what_is_outside_lies_in_exactly_one_part(mine in forms(), others in forms()) {
        let (set, other) = (cut(&mine), cut(&others));
        let parts = set.outside(&other);
        for (i, j) in (-1..6).flat_map(|i| (-1..6).map(move |j| (i, j))) {
            let at = point(i, j);
            let holds = parts.iter().filter(|part| part.contains(&at)).count();
            prop_assert_eq!(holds, usize::from(set.contains(&at) && !other.contains(&at)), "at ({}, {})", i, j);
        }
    }
}

#[test]
fn sizes_are_one_or_more() {
    let names: Vec<Name> = ["M", "N"].map(name).to_vec();
    let sizes = Polyhedron::at_least_one(&names);
    let at = |m, n| [(name("M"), m), (name("N"), n)].into_iter().collect::<Bindings>();
    assert!(sizes.contains(&at(1, 1)) && sizes.contains(&at(7, 1)));
    assert!(!sizes.contains(&at(0, 1)) && !sizes.contains(&at(1, 0)));
    assert_eq!(Polyhedron::at_least_one(&[]), Polyhedron::default());
}
