//! Recurrences on grids of points that depend on themselves.

use crate::common::{Line, kernel};
use crate::kernel_texts::{EDIT_DISTANCE, JACOBI1D, PREFIX_SUM, SMITH_WATERMAN};

const ALIGNMENT: &[Line] = &[("H", "i", "i+j", &["handoff", "prefetch", "stream i", "handoff", "handoff"], &[])];

#[test]
fn an_alignment_takes_a_pe_for_each_letter() {
    let alignment = kernel(SMITH_WATERMAN);
    for (m, n) in [(1, 1), (1, 4), (4, 1), (2, 3), (5, 5), (8, 3), (3, 8)] {
        let outcome = alignment.hold(ALIGNMENT, &[m, n]);
        assert_eq!((outcome.cycles, outcome.pes), ((m + n - 1) as u64, m as u64), "{m} by {n}");
    }
}

const DISTANCE: &[Line] = &[("D", "i", "i+j", &["handoff", "stream j", "stream i", "handoff", "handoff"], &[])];

#[test]
fn a_distance_keeps_a_letter_on_each_pe() {
    let distance = kernel(EDIT_DISTANCE);
    for (m, n) in [(1, 1), (1, 4), (4, 1), (2, 3), (5, 5), (8, 3), (3, 8)] {
        let outcome = distance.hold(DISTANCE, &[m, n]);
        assert_eq!((outcome.cycles, outcome.pes), ((m + n - 1) as u64, m as u64), "{m} by {n}");
    }
}

#[test]
fn a_distance_may_have_a_pe_for_each_pair() {
    let distance = kernel(EDIT_DISTANCE);
    let lines: &[Line] = &[("D", "i, j", "i+j", &["handoff", "stream j", "stream i", "handoff", "handoff"], &[])];
    for (m, n) in [(1, 1), (2, 3), (5, 4)] {
        let outcome = distance.hold(lines, &[m, n]);
        assert_eq!((outcome.cycles, outcome.pes), ((m + n - 1) as u64, (m * n) as u64), "{m} by {n}");
    }
}

#[test]
fn a_prefix_sum_takes_a_cycle_for_each_element() {
    let sums = kernel(PREFIX_SUM);
    let row: &[Line] = &[("P", "0", "0", &["feed"], &[]), ("P.2", "i", "i", &["handoff", "feed"], &[])];
    let one: &[Line] = &[("P", "", "0", &["feed"], &[]), ("P.2", "", "i", &["handoff", "feed"], &[])];
    for n in [1, 2, 3, 5, 8] {
        let (row, one) = (sums.hold(row, &[n]), sums.hold(one, &[n]));
        assert_eq!((row.cycles, row.pes, one.cycles, one.pes), (n as u64, n as u64, n as u64, 1), "N = {n}");
    }
}

#[test]
fn sweeps_follow_each_other_at_once_or_as_a_wave() {
    let jacobi = kernel(JACOBI1D);
    let (one, three) = (&["handoff"], &["handoff", "handoff", "handoff"]);
    let at_once: &[Line] = &[
        ("U", "i", "0", &["feed"], &[]),
        ("U.2", "0", "t", one, &[]),
        ("U.3", "i", "t", three, &[]),
        ("U.4", "N+1", "t", one, &[]),
    ];
    let wave: &[Line] = &[
        ("U", "i", "i", &["feed"], &[]),
        ("U.2", "0", "2*t", one, &[]),
        ("U.3", "i", "2*t+i", three, &[]),
        ("U.4", "N+1", "2*t+N+1", one, &[]),
    ];
    for (t, n) in [(1, 1), (1, 5), (5, 1), (3, 2), (4, 7)] {
        let (at_once, wave) = (jacobi.hold(at_once, &[t, n]), jacobi.hold(wave, &[t, n]));
        assert_eq!((at_once.cycles, wave.cycles), ((t + 1) as u64, (2 * t + n + 2) as u64), "{t} sweeps of {n}");
        assert_eq!((at_once.pes, wave.pes), ((n + 2) as u64, (n + 2) as u64));
    }
}
