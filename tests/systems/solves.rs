//! Triangular solves.

use crate::common::{Line, kernel};

pub const TRISOLVE: &str = "kernel trisolve(N)
in L[N, N], B[N]
out X[N]
X[i] = (B[i] - sum(j in 0..i) L[i, j] * X[j]) / L[i, i]";

/// Sums, and divisions.
fn trisolve<'a>(sums: (&'a str, &'a str), divisions: (&'a str, &'a str)) -> [Line<'a>; 2] {
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
