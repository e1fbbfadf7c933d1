//! One bus from memory to all PEs: proved where every word has a time of its own, refuted where two are due at once.

use crate::common::{Kernel, Line, kernel};
use crate::kernel_texts::{TRISOLVE, TRSM};
use crate::solves::trisolve;
use std::collections::BTreeSet;
use std::time::Duration;
use systole_base::network::Links;
use systole_compile::smt::{Verdict, discharge_all};
use systole_compile::timing::space_obligations;
use systole_program::obligation::Kind;

/// Whether the words of `tensor`, which comes over a bus into this space, never meet.
fn carries(kernel: &Kernel, lines: &[Line], space: usize, tensor: &str) -> bool {
    let stated = space_obligations(&kernel.design(lines).alone(space), &Links::default()).expect("obligations");
    let mine: Vec<_> =
        stated.into_iter().filter(|stated| stated.kind == Kind::LinkConflict && *stated.of == *tensor).collect();
    assert_eq!(mine.len(), 1, "one bus, one obligation");
    match discharge_all(&mine, Duration::from_secs(10))[0].verdict {
        Verdict::Proved => true,
        Verdict::Refuted(_) => false,
        Verdict::Unknown(ref why) => panic!("{why}"),
    }
}

#[test]
fn a_vector_fits_on_one_bus_and_a_matrix_does_not() {
    let solve = kernel(TRISOLVE);
    let mut lines = trisolve(("i", "i+j"), ("i", "2*i"));
    lines[0].3 = &["bus", "stream i"];
    lines[1].3 = &["bus", "handoff", "feed"];
    assert!(carries(&solve, &lines, 1, "B"));
    assert!(!carries(&solve, &lines, 0, "L"), "PE 2 and PE 3 both read at step 3");
    let mut apart = lines;
    apart[1].1 = "0";
    assert!(carries(&solve, &apart, 1, "B"), "whatever the place");
    apart[1].2 = "0";
    assert!(!carries(&solve, &apart, 1, "B"), "all at one time");
}

#[test]
fn a_design_whose_vector_comes_over_one_bus_runs() {
    let solve = kernel(TRISOLVE);
    let mut lines = trisolve(("i", "i+j"), ("i", "2*i"));
    lines[1].3 = &["bus", "handoff", "feed"];
    for n in [1, 2, 5, 8] {
        assert_eq!(solve.hold(&lines, &[n]).cycles, (2 * n - 1) as u64, "N = {n}");
    }
}

/// Counted point by point for R = N = 5: two words with one time differ by less than that where the factors are small.
#[test]
fn the_proof_agrees_with_counting() {
    let solve = kernel(TRSM);
    let pairs = (-2i64..=2).flat_map(|by_row| (-2i64..=3).map(move |by_column| (by_row, by_column)));
    for (by_row, by_column) in pairs {
        let time = format!("{by_row}*r+{by_column}*i").replace("+-", "-");
        let lines: &[Line] = &[
            ("X.sum", "r, i", "r+i+j", &["stream r", "stream i"], &["j"]),
            ("X", "r, i", &time, &["bus", "handoff", "feed"], &[]),
        ];
        let times: BTreeSet<i64> = (0..5).flat_map(|r| (0..5).map(move |i| by_row * r + by_column * i)).collect();
        let meet = times.len() < 25;
        assert_eq!(carries(&solve, lines, 1, "B"), !meet, "{time}");
    }
}
