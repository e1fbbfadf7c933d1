//! Random maps and directions: the solver and brute force say the same.

use crate::agreement::{AMPLE, agree};
use crate::hand_built::brute_force::smallest_violation;
use crate::hand_built::designs::design;
use crate::hand_built::spaces::{fir, matmul, polynomial};
use proptest::prelude::*;
use systole_base::network::{Links, Network};
use systole_compile::mapping::MappedSpace;
use systole_compile::smt::{Verdict, discharge_all};
use systole_compile::timing::space_obligations;
use systole_equations::recurrence::Space;

/// A linear form in the indices with these coefficients, as text.
fn row(indices: &[&str], coefficients: &[i64]) -> String {
    let terms: Vec<String> = indices.iter().zip(coefficients).map(|(index, c)| format!("{c}*{index}")).collect();
    terms.join(" + ")
}

fn entries(count: usize, bound: i64) -> impl Strategy<Value = Vec<i64>> {
    proptest::collection::vec(-bound..=bound, count)
}

/// Every verdict on the design agrees with brute force at sizes up to `largest`; a counterexample with a larger size
/// must hold, and brute force must know none with a smaller sum of sizes.
fn compare(design: &MappedSpace, links: &Links, largest: i64) {
    let Ok(stated) = space_obligations(design, links) else { return };
    for discharged in discharge_all(&stated, AMPLE) {
        match &discharged.verdict {
            Verdict::Refuted(case) if case.sizes().iter().any(|(_, size)| *size > largest) => {
                assert_eq!(discharged.obligation.violation.holds(&case.bindings()), Some(true));
                let sum: i64 = case.sizes().iter().map(|(_, size)| size).sum();
                let other = smallest_violation(&discharged.obligation, largest);
                assert!(other.is_none_or(|other| other[..case.parameters].iter().sum::<i64>() >= sum), "{case}");
            }
            _ => agree(&discharged, largest),
        }
    }
}

fn plane(space: &Space, map: (&[i64], &[i64]), transports: &[&str], chain: &str, boundary: bool) {
    let indices: Vec<&str> = space.indices().iter().map(|index| &**index).collect();
    let (place, time) = map;
    let mut design = design(space, &row(&indices, place), &row(&indices, time), transports, &[chain]);
    design.boundary_io = boundary;
    compare(&design, &Links { network: Network::Mesh, ..Links::default() }, 5);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn filters(
        place in entries(2, 2),
        time in entries(2, 3),
        w in prop::sample::select(vec!["stream i", "broadcast i", "prefetch"]),
        x in prop::sample::select(vec!["stream i - k", "stream -1*i + k", "broadcast i - k", "feed"]),
        chain in prop::sample::select(vec!["k", "-1*k"]),
        boundary: bool,
    ) {
        plane(&fir(), (&place, &time), &[w, x], chain, boundary);
    }

    #[test]
    fn polynomial_products(
        place in entries(2, 2),
        time in entries(2, 3),
        a in prop::sample::select(vec!["stream j", "broadcast j", "stream -1*j"]),
        b in prop::sample::select(vec!["stream i", "stream -1*i", "feed"]),
        chain in prop::sample::select(vec!["i - j", "-1*i + j"]),
        boundary: bool,
    ) {
        plane(&polynomial(), (&place, &time), &[a, b], chain, boundary);
    }

    #[test]
    fn products_of_matrices(
        rows in proptest::collection::vec(entries(3, 1), 2),
        time in entries(3, 2),
        a in prop::sample::select(vec!["stream j", "broadcast j", "prefetch"]),
        b in prop::sample::select(vec!["stream i", "stream -1*i", "broadcast i"]),
        latency in 1i64..3,
    ) {
        let space = matmul();
        let indices = ["i", "j", "k"];
        let place = format!("{}, {}", row(&indices, &rows[0]), row(&indices, &rows[1]));
        let random = design(&space, &place, &row(&indices, &time), &[a, b], &["k"]);
        compare(&random, &Links { latency, ..Links::default() }, 3);
    }
}
