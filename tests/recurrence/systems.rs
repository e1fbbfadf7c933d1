//! Systems of several spaces, as they are cut from the equations.

use crate::kernel_texts::{CHOLESKY, TRISOLVE};
use systole_base::span::Source;
use systole_equations::recurrence::load;
use systole_equations::recurrence::spaces::cut_spaces;

fn shown(text: &str) -> Vec<String> {
    let system = load(&Source::new("test.rec", text)).unwrap();
    cut_spaces(&system).unwrap().to_string().lines().map(str::to_owned).collect()
}

#[test]
fn the_triangular_solve_has_a_space_of_sums_and_one_of_divisions() {
    let expected = [
        "space X.sum (i, j): sum over N - i - 1 >= 0, j >= 0, i - j - 1 >= 0",
        "  X[j] from X",
        "space X (i): pointwise over i >= 0, N - i - 1 >= 0",
        "  X.sum[i] from X.sum where i - 1 >= 0",
        "  X.sum[i] is known where -i >= 0",
    ];
    assert_eq!(shown(TRISOLVE), expected);
}

#[test]
fn the_two_sums_of_cholesky_are_one_space() {
    let lines = shown(CHOLESKY);
    let spaces: Vec<&String> = lines.iter().filter(|line| line.starts_with("space")).collect();
    assert_eq!(spaces.len(), 3);
    assert_eq!(spaces[1], "space L.sum.2 (i, j, k): sum over N - i - 1 >= 0, k >= 0, i - j >= 0, j - k - 1 >= 0");
}

/// A sum that differs on the diagonal cannot be merged.
#[test]
fn sums_of_different_values_stay_apart() {
    let lines = shown(&CHOLESKY.replace("L[i, k] * L[i, k]", "L[i, k] * L[i, k] * 2"));
    assert_eq!(lines.iter().filter(|line| line.starts_with("space")).count(), 4);
}

/// Both factors of LU in one matrix: sums below the diagonal end at its column and sums above at its row, so the sums on the
/// diagonal join one side and both sides stay apart.
#[test]
fn sums_that_end_on_two_faces_stay_apart() {
    let text = "kernel compact(N)\nin A[N, N]\nout J[N, N]
J[i, j] = (A[i, j] - sum(k in 0..j) J[i, k] * J[k, j]) / J[j, j]   where i > j
J[i, j] = A[i, j] - sum(k in 0..i) J[i, k] * J[k, j]   where i < j
J[i, i] = A[i, i] - sum(k in 0..i) J[i, k] * J[k, i]";
    let lines = shown(text);
    let sums: Vec<&String> = lines.iter().filter(|line| line.contains("sum over")).collect();
    let expected = [
        "space J.sum (i, j, k): sum over N - i - 1 >= 0, k >= 0, i - j >= 0, j - k - 1 >= 0",
        "space J.sum.2 (i, j, k): sum over N - j - 1 >= 0, j - i - 1 >= 0, k >= 0, i - k - 1 >= 0",
    ];
    assert_eq!(sums, expected);
}

#[test]
fn a_constant_boundary_is_known_and_needs_no_space() {
    let text = "kernel grow(M, N)\nin a[M]\nout H[M + 1, N + 1]\nH[0, j] = 0\nH[i, 0] = i where i > 0
H[i, j] = max(H[i - 1, j - 1] + a[i - 1], H[i, j - 1]) where i > 0, j > 0";
    let expected = [
        "space H (i, j): pointwise over N - j >= 0, M - i >= 0, i - 1 >= 0, j - 1 >= 0",
        "  H[i - 1, j - 1] from H where i - 2 >= 0, j - 2 >= 0",
        "  H[i - 1, j - 1] is known where -i + 1 >= 0",
        "  H[i - 1, j - 1] is known where i - 2 >= 0, -j + 1 >= 0",
        "  H[i, j - 1] from H where j - 2 >= 0",
        "  H[i, j - 1] is known where -j + 1 >= 0",
    ];
    assert_eq!(shown(text), expected);
}

#[test]
fn a_reduction_that_is_never_empty_needs_no_space_around_it() {
    let text = "kernel scan(N)\nin A[N]\nlocal S[N]\nout P[N]\nS[i] = sum(k in 0..i + 1) A[k]\nP[i] = S[i] * 2";
    assert_eq!(shown(text)[1..], ["space P (i): pointwise over i >= 0, N - i - 1 >= 0", "  S[i] from S.sum"]);
    let empty = text.replace("i + 1", "i");
    assert!(shown(&empty).iter().any(|line| line.contains("S[i] is known where -i >= 0")), "the twin has an empty sum");
    let around = text.replace("S[i] = sum(k in 0..i + 1)", "S[i] = 1 + sum(k in 0..i)");
    assert!(shown(&around).iter().any(|line| line.contains("S.sum[i] is known where -i >= 0")));
}
