//! Reductions with several upper bounds, or with a quotient as one: their spaces mean what the equations do, bit for bit.

use crate::strides::{HEAD, hold};
use crate::support::system;
use systole_base::diagnostic::render;
use systole_equations::recurrence::spaces::cut_spaces;

/// Kernels of `a[N]` and `b[2 * N]` with a reduction that has several upper bounds and is read.
const KERNELS: [&str; 9] = [
    "out y[N]\ny[i] = a[i] + sum(k in 0..min(i + 1, N - i)) b[k]",
    "out y[N, N]\ny[i, j] = 1 - sum(k where k <= i, k <= j) a[k]",
    "out y[N, N]\ny[i, j] = 1 - max(k in 0..min(i + 1, j + 1, N - j)) (a[k] * b[i])",
    "out y[N, N]\ny[i, j] = sum(k where k <= i, k <= j) a[k] - sum(k where k <= j, k < N - i) b[k]",
    "local z[N, N]\nout y[N]\nz[i, j] = sum(k where k <= i, k <= j) a[k]\ny[i] = z[i, N - 1 - i] + z[0, i]",
    "out y[N]\ny[i] = a[i] * sum(k in 0..i div 2 + 1) b[k]",
    "local z[N]\nout y[N]\nz[i] = sum(k in 0..(i + 2) div 3) b[k]\ny[i] = z[i] - z[N - 1 - i]",
    "out y[N, N]\ny[i, j] = a[i] * sum(k where 2*k <= i, k <= j) b[k]",
    "out y[N]\ny[0] = a[0]\ny[i] = a[i] - sum(k in 0..min(i, N - i)) (b[k] * y[k]) where 1 <= i",
];

#[test]
fn a_reduction_ends_on_the_bound_that_is_the_least() {
    for text in KERNELS {
        let text = format!("{HEAD}{text}");
        let system = system(&text);
        (1..7).for_each(|n| hold(&text, &system, n));
    }
}

/// The terms of a sum around it would come in another order, so the sum within is not divided.
#[test]
fn what_only_the_index_of_another_reduction_says_is_refused() {
    let text = |bounds: &str| format!("{HEAD}out y\ny = max(i in 0..N) (a[i] * sum(k where {bounds}) a[k])");
    let said = render(&cut_spaces(&system(&text("k <= i, k < N - i"))).expect_err("a refusal"), false);
    assert!(said.contains("where `y.sum.2` is computed has no closed form"), "{said}");
    cut_spaces(&system(&text("k <= i"))).expect("one bound");
}

/// Where nothing reads a reduction it may have any number of bounds, and its equation stays one.
#[test]
fn what_nothing_reads_is_one_space() {
    let text = format!("{HEAD}out y[N, N]\ny[i, j] = sum(k where k <= i, k <= j) a[k]");
    assert_eq!(cut_spaces(&system(&text)).expect("spaces").spaces.len(), 1);
}
