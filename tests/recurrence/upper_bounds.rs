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

/// `2 *` a sum over a window that the borders cut off: the parts of the equation say the same of their sums, so one space reads them all.
#[test]
fn parts_that_say_the_same_read_one_tensor() {
    let window = "sum(k in max(0, i - 1)..min(N, i + 2), l in max(0, j - 1)..min(N, j + 2)) (a[k] * b[l])";
    let cut_of = |equations: &str| {
        let text = format!("{HEAD}out y[N, N]\n{equations}");
        let system = system(&text);
        (1..6).for_each(|n| hold(&text, &system, n));
        let cut = cut_spaces(&system).expect("spaces");
        let readers = cut.spaces.iter().filter(|space| space.reduction.is_none()).count();
        let parts: Vec<String> = cut.tensors.iter().map(|tensor| tensor.name.to_string()).collect();
        (cut.spaces.len() - readers, readers, parts[parts.len() - 1].clone())
    };
    assert_eq!(cut_of(&format!("y[i, j] = 2 * {window}")), (4, 1, "y_part".to_owned()));
    // Two equations that say it have a reader each.
    let twice = format!("y[i, j] = 2 * {window} where i < 3\ny[i, j] = 2 * {window} where i >= 3");
    assert_eq!(cut_of(&twice).1, 2);
    // Sums that may have no terms stay apart: at `i = N - 1` their value is known, and no point has it.
    let empty = window.replace("max(0, i - 1)..min(N, i + 2)", "i + 1..min(N, i + 3)");
    assert_eq!(cut_of(&format!("y[i, j] = 2 * {empty}")), (4, 3, "y_part".to_owned()));
    // Where three indices make one subscript, an element of a sum is no element of `y`.
    let blocks = format!(
        "{HEAD}out y[64 * N]\ny[64*i + 8*j + r] = 2 * (sum(k in 0..min(N, i + 2)) a[k]) where 0 <= j < 8, 0 <= r < 8"
    );
    (1..4).for_each(|n| hold(&blocks, &system(&blocks), n));
    // The name is one that the kernel does not have.
    let taken = format!("y[i, j] = 2 * {window} + y_part[i]\nlocal y_part[N]\ny_part[i] = a[i]");
    assert_eq!(cut_of(&taken).2, "y_part_");
}
