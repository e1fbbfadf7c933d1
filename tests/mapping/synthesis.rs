//! The rows of a dependence hold exactly for the steps that respect it at all sizes.

use crate::hand_built::forms::form;
use crate::hand_built::several_spaces::{Several, chain, cholesky, triangular};
use proptest::prelude::*;
use systole_base::integer::name;
use systole_compile::mapping::{Dependence, Row, Unknowns, holds};

/// Every vector with each entry in its range.
fn all(ranges: &[std::ops::RangeInclusive<i64>]) -> Vec<Vec<i64>> {
    ranges.iter().fold(vec![vec![]], |vectors, range| {
        let longer = |vector: Vec<i64>| range.clone().map(move |last| [&vector[..], &[last]].concat());
        vectors.into_iter().flat_map(longer).collect()
    })
}

#[test]
fn rows_of_the_triangular_solve_hold_exactly_for_the_steps_that_respect_it() {
    // tri: i, j, N, 1; diag: i, N, 1; the span does not occur.
    let vectors = all(&[-1..=3, -1..=3, 0..=1, -1..=1, -1..=4, 0..=1, -1..=1, 0..=0, 0..=0]);
    let mut accepted = vec![];
    for latency in 1..=3 {
        let kernel = triangular(latency);
        let rows = kernel.rows(false);
        let found = vectors.iter().filter(|values| holds(&rows, values)).count();
        let expected = vectors.iter().filter(|values| kernel.respects_all(values, 7)).count();
        let same = vectors.iter().all(|values| holds(&rows, values) == kernel.respects_all(values, 7));
        assert!(same, "latency {latency}: {found} by rows, {expected} by brute force");
        accepted.push(found);
    }
    assert!(accepted.is_sorted_by(|more, fewer| more > fewer) && accepted[2] > 0, "{accepted:?}");
}

#[test]
fn spans_hold_exactly_for_the_steps_within_them() {
    let kernel = triangular(1);
    for space in 0..2 {
        let rows = kernel.unknowns.span_rows(space, &kernel.domains[space].1, 0).unwrap();
        let range = |used: usize| if used == space { -1..=2 } else { 0..=0 };
        let constant = |used: usize| if used == space { -2..=2 } else { 0..=0 };
        let vectors = all(&[range(0), range(0), range(0), constant(0), range(1), range(1), constant(1), 0..=3, -4..=1]);
        // A step may outgrow its span by 1 per size from 9 below: size 10 is the first to show it.
        for values in vectors {
            assert_eq!(holds(&rows, &values), kernel.is_within_span(space, &values, 12), "{values:?}");
        }
    }
}

#[test]
fn a_span_grows_with_each_size_of_its_own() {
    let unknowns = Unknowns::new(vec![vec![name("i"), name("j")]], vec![name("M"), name("N")].into());
    let domain = chain("0 <= i < M").intersect(&chain("0 <= j < N"));
    let rows = unknowns.span_rows(0, &domain, 0).unwrap();
    // The step i + 2*j + M - 1 ends at (M - 1) + 2*(N - 1) + (M - 1).
    let ends = |growth: [i64; 2], constant: i64| holds(&rows, &[1, 2, 1, 0, -1, growth[0], growth[1], constant]);
    assert!(ends([2, 2], -4));
    assert_eq!([ends([2, 2], -5), ends([1, 2], -3), ends([2, 1], -3)], [false; 3]);
    assert!(!holds(&rows, &[1, 2, 1, 0, -2, 2, 2, -4]), "starts at -1 where M is 1");
}

#[test]
fn the_known_steps_of_cholesky_hold_and_one_less_does_not() {
    // u: i, j, k, N, 1; col: i, j, N, 1; dg: j, N, 1; span: N, 1.
    let known = [
        [1, 1, 1, 0, 0, 1, 2, 0, 0, 3, 0, 0, 3, -3],
        [2, 2, 1, 0, 0, 2, 3, 0, 0, 5, 0, 0, 5, -5],
        [3, 3, 1, 0, 0, 3, 4, 0, 0, 7, 0, 0, 7, -7],
    ];
    for (latency, values) in (1..).zip(known) {
        let rows = cholesky(latency).rows(true);
        assert!(holds(&rows, &values));
        assert!(cholesky(latency).respects_all(&values, 7));
        assert!(!holds(&cholesky(latency + 1).rows(true), &values), "links one slower");
        for coefficient in [0, 1, 2, 5, 6, 9, 11, 12, 13] {
            let mut less = values;
            less[coefficient] -= 1;
            assert!(!holds(&rows, &less), "latency {latency}, unknown {coefficient}");
        }
    }
}

#[test]
fn an_exact_distance_refuses_more_and_less() {
    let mut kernel = triangular(1);
    kernel.dependences.truncate(2);
    kernel.dependences[1].exact = Some(2);
    let rows = kernel.rows(false);
    let with = |constant: i64| [1, 1, 0, 0, 2, 0, constant, 0, 0];
    assert_eq!([0, 1, 2].map(|constant| holds(&rows, &with(constant))), [false, true, false]);
    let vectors = all(&[0..=2, 0..=2, 0..=1, -1..=1, 0..=4, 0..=1, -1..=2, 0..=0, 0..=0]);
    assert!(vectors.iter().all(|values| holds(&rows, values) == kernel.respects_all(values, 7)));
}

#[test]
fn rows_say_each_thing_once_and_keep_what_cannot_hold() {
    let kernel = cholesky(1);
    let turn = kernel.unknowns.dependence_rows(&kernel.dependences[3]);
    assert_eq!(turn, Some(vec![]), "a point is 0 steps after itself");
    let later = Dependence { least: 1, ..kernel.dependences[3].clone() };
    let rows = kernel.unknowns.dependence_rows(&later).unwrap();
    assert_eq!(rows, [Row { coefficients: vec![0; 14], least: 1, label: 3 }]);
    assert!(!holds(&rows, &[0; 14]));
    let never = Dependence { set: chain("1 <= N < 1"), ..later };
    assert_eq!(kernel.unknowns.dependence_rows(&never), Some(vec![]), "there is no such point");
    let chain = kernel.unknowns.dependence_rows(&kernel.dependences[0]).unwrap();
    let expected = [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0].to_vec();
    assert_eq!(chain, [Row { coefficients: expected, least: 1, label: 0 }], "a uniform dependence is t . d >= 1");
}

#[test]
fn what_does_not_fit_is_none() {
    let kernel = triangular(1);
    let good = kernel.dependences[1].clone();
    let refused = [
        Dependence { writer: 2, ..good.clone() },
        Dependence { reader: 2, ..good.clone() },
        Dependence { at: vec![form("i")], ..good.clone() },
        Dependence { at: vec![form("i"), form("k")], ..good.clone() },
        Dependence { at: vec![form("i") * i64::MAX, form("i")], set: chain("5 <= i < N"), ..good.clone() },
        Dependence { set: chain("1 <= k < N"), ..good.clone() },
    ];
    refused.iter().for_each(|one| assert_eq!(kernel.unknowns.dependence_rows(one), None, "{one:?}"));
    assert!(kernel.unknowns.dependence_rows(&good).is_some());
    assert!(!holds(&kernel.rows(false), &[i64::MAX; 9]), "a sum that does not fit is no");
    assert!(!holds(&kernel.rows(false), &[1, 1]), "values are missing");
}

#[test]
fn unknowns_stand_in_the_order_that_is_said() {
    let unknowns = Unknowns::new(vec![vec![name("i"), name("j")], vec![]], vec![name("M"), name("N")].into());
    assert_eq!((unknowns.step(0), unknowns.step(1), unknowns.step(2)), (0..5, 5..8, 8..8));
    assert_eq!((unknowns.span(), unknowns.count()), (8..11, 11));
    let values: Vec<i64> = (1..=11).collect();
    assert_eq!(unknowns.step_form(0, &values).unwrap().to_string(), "3*M + 4*N + i + 2*j + 5");
    assert_eq!(unknowns.step_form(1, &values).unwrap().to_string(), "6*M + 7*N + 8");
    assert_eq!(unknowns.step_form(2, &values), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn rows_never_admit_a_step_that_breaks_a_dependence(
        cut in prop::collection::vec(-2i64..3, 4), at in prop::collection::vec(-1i64..2, 8),
        values in prop::collection::vec(-2i64..3, 10), least in -6i64..3
    ) {
        let mut kernel = Several::new(&[("i j", "0 <= i < N"), ("k l", "0 <= k < N")], &[]);
        let names = [name("i"), name("j"), name("N")];
        let linear = |row: &[i64]| systole_base::integer::Affine::from_row(&names, row) + row[3].into();
        let mut set = chain("0 <= i < N").intersect(&chain("0 <= j < N"));
        set.add(linear(&cut));
        let at = vec![linear(&at[..4]), linear(&at[4..])];
        kernel.dependences.push(Dependence { reader: 0, writer: 1, set, at, quotients: vec![], least, exact: None, label: 0 });
        if holds(&kernel.rows(false), &values) {
            prop_assert!(kernel.respects_all(&values, 6));
        }
    }
}
