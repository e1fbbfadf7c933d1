//! The formulas mean what they say: on random designs they break exactly where playing the design breaks a law.

use crate::hand_built::brute_force::smallest_violation;
use crate::hand_built::designs::{design, has_slanted_bus};
use crate::hand_built::events::{Broken, broken_laws};
use crate::hand_built::spaces::{fir, matmul, polynomial};
use proptest::prelude::*;
use systole_base::network::Links;
use systole_compile::mapping::MappedSpace;
use systole_compile::timing::space_obligations;

/// The laws that the formulas call broken at sizes up to `largest`.
fn stated_broken(design: &MappedSpace, links: &Links, largest: i64) -> Broken {
    let stated = space_obligations(design, links).unwrap();
    let broken = stated.iter().filter(|obligation| smallest_violation(obligation, largest).is_some());
    broken.map(|obligation| (obligation.kind, obligation.of.to_string())).collect()
}

/// The laws that break in a run at any sizes up to `largest`.
fn played_broken(design: &MappedSpace, links: &Links, largest: i64) -> Broken {
    let grow = |sizes: Vec<Vec<i64>>, _| -> Vec<Vec<i64>> {
        sizes.iter().flat_map(|prefix| (1..=largest).map(|size| [prefix.as_slice(), &[size]].concat())).collect()
    };
    let sizes = design.space.parameters.iter().fold(vec![vec![]], grow);
    sizes.iter().flat_map(|sizes| broken_laws(design, links, sizes)).collect()
}

fn row(indices: &[&str], coefficients: &[i64]) -> String {
    let terms: Vec<String> = indices.iter().zip(coefficients).map(|(index, c)| format!("{c}*{index}")).collect();
    terms.join(" + ")
}

fn entries(count: usize, bound: i64) -> impl Strategy<Value = Vec<i64>> {
    proptest::collection::vec(-bound..=bound, count)
}

fn links() -> impl Strategy<Value = Links> {
    (1i64..4, 0i64..3).prop_map(|(latency, response)| Links { latency, response, ..Links::default() })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn filters(
        place in entries(2, 3),
        time in entries(2, 5),
        w in prop::sample::select(vec!["stream i", "broadcast i", "broadcast 2*i", "prefetch"]),
        x in prop::sample::select(vec!["stream i - k", "stream -1*i + k", "broadcast i - k", "feed"]),
        chain in prop::sample::select(vec!["k", "-1*k"]),
        links in links(),
        boundary: bool,
    ) {
        let space = fir();
        let mut random = design(&space, &row(&["i", "k"], &place), &row(&["i", "k"], &time), &[w, x], &[chain]);
        random.boundary_io = boundary;
        prop_assert_eq!(stated_broken(&random, &links, 4), played_broken(&random, &links, 4));
    }

    #[test]
    fn polynomial_products(
        place in entries(2, 2),
        time in entries(2, 4),
        a in prop::sample::select(vec!["stream j", "broadcast j", "stream -2*j"]),
        b in prop::sample::select(vec!["stream i", "stream -1*i", "feed"]),
        chain in prop::sample::select(vec!["i - j", "-1*i + j"]),
        links in links(),
        boundary: bool,
    ) {
        let space = polynomial();
        let mut random = design(&space, &row(&["i", "j"], &place), &row(&["i", "j"], &time), &[a, b], &[chain]);
        random.boundary_io = boundary;
        prop_assert_eq!(stated_broken(&random, &links, 4), played_broken(&random, &links, 4));
    }

    #[test]
    fn products_of_matrices(
        rows in proptest::collection::vec(entries(3, 2), 2),
        time in entries(3, 3),
        a in prop::sample::select(vec!["stream j", "broadcast j", "prefetch"]),
        b in prop::sample::select(vec!["stream i", "stream -1*i", "broadcast i"]),
        links in links(),
    ) {
        let space = matmul();
        let indices = ["i", "j", "k"];
        let place = format!("{}, {}", row(&indices, &rows[0]), row(&indices, &rows[1]));
        let random = design(&space, &place, &row(&indices, &time), &[a, b], &["k"]);
        prop_assume!(!has_slanted_bus(&random));
        prop_assert_eq!(stated_broken(&random, &links, 3), played_broken(&random, &links, 3));
    }
}
