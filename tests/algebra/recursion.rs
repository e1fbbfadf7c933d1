//! Recurrences that follow from those of the tensors which they are computed from: whichever these are, and only where elements come before.

use crate::common::{algebra, derived, has, laws};
use systole::algebra::Derivation;
use systole::recurrence::load;
use systole::span::Source;

fn forms(text: &str) -> Derivation {
    derived(&load(&Source::new("own.rec", text)).unwrap(), &algebra())
}

const N: u128 = 8;

/// The inverse of 1 - A, with A strictly lower triangular: no divisor, and one right-hand side.
#[test]
fn a_series_of_powers_times_a_vector_is_a_recurrence() {
    let found = forms(
        "kernel series(N)\nin A[N, N], b[N]\nout x[N]\nlocal Y[N, N]\n\
         Y[i, j] = select(j == i, 1, 0) + sum(k in 0..i) A[i, k] * Y[k, j]\nx[i] = sum(j) Y[i, j] * b[j]\n",
    );
    let form = &found.forms[0];
    assert_eq!(found.written.operations, 3 * N * N + N * N * (N - 1) + 2 * N * N);
    assert_eq!(form.cost.operations, N * (N - 1) + N);
    has(form, &["x[i] = sum(k in 0..i) A[i, k] * x[k] + b[i]"]);
    assert!(!form.text.contains("Y["), "{}", form.text);
    assert!(laws(form).contains(&"comm-eq"));
    assert!(form.difference < 1e-9, "{}", form.difference);
}

/// The order of subscripts is one of all of them, and the elements after the first that differs do not matter.
#[test]
fn any_subscript_may_be_the_one_that_goes_on() {
    let found = forms(
        "kernel rows(N, R)\nin A[N, N], B[R, N], c[N]\nout X[R, N]\nlocal Y[N, N]\n\
         Y[i, j] = select(i == j, c[j], 0) - sum(k in 0..i) A[i, k] * Y[k, j]\nX[r, i] = sum(j) B[r, j] * Y[i, j]\n",
    );
    has(&found.forms[0], &["- sum(k in 0..i) A[i, k] * X[r, k]"]);
    assert_eq!(found.forms[0].cost.operations, N * N * (N - 1) + 2 * N * N);
}

/// What the user wants as well is still computed, by its own equation.
#[test]
fn an_inverse_that_is_an_output_stays() {
    let found = forms(
        "kernel both(N, R)\nin L[N, N] is dominant, B[N, R]\nout X[N, R], Y[N, N]\n\
         Y[i, j] = (select(i == j, 1, 0) - sum(k in 0..i) L[i, k] * Y[k, j]) / L[i, i]\nX[i, r] = sum(j) Y[i, j] * B[j, r]\n",
    );
    let (inverse, solve) = (4 * N * N + N * N * (N - 1), N * N * (N - 1) + 2 * N * N);
    assert_eq!(found.forms[0].cost.operations, inverse + solve);
    has(
        &found.forms[0],
        &[
            "X[i, r] = (B[i, r] - sum(k in 0..i) L[i, k] * X[k, r]) / L[i, i]",
            "- sum(k in 0..i) L[i, k] * Y[k, j]) / L[i, i]",
        ],
    );
}

/// What is computed on the way is folded as well, whatever is done with it; and what nobody reads is not computed.
#[test]
fn a_solve_may_be_a_part() {
    let found = forms(
        "kernel correction(N)\nin L[N, N] is dominant, b[N], v[N]\nout w[N], s\nlocal Y[N, N], x[N]\n\
         Y[i, j] = (select(i == j, 1, 0) - sum(k in 0..i) L[i, k] * Y[k, j]) / L[i, i]\nx[i] = sum(j) Y[i, j] * b[j]\n\
         w[i] = v[i] - x[i]\ns = sum(i) exp(x[i])\n",
    );
    let form = &found.forms[0];
    has(form, &["x[i] = (b[i] - sum(k in 0..i) L[i, k] * x[k]) / L[i, i]", "w[i] = v[i] - x[i]", "local x[N]\n"]);
    assert_eq!(form.cost.operations, N * (N - 1) + 2 * N + N + 2 * N);
    assert!(laws(form).contains(&"fold-element") && form.difference < 1e-11);
}

/// The last element comes first where each needs those behind it.
#[test]
fn an_upper_triangular_inverse_is_a_solve_from_its_last_element() {
    let found = forms(
        "kernel upper(N, R)\nin U[N, N] is dominant, B[N, R]\nout X[N, R]\nlocal Y[N, N]\n\
         Y[i, j] = (select(i == j, 1, 0) - sum(k in i + 1..N) U[i, k] * Y[k, j]) / U[i, i]\nX[i, r] = sum(j) Y[i, j] * B[j, r]\n",
    );
    has(&found.forms[0], &["X[i, r] = (B[i, r] - sum(k in i + 1..N) U[i, k] * X[k, r]) / U[i, i]"]);
    assert_eq!(found.forms[0].cost.operations, N * N * (N - 1) + 2 * N * N);
}

/// Without a sum that is linear in the inverse there is nothing to fold; nor where the inverse goes on along what is summed over.
#[test]
fn other_reductions_and_other_orders_keep_their_tensor() {
    for text in [
        "kernel most(N)\nin A[N, N], b[N]\nout x[N]\nlocal Y[N, N]\n\
         Y[i, j] = select(i == j, 1, 0) - sum(k in 0..i) A[i, k] * Y[k, j]\nx[i] = max(j) Y[i, j] * b[j]\n",
        "kernel columns(N)\nin A[N, N], b[N]\nout x[N]\nlocal Y[N, N]\n\
         Y[i, j] = select(i == j, 1, 0) - sum(k in 0..j) A[i, k] * Y[i, k]\nx[i] = sum(j) Y[i, j] * b[j]\n",
    ] {
        let found = forms(text);
        assert!(!laws(&found.forms[0]).contains(&"fold-element"), "{}", found.forms[0].text);
        has(&found.forms[0], &["local Y[N, N]"]);
    }
}
