//! Generators against elimination: a form is non-negative on the set exactly where it is so on every generator.

use proptest::prelude::*;
use systole_base::integer::{Affine, Name, Polyhedron, Vector, generators, name};

/// `row . x + last` over the names, the constant last.
fn form(names: &[Name], row: &[i64]) -> Affine {
    Affine::from_row(names, row) + Affine::constant(row[names.len()])
}

fn names(text: &str) -> Vec<Name> {
    text.split(' ').map(name).collect()
}

fn set(names: &[Name], rows: &[&[i64]]) -> Polyhedron {
    Polyhedron::new(rows.iter().map(|row| form(names, row)))
}

/// The law's right side.
fn holds_on(generators: &[Vector], names: &[Name], form: &Affine) -> bool {
    let value = |g: &Vector| {
        let sum: i64 = names.iter().zip(g).map(|(name, entry)| form.coefficient(name) * entry).sum();
        sum + form.constant_term() * g[names.len()]
    };
    generators.iter().all(|g| value(g) >= 0)
}

/// The law's left side by Fourier and Motzkin's elimination over the rationals, without any rounding: whether no point
/// has all `rows` non-negative and `form` negative. The flag says that a row must be positive.
fn implied_over_rationals(names: &[Name], set: &Polyhedron, form: &Affine) -> bool {
    let row = |form: &Affine| form.row(names).into_iter().chain([form.constant_term()]).map(i128::from).collect();
    let mut rows: Vec<(Vec<i128>, bool)> = set.constraints().iter().map(|form| (row(form), false)).collect();
    rows.push((row(&-form.clone()), true));
    for column in 0..names.len() {
        let (crossing, mut rest): (Vec<_>, Vec<_>) = rows.into_iter().partition(|(row, _)| row[column] != 0);
        let (up, down): (Vec<_>, Vec<_>) = crossing.into_iter().partition(|(row, _)| row[column] > 0);
        for ((a, s), (b, t)) in up.iter().flat_map(|a| down.iter().map(move |b| (a, b))) {
            let sum: Vec<i128> = a.iter().zip(b).map(|(x, y)| x * -b[column] + y * a[column]).collect();
            rest.push((sum, *s || *t));
        }
        rest.dedup();
        rows = rest;
    }
    rows.iter().any(|(row, strict)| row[names.len()] < i128::from(*strict))
}

fn rows(width: usize, count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Vec<i64>>> {
    prop::collection::vec(prop::collection::vec(-3i64..4, width + 1), count)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_form_holds_on_the_set_exactly_if_on_every_generator(
        cuts in rows(3, 0..7), equations in rows(3, 0..2), forms in rows(3, 4..5)
    ) {
        let names = names("i j N");
        let mut set = Polyhedron::new(cuts.iter().map(|row| form(&names, row)));
        for row in &equations {
            set.add(form(&names, row));
            set.add(-form(&names, row));
        }
        let corners = generators(&set, &names).unwrap();
        prop_assert_eq!(corners.is_empty(), implied_over_rationals(&names, &set, &Affine::constant(-1)));
        for row in &forms {
            let form = form(&names, row);
            let everywhere = holds_on(&corners, &names, &form);
            prop_assert_eq!(everywhere, implied_over_rationals(&names, &set, &form));
            prop_assert!(!everywhere || set.implies(&form), "elimination with rounding refuses less");
            // The least constant that makes the form hold is a corner's: one less must be refused.
            if corners.iter().all(|g| g[3] > 0) && !corners.is_empty() {
                let least = (-60..60).find(|c| holds_on(&corners, &names, &(form.clone() + Affine::constant(*c))));
                let below = form.clone() + Affine::constant(least.unwrap_or(0) - 1);
                prop_assert!(least.is_none() || !implied_over_rationals(&names, &set, &below));
            }
        }
    }

    #[test]
    fn a_polytope_contains_its_corners_and_loses_them_without_a_side(cuts in rows(2, 0..5)) {
        let names = names("i j");
        let sides: [&[i64]; 4] = [&[1, 0, 0], &[0, 1, 0], &[-1, 0, 4], &[0, -1, 5]];
        let set = set(&names, &sides).intersect(&Polyhedron::new(cuts.iter().map(|row| form(&names, row))));
        for corner in generators(&set, &names).unwrap() {
            prop_assert!(corner[2] > 0, "a bounded set has no directions");
            let values = set.constraints().iter().map(|form| form.row(&names).iter().zip(&corner)
                .map(|(a, b)| a * b).sum::<i64>() + form.constant_term() * corner[2]);
            let values: Vec<i64> = values.collect();
            prop_assert!(values.iter().all(|value| *value >= 0));
            prop_assert!(values.iter().filter(|value| **value == 0).count() >= 2, "a corner lies on two sides");
        }
    }
}

#[test]
fn the_triangle_of_all_sizes_has_one_corner_and_three_directions() {
    let names = names("i j N");
    let triangle = set(&names, &[&[0, 1, 0, 0], &[1, -1, 0, -1], &[-1, 0, 1, -1], &[0, 0, 1, -1]]);
    let expected = [[0, 0, 1, 0], [1, 0, 1, 0], [1, 0, 2, 1], [1, 1, 1, 0]];
    assert_eq!(generators(&triangle, &names).unwrap(), expected);
    // Corner (1, 0) first occurs at N = 2: i + j + N - 3 is 0 there, and one less is negative.
    let tight = form(&names, &[1, 1, 1, -3]);
    assert!(holds_on(&generators(&triangle, &names).unwrap(), &names, &tight));
    assert!(!holds_on(&generators(&triangle, &names).unwrap(), &names, &(tight - Affine::constant(1))));
}

#[test]
fn a_corner_between_the_integers_keeps_its_scale() {
    let names = names("i j");
    let set = set(&names, &[&[1, 0, 0], &[0, 1, 0], &[-2, -3, 5]]);
    assert_eq!(generators(&set, &names).unwrap(), [vec![0, 0, 1], vec![0, 5, 3], vec![5, 0, 2]]);
}

#[test]
fn a_line_is_two_opposite_directions() {
    let names = names("i j");
    let strip = set(&names, &[&[1, 1, 0], &[-1, -1, 3]]);
    let found = generators(&strip, &names).unwrap();
    assert_eq!(found.iter().filter(|g| g[2] == 0).count(), 2);
    assert!(found.contains(&vec![1, -1, 0]) && found.contains(&vec![-1, 1, 0]));
    assert_eq!(found.iter().filter(|g| g[2] > 0).map(|g| (g[0] + g[1]) / g[2]).collect::<Vec<i64>>(), [0, 3]);
}

#[test]
fn empty_sets_have_no_generators_and_their_twins_have() {
    let names = names("i N");
    let between = |gap: i64| set(&names, &[&[1, -1, 0], &[-1, 1, gap], &[0, 1, -1]]);
    assert_eq!(generators(&between(-1), &names).unwrap(), Vec::<Vector>::new());
    assert_eq!(generators(&between(0), &names).unwrap(), [[1, 1, 0], [1, 1, 1]]);
    assert_eq!(generators(&Polyhedron::new([Affine::constant(-1)]), &names).unwrap(), Vec::<Vector>::new());
}

/// `0 <= i < N` for each pair, and `N >= 1`.
fn boxed(indices: &[Name], sizes: &[Name]) -> Polyhedron {
    let sides = indices.iter().zip(sizes.iter().cycle()).flat_map(|(index, size)| {
        let (index, size) = (Affine::variable(index), Affine::variable(size));
        [index.clone(), size.clone() - index - Affine::constant(1), size - Affine::constant(1)]
    });
    Polyhedron::new(sides)
}

#[test]
fn boxes_have_as_many_generators_as_they_must() {
    let indices = names("i j k l");
    for dimension in 1..=4 {
        let indices = &indices[..dimension];
        let several: Vec<Name> = names("A B C D")[..dimension].to_vec();
        let count = |sizes: &[Name]| {
            let all: Vec<Name> = indices.iter().chain(sizes).cloned().collect();
            generators(&boxed(indices, sizes), &all).unwrap().len()
        };
        // The origin at size 1; then each size grows alone or with its index, or the one size with any of the indices.
        assert_eq!(count(&several), 1 + 2 * dimension);
        assert_eq!(count(&names("N")), 1 + (1 << dimension));
    }
}

#[test]
fn what_cannot_be_answered_is_none() {
    let indices: Vec<Name> = (0..14).map(|k| name(&format!("i{k}"))).collect();
    let size = names("N");
    let cube = |dimension: usize| {
        let all: Vec<Name> = indices[..dimension].iter().chain(&size).cloned().collect();
        generators(&boxed(&indices[..dimension], &size), &all).map(|found| found.len())
    };
    assert_eq!(cube(8), Some(257));
    assert_eq!(cube(14), None, "the cone of 14 indices of one size has 16385 rays");
    assert_eq!(generators(&boxed(&indices[..1], &size), &indices[..1]), None, "N is not among the variables");
    let plane = names("i j");
    let crossing = |a: i64, b: i64| generators(&set(&plane, &[&[a, b, -1], &[b, -a, -1]]), &plane);
    // The lines meet at (a + b, b - a) / (a * a + b * b).
    assert!(crossing(1_000_000_000, 999_999_999).unwrap().contains(&vec![
        1_999_999_999,
        -1,
        1_999_999_998_000_000_001
    ]));
    assert_eq!(crossing(4_000_000_000, 3_999_999_999), None, "the scale does not fit 64 bits");
    assert_eq!(crossing(1 << 60, (1 << 60) - 1), None, "the numbers on the way do not fit either");
}

#[test]
fn as_many_constraints_as_there_are_bits() {
    // Tangents of a parabola: every one is a side, so n of them have n - 1 corners and two directions.
    let plane = names("i j");
    let under = |sides: i64| {
        let tangent = |k: i64| form(&plane, &[-2 * k, 1, k * k]);
        generators(&Polyhedron::new((0..sides).map(tangent)), &plane).map(|found| found.len())
    };
    assert_eq!((under(10), under(126), under(127)), (Some(11), Some(127), None));
}
