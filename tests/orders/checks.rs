//! The test itself: its evaluator and its orders against what is known of small systems.

use crate::evaluate::{Verdict, evaluate, inputs};
use crate::growth::grow;
use crate::order::{Order, order};
use crate::text::read;

/// Systems with the rows that an order of theirs needs; none for those without.
const KNOWN: [(&str, Option<usize>); 8] = [
    ("in A[N]\nout X[N]\nX[i] = A[N - 1 - i] where 0 <= i < N", Some(0)),
    ("in A[N]\nout X[N]\nX[i] = A[i] + sum(j in 0..i) X[j] where 0 <= i < N", Some(1)),
    (
        "in A[N]\nout X[T + 1, N]\nX[t, i] = A[i] where 0 <= t < 1, 0 <= i < N\n\
         X[t, i] = sum(j in 0..N) A[j] * X[t - 1, j] where 1 <= t < T + 1, 0 <= i < N",
        Some(1),
    ),
    (
        "in A[N]\nout X[T, N]\nX[t, i] = A[i] where 0 <= t < 1, 0 <= i < 1\n\
         X[t, i] = X[t - 1, N - 1] where 1 <= t < T, 0 <= i < 1\nX[t, i] = X[t, i - 1] where 0 <= t < T, 1 <= i < N",
        Some(2),
    ),
    (
        "in A[N]\nout C[N, N]\nC[i, i] = A[i] where 0 <= i < N\n\
         C[i, j] = max(k in i..j) (C[i, k] + C[k + 1, j]) where 0 <= i < N, i + 1 <= j < N\n\
         C[i, j] = 0 where 0 <= i < N, 0 <= j < i",
        Some(1),
    ),
    ("in A[N]\nout X[N]\nX[i] = X[N - 1 - i] + A[i] where 0 <= i < N", None),
    (
        "in A[N]\nout X[N]\nX[i] = X[N - 1 - i] + A[i] where 0 <= i < 1\nX[i] = A[i] where 1 <= i < N",
        None,
    ),
    ("in A[2*N]\nout Y[N]\nlocal Z[2*N]\nZ[i] = A[i] where 0 <= i < 2*N\nY[i] = Z[2*i] where 0 <= i < N", Some(1)),
];

#[test]
fn orders_are_those_that_are_known() {
    for (text, rows) in KNOWN {
        let found = match order(&read(text)) {
            Order::Rows(rows) => Some(rows),
            Order::None(..) => None,
            Order::Unknown => panic!("not decided: {text}"),
        };
        assert_eq!(found, rows, "{text}");
    }
}

#[test]
fn the_evaluator_has_values_and_cycles() {
    let system = read("in A[N]\nout X[N]\nX[i] = A[i] + sum(j in 0..i) X[j] where 0 <= i < N");
    let sizes = vec![("N".to_owned(), 4)];
    let inputs = inputs(&system, &sizes);
    let Verdict::Values(arrays) = evaluate(&system, &sizes, &inputs) else { panic!("no values") };
    let a = &inputs["A"].values;
    assert_eq!(arrays["X"].values, [a[0], a[0] + a[1], 2.0 * a[0] + a[1] + a[2], 4.0 * a[0] + 2.0 * a[1] + a[2] + a[3]]);
    let cyclic = read("in A[N]\nout X[N]\nX[i] = X[N - 1 - i] + A[i] where 0 <= i < N");
    assert!(matches!(evaluate(&cyclic, &sizes, &inputs), Verdict::Cycle(_)));
    let outside = read("in A[N]\nout X[N]\nX[i] = A[i + 1] where 0 <= i < N");
    assert!(matches!(evaluate(&outside, &sizes, &inputs), Verdict::Undefined(_)));
}

#[test]
fn systems_are_read_as_they_are_printed() {
    for number in 0..200 {
        let system = grow(7, number).system;
        assert_eq!(read(&system.to_string()), system, "{system}");
    }
}
