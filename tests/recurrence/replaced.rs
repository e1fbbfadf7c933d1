//! Tensors that come in and leave: kernels as their loops write them, against these loops, with twins that are refused.

use crate::support::{dominant, filled, refusal, system, values};

/// What loops make of `A` in place, beside what the kernel says.
fn check(text: &str, sizes: &[(&str, i64)], a: ndarray::ArrayD<f64>, run: impl Fn(&mut ndarray::ArrayD<f64>)) {
    let found = values(text, sizes, &[("A", &a)]);
    let mut wanted = a;
    run(&mut wanted);
    assert_eq!(found, wanted.iter().copied().collect::<Vec<f64>>(), "{text}");
}

#[test]
fn the_factors_of_a_matrix_take_its_place() {
    let text = "kernel lu(N)\ninout A[N, N] over k in 0..N\nA[i, k] = A[i, k] / A[k, k] where k < i\n\
                A[i, j] = A[i, j] - A[i, k] * A[k, j] where k < i, k < j";
    assert!(system(text).equations.len() < 24, "no more cases than points differ in:\n{}", system(text));
    for n in 1..5 {
        check(text, &[("N", n as i64)], dominant(3, n), |a| {
            for k in 0..n {
                (k + 1..n).for_each(|i| a[[i, k]] /= a[[k, k]]);
                for (i, j) in (k + 1..n).flat_map(|i| (k + 1..n).map(move |j| (i, j))) {
                    a[[i, j]] -= a[[i, k]] * a[[k, j]];
                }
            }
        });
    }
}

/// New values on one side and old ones on the other, in the order of the loops.
#[test]
fn a_sweep_in_place_reads_what_it_has_written() {
    let text = "kernel seidel(T, N)\ninout A[N, N] over t in 0..T\n\
                A[i, j] = (A[i - 1, j] + A[i, j - 1] + A[i, j] + A[i, j + 1] + A[i + 1, j]) / 5 \
                where 1 <= i < N - 1, 1 <= j < N - 1";
    for (t, n) in [(1, 3), (1, 4), (3, 5)] {
        check(text, &[("T", t), ("N", n as i64)], filled(7, &[n, n]), |a| {
            for (_, i, j) in (0..t).flat_map(|t| (1..n - 1).flat_map(move |i| (1..n - 1).map(move |j| (t, i, j)))) {
                a[[i, j]] = (a[[i - 1, j]] + a[[i, j - 1]] + a[[i, j]] + a[[i, j + 1]] + a[[i + 1, j]]) / 5.0;
            }
        });
    }
}

#[test]
fn shortest_paths_and_prefixes_are_found_in_place() {
    let paths = "kernel paths(N)\ninout A[N, N] over k in 0..N\nA[i, j] = min(A[i, j], A[i, k] + A[k, j])";
    check(paths, &[("N", 4)], filled(2, &[4, 4]), |a| {
        for (k, i, j) in (0..4).flat_map(|k| (0..4).flat_map(move |i| (0..4).map(move |j| (k, i, j)))) {
            a[[i, j]] = a[[i, j]].min(a[[i, k]] + a[[k, j]]);
        }
    });
    let sums = "kernel sums(N)\ninout A[N]\nA[i] = A[i] + A[i - 1] where 1 <= i";
    check(sums, &[("N", 5)], filled(2, &[5]), |a| (1..5).for_each(|i| a[[i]] += a[[i - 1]]));
    let solve = "kernel solve(N)\nin L[N, N]\ninout A[N]\nA[i] = (A[i] - sum(j in 0..i) L[i, j] * A[j]) / L[i, i]";
    let (l, b) = (dominant(1, 4), filled(2, &[4]));
    let found = values(solve, &[("N", 4)], &[("L", &l), ("A", &b)]);
    let mut x = b;
    for i in 0..4 {
        let sum = (0..i).map(|j| l[[i, j]] * x[[j]]).reduce(|a, b| a + b).unwrap_or(0.0);
        x[[i]] = (x[[i]] - sum) / l[[i, i]];
    }
    assert_eq!(found, x.iter().copied().collect::<Vec<f64>>());
}

/// Two tensors that are replaced in turns, as in PolyBench's `jacobi-1d`.
#[test]
fn tensors_with_the_same_steps_are_replaced_in_turns() {
    let text = "kernel jacobi(T, N)\ninout A[N] over t in 0..T, B[N] over t in 0..T\n\
                B[i] = (A[i - 1] + A[i] + A[i + 1]) / 3 where 1 <= i < N - 1\n\
                A[i] = (B[i - 1] + B[i] + B[i + 1]) / 3 where 1 <= i < N - 1";
    for (t, n) in [(1, 2), (1, 4), (4, 6)] {
        let (a, b) = (filled(1, &[n]), filled(2, &[n]));
        let found = values(text, &[("T", t), ("N", n as i64)], &[("A", &a), ("B", &b)]);
        let (mut a, mut b) = (a, b);
        for _ in 0..t {
            (1..n - 1).for_each(|i| b[[i]] = (a[[i - 1]] + a[[i]] + a[[i + 1]]) / 3.0);
            (1..n - 1).for_each(|i| a[[i]] = (b[[i - 1]] + b[[i]] + b[[i + 1]]) / 3.0);
        }
        assert_eq!(found, a.iter().copied().collect::<Vec<f64>>());
    }
}

#[test]
fn what_is_replaced_in_no_order_that_can_be_said_is_refused() {
    let kernel = |rest: &str| refusal(&format!("kernel k(N)\n{rest}"));
    let said = kernel("inout A[N]\nA[2*i] = A[i]");
    assert!(said.contains("is not said by single indices"), "{said}");
    let said = kernel("in A[N] over k in 0..N\nout y[N]\ny[i] = A[i]");
    assert!(said.contains("has steps and does not come in and leave"), "{said}");
    let said = kernel("inout A[N] over k\nA[i] = A[i]");
    assert!(said.contains("the steps of `A` have no range by ones"), "{said}");
    let said = kernel("inout A[N]\nA[i] = sum(j) A[j]");
    assert!(said.contains("a reduction reads elements that were last written in several ways"), "{said}");
    let said = kernel("inout A[N]");
    assert!(said.contains("no equation defines `A`"), "{said}");
    let said = kernel("inout A[N]\nA[i] = A[i + 1]");
    assert!(said.contains("access to `A` can leave its bounds"), "{said}");
}
