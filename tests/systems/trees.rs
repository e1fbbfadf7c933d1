//! Inputs of kernels of several spaces that one port feeds: trees of streams beside handoffs.

use crate::common::{Line, kernel};
use std::time::Duration;
use systole_base::machine::Machine;
use systole_base::network::Links;
use systole_compile::extract::{Constraint, solve};
use systole_compile::mapping::candidates::Bounds;
use systole_compile::rewrite::{Limits, load_rules, saturate};
use systole_compile::smt::{Verdict, discharge_all};
use systole_compile::timing::obligations;
use systole_program::obligation::Kind;

const SOFT: &str = "kernel soft(M, N, K)\nin u[K], A[M, N, K], b\nlocal s[M, N]\nout z[M, N]\n\
    s[i, j] = sum(k) u[k] * A[i, j, k]\nz[i, j] = exp(s[i, j]) + b * s[i, j]\n\
    schedule ports\nplace (i, j) time i + j + k\nstream u along i, j\nstream b along j, i\n\
    schedule order\nplace (i, j) time i + j + k\nstream u along i, j\nstream b along i, j\n";

fn lines(time: &'static str) -> [Line<'static>; 2] {
    [
        ("s.sum", "i, j", time, &["stream i, j", "feed"], &["k"]),
        ("z", "i, j", "K+i+j", &["handoff", "stream i, j"], &[]),
    ]
}

/// The kinds of what is not proved.
fn open(time: &'static str) -> Vec<(Kind, String)> {
    let kernel = kernel(SOFT);
    let design = kernel.design(&lines(time));
    let stated = obligations(&design, &Links::default()).expect("obligations");
    let proofs = discharge_all(&stated, Duration::from_secs(60));
    let open = proofs.iter().filter(|proof| proof.verdict != Verdict::Proved);
    open.map(|proof| (proof.obligation.kind, proof.obligation.of.to_string())).collect()
}

#[test]
fn a_vector_and_a_number_enter_through_one_port_each() {
    let kernel = kernel(SOFT);
    assert_eq!(open("i+j+k"), []);
    for sizes in [[3, 2, 4], [1, 1, 1], [2, 2, 2], [1, 4, 3], [3, 1, 1]] {
        let outcome = kernel.hold(&lines("i+j+k"), &sizes);
        let loaded = |tensor: &str| {
            let traffic = outcome.counters.memory.iter().find(|(name, _)| **name == *tensor).expect("it is loaded");
            traffic.1.loaded + traffic.1.prefetched
        };
        assert_eq!((loaded("u"), loaded("b")), (sizes[2] as u64, 1), "{sizes:?}");
        assert_eq!(outcome.cycles as i64, sizes.iter().sum::<i64>() - 1, "{sizes:?}");
    }
}

#[test]
fn a_second_stream_without_time_is_refuted() {
    assert_eq!(open("i+k"), [(Kind::Causality, "u".to_owned())]);
}

#[test]
fn a_schedule_asks_for_trees_in_the_order_that_the_rules_offer() {
    let kernel = kernel(SOFT);
    let rules = load_rules(None).expect("rules");
    let lowered = saturate(&kernel.cut, &rules, &Limits::default()).expect("saturated");
    let (choices, machine, sizes) = (lowered.choices().expect("choices"), Machine::default(), kernel.sizes(&[3, 2, 4]));
    let search = |name: &str| {
        let schedule = kernel.system.schedules.iter().find(|known| &*known.name == name).expect("a schedule");
        let constraint = Constraint::from_schedule(&kernel.cut, schedule).expect("a constraint");
        let restricted = constraint.restrict(&kernel.cut, &choices);
        restricted
            .map(|_| solve::Task::new(&kernel.cut, &choices, Bounds::for_dimension(3), &machine, &sizes, constraint))
    };
    assert!(search("ports").is_err(), "a number is passed on in one order of the indices");
    let problem = search("order").expect("offered").expect("a problem");
    assert!(!solve::search(&problem, false, &|_, _| true).front.designs().is_empty());
}
