//! Tensors that come in and leave: kernels as their loops write them, against these loops, with twins that are refused.

use crate::support::{dominant, filled, refusal, sizes, system, tensors, values};
use systole_equations::recurrence::evaluate;

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

/// A step of work in place: the element that comes to `(i, j)`, of the elements as they stand then.
type Step = fn(&ndarray::ArrayD<f64>, &ndarray::ArrayD<f64>, usize, usize) -> f64;

fn sum(count: usize, term: impl Fn(usize) -> f64) -> f64 {
    (0..count).map(term).sum()
}

/// Reductions run over what this sweep has written and what it has not: each element as it stands, however the reductions are spelled.
#[test]
fn reductions_in_place_read_new_elements_before_old_ones() {
    let relaxed: Step = |w, a, i, j| {
        let rest = sum(a.shape()[0], |k| if k == i { 0.0 } else { w[[i, k]] * a[[k, j]] });
        (1.0 - rest) / w[[i, i]]
    };
    let columns = "inout A[N, M] over t in 0..T\nA[i, j] = ";
    let of = |value: &str| format!("{columns}{value}");
    let cases: [(String, Step); 9] = [
        (of("(1 - sum(k where k < i) W[i, k] * A[k, j] - sum(k where k > i) W[i, k] * A[k, j]) / W[i, i]"), relaxed),
        (of("(1 - sum(k where k > i) W[i, k] * A[k, j] - sum(k where k < i) W[i, k] * A[k, j]) / W[i, i]"), relaxed),
        (of("(1 - sum(k where k != i) W[i, k] * A[k, j]) / W[i, i]"), relaxed),
        (of("A[i, j] + (1 - sum(k) W[i, k] * A[k, j]) / W[i, i]"), relaxed),
        (of("max(k) W[i, k] * A[k, j]"), |w, a, i, j| {
            (0..a.shape()[0]).map(|k| w[[i, k]] * a[[k, j]]).fold(f64::NEG_INFINITY, f64::max)
        }),
        (of("sum(k in i..N) W[i, k] * A[k, j]"), |w, a, i, j| sum(a.shape()[0] - i, |k| w[[i, i + k]] * a[[i + k, j]])),
        (of("sum(k, l) W[i, k] * A[k, l]"), |w, a, i, _| {
            sum(a.shape()[0], |k| sum(a.shape()[1], |l| w[[i, k]] * a[[k, l]]))
        }),
        (of("max(k) (sum(l) W[i, k] * A[k, l])"), |w, a, i, _| {
            let row = |k: usize| sum(a.shape()[1], |l| w[[i, k]] * a[[k, l]]);
            (0..a.shape()[0]).map(row).fold(f64::NEG_INFINITY, f64::max)
        }),
        (of("min(k) (A[k, j] + W[i, k]) + sum(l) A[i, l] * A[i, j]"), |w, a, i, j| {
            let least = (0..a.shape()[0]).map(|k| a[[k, j]] + w[[i, k]]).fold(f64::INFINITY, f64::min);
            least + sum(a.shape()[1], |l| a[[i, l]] * a[[i, j]])
        }),
    ];
    for (text, step) in cases {
        let text = format!("kernel k(T, N, M)\nin W[N, N]\n{text}\n");
        for (t, n, m) in [(1, 1, 1), (1, 3, 2), (2, 2, 3), (3, 4, 1)] {
            let (w, a) = (dominant(5, n), filled(3, &[n, m]));
            let sizes = [("T", t), ("N", n as i64), ("M", m as i64)];
            let found = values(&text, &sizes, &[("W", &w), ("A", &a)]);
            let mut a = a;
            for (_, i, j) in (0..t).flat_map(|t| (0..n).flat_map(move |i| (0..m).map(move |j| (t, i, j)))) {
                a[[i, j]] = step(&w, &a, i, j);
            }
            let is_near = |(found, wanted): (&f64, &f64)| (found - wanted).abs() <= 1e-9 * wanted.abs().max(1.0);
            assert!(found.iter().zip(a.iter()).all(is_near), "{text}T={t}, N={n}, M={m}: {found:?}, not {a:?}");
        }
    }
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
    assert!(said.contains("the steps of `A` have no range"), "{said}");
    let said = kernel("inout A[N]");
    assert!(said.contains("no equation defines `A`"), "{said}");
    let said = kernel("inout A[N]\nA[i] = A[i] + 1 where i > 0\nA[i] = 0 elsewhere");
    assert!(said.contains("is replaced in its place and has nothing elsewhere"), "{said}");
    let said = kernel("inout A[N]\nA[i] = A[i + 1]");
    assert!(said.contains("access to `A` can leave its bounds"), "{said}");
}

/// `over` says where the steps are; an array that is read in them says nothing of them.
#[test]
fn steps_are_as_many_as_over_says() {
    let short = "kernel k(M, N)\nin a[M]\ninout A[N] over t in 0..N\nA[i] = A[i] + a[t]";
    let said = refusal(short);
    assert!(said.contains("access to `a` can leave its bounds"), "{said}");
    let long = short.replace("k(M, N)", "k(M, N) where N <= M");
    let (a, b) = (filled(2, &[5]), filled(3, &[3]));
    let found = values(&long, &[("M", 5), ("N", 3)], &[("a", &a), ("A", &b)]);
    let wanted: Vec<f64> = b.iter().map(|b| (0..3).fold(*b, |sum, t| sum + a[[t]])).collect();
    assert_eq!(found, wanted);
    // The reduction is empty, so `a[0, t]` is never read.
    let never = "kernel k(M, N)\nin a[1, 1]\ninout A[N] over t in 1..N\nA[i] = max(k in M..M) a[0, t]";
    let found = values(never, &[("M", 5), ("N", 4)], &[("a", &filled(1, &[1, 1])), ("A", &filled(3, &[4]))]);
    assert_eq!(found, [f64::NEG_INFINITY; 4]);
}

#[test]
fn there_may_be_no_steps() {
    let text = "kernel k(N)\ninout A[N] over t in 1..N - 1\nA[i] = A[i] * 2 + t";
    for n in 1..6 {
        check(text, &[("N", n as i64)], filled(2, &[n]), |a| {
            for t in 1..n.saturating_sub(1) {
                a.iter_mut().for_each(|a| *a = *a * 2.0 + t as f64);
            }
        });
    }
    let said = refusal("kernel k(M, N)\ninout A[N] over t in M..N\nA[i] = A[i] * 2 + t");
    assert!(said.contains("the steps of `A` can end before they begin") && said.contains("where M <= N"), "{said}");
    let said = refusal("kernel k(N)\ninout A[N] over t in 50..2\nA[i] = t");
    assert!(said.contains("`A` has no steps at any size"), "{said}");
    check(
        "kernel k(M, N) where M <= N\ninout A[N] over t in M..N\nA[i] = A[i] + t",
        &[("M", 2), ("N", 4)],
        filled(2, &[4]),
        |a| {
            a.iter_mut().for_each(|a| *a = *a + 2.0 + 3.0);
        },
    );
}

/// The extent of the tensor cuts the left side, as it does everywhere.
#[test]
fn what_lies_outside_is_not_replaced() {
    let text = "kernel k(M, N)\ninout A[N] over t in 0..M\nA[t] = A[t] * 2 + t\nA[i] = A[i] + 1";
    for (m, n) in [(5, 3), (3, 5), (1, 1)] {
        check(text, &[("M", m), ("N", n as i64)], filled(2, &[n]), |a| {
            for t in 0..m as usize {
                if t < n {
                    a[[t]] = a[[t]] * 2.0 + t as f64;
                }
                a.iter_mut().for_each(|a| *a += 1.0);
            }
        });
    }
}

#[test]
fn the_index_of_the_steps_has_a_name_of_its_own() {
    for name in ["N", "a", "A"] {
        let said = refusal(&format!("kernel k(N)\nin a[N]\ninout A[N] over {name} in 0..2\nA[i] = A[i] + a[i]"));
        assert!(said.contains(&format!("`{name}` is declared as something else and cannot be an index")), "{said}");
    }
    let said = refusal("kernel k(N)\ninout A[N] over t in 0..2\nin t[N]\nA[i] = A[i] + t[i]");
    assert!(said.contains("`t` is declared as something else and cannot be an index"), "{said}");
    let said = refusal("kernel k(N)\ninout A[N] over exp in 0..2\nA[i] = A[i] + 1");
    assert!(said.contains("`exp` is the name of a function"), "{said}");
    // The names that are given within are none of these.
    check(
        "kernel k(x0, x1)\ninout A[x0] over t in 0..x1\nA[i] = A[i] + 1 where i > t",
        &[("x0", 4), ("x1", 2)],
        filled(2, &[4]),
        |a| {
            for t in 0..2 {
                (t + 1..4).for_each(|i| a[[i]] += 1.0);
            }
        },
    );
}

/// What stands at a step is not what leaves, so an equation of another tensor with the name of the steps on its left is refused; a name that a
/// reduction binds is its own.
#[test]
fn other_tensors_read_what_leaves() {
    let kernel = |rest: &str| format!("kernel k(T, N)\ninout x[N] over t in 0..T\n{rest}\nx[i] = x[i] / 2\n");
    for rest in [
        "out e[T]\ne[t] = sum(i) x[i] * x[i]",
        "out e[T]\ne[s] = e[s - 1] + x[0] where s >= 1\ne[t] = x[t] where t < 1",
        "inout e[N] over t in 0..T + 1\ne[i] = e[i] + x[i]",
    ] {
        let said = refusal(&kernel(rest));
        assert!(said.contains("`e` has an index `t`, but reads `x` as it leaves, after all steps of `t`"), "{said}");
    }
    for rest in [
        "out e[T]\ne[s] = sum(i) x[i] * x[i]",
        "out e[N]\ne[i] = sum(t in 0..i + 1) x[t]",
        "inout e[N] over t in 0..T\ne[i] = e[i] + x[i]",
        "inout e[N] over s in 0..T + 1\ne[i] = e[i] + x[i]",
    ] {
        system(&kernel(rest));
    }
    let system = system(&kernel("out e[N]\ne[i] = sum(t in 0..i + 1) x[t]"));
    let found =
        evaluate(&system, &sizes(&[("T", 3), ("N", 4)]), &tensors(&[("x", filled(2, &[4]))])).expect("it has values");
    let mut sum = 0.0;
    for (x, e) in filled(2, &[4]).iter().zip(&found["e"]) {
        sum += x / 8.0;
        assert_eq!(*e, sum);
    }
}

/// Steps come one after the other, so an equation is not cut into those of even and of odd steps; it had wrong values.
#[test]
fn the_index_of_the_steps_is_not_divided() {
    for divided in ["t mod 2", "t div 2", "(i + t) mod 2"] {
        let text = format!("kernel k(M)\nin c[2, M]\ninout A[M] over t in 0..2\nA[i] = 1\nA[i] = c[{divided}, i]");
        let said = refusal(&text);
        let wanted = format!("`{divided}` divides the index of the steps in which `A` is replaced");
        assert!(said.contains(&wanted), "{said}");
    }
    // The same without `mod` is what the last equation says, and other tensors divide as they like.
    let text =
        "kernel k(M)\nin c[2, M]\ninout A[M] over t in 0..2\nout y[4]\nA[i] = 1\nA[i] = c[t, i]\ny[t] = c[t mod 2, 0]";
    let (a, c) = (filled(1, &[3]), filled(2, &[2, 3]));
    let found = evaluate(&system(text), &sizes(&[("M", 3)]), &tensors(&[("A", a), ("c", c.clone())])).expect("values");
    assert_eq!(found["A_out"].as_slice().unwrap(), c.index_axis(ndarray::Axis(0), 1).as_slice().unwrap());
}
