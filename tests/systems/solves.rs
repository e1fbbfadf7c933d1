//! Triangular solves.

use crate::common::{Line, kernel};
use crate::kernel_texts::{TRISOLVE, TRSM};

/// Sums, and divisions.
pub fn trisolve<'a>(sums: (&'a str, &'a str), divisions: (&'a str, &'a str)) -> [Line<'a>; 2] {
    [
        ("X.sum", sums.0, sums.1, &["feed", "stream i"], &["j"]),
        ("X", divisions.0, divisions.1, &["feed", "handoff", "feed"], &[]),
    ]
}

fn hold(lines: &[Line], cycles: impl Fn(i64) -> i64) {
    let solve = kernel(TRISOLVE);
    for size in [1, 2, 3, 5, 8, 13] {
        assert_eq!(solve.hold(lines, &[size]).cycles, cycles(size) as u64, "N = {size}");
    }
}

#[test]
fn rows_on_pes_take_the_length_of_the_longest_path() {
    hold(&trisolve(("i", "i+j"), ("i", "2*i")), |n| 2 * n - 1);
}

#[test]
fn columns_on_pes_take_as_long() {
    hold(&trisolve(("j", "i+j"), ("i", "2*i")), |n| 2 * n - 1);
}

#[test]
fn one_pe_divides_for_all_diagonals() {
    hold(&trisolve(("i-j", "i+j"), ("0", "2*i")), |n| 2 * n - 1);
}

/// PE 1 sums at odd steps what it divides at even ones.
#[test]
fn sums_and_divisions_take_turns_on_a_pe() {
    hold(&trisolve(("i-j", "i+j"), ("1", "2*i")), |n| 2 * n - 1);
}

/// Every other PE sums, those between divide; a value that is passed on moves two PEs.
#[test]
fn sums_lie_on_a_lattice_of_the_pes() {
    hold(&trisolve(("2*i", "2*i+j"), ("2*i+1", "3*i")), |n| 3 * n - 2);
}

#[test]
fn right_hand_sides_follow_each_other() {
    let solve = kernel(TRSM);
    let lines: &[Line] = &[
        ("X.sum", "r, i", "r+i+j", &["stream r", "stream i"], &["j"]),
        ("X", "r, i", "r+2*i", &["feed", "handoff", "stream r"], &[]),
    ];
    for (r, n) in [(1, 1), (1, 4), (4, 1), (3, 5), (5, 2)] {
        let outcome = solve.hold(lines, &[r, n]);
        assert_eq!((outcome.cycles, outcome.pes), ((2 * n + r - 2) as u64, (r * n) as u64), "{r} by {n}");
    }
}

#[test]
fn right_hand_sides_run_at_once_where_the_matrix_is_on_buses() {
    let solve = kernel(TRSM);
    let lines: &[Line] = &[
        ("X.sum", "r, i", "i+j", &["broadcast r", "stream i"], &["j"]),
        ("X", "r, i", "2*i", &["prefetch", "handoff", "broadcast r"], &[]),
    ];
    for (r, n) in [(1, 1), (1, 4), (4, 1), (3, 5), (5, 2)] {
        let outcome = solve.hold(lines, &[r, n]);
        assert_eq!((outcome.cycles, outcome.pes), ((2 * n - 1) as u64, (r * n) as u64), "{r} by {n}");
    }
}
