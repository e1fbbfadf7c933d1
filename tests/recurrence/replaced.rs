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
    let said = kernel("inout A[N, N]\nA[i + j, i - j] = A[i + j, i - j] + 1");
    assert!(said.contains("is not said by single indices"), "{said}");
    let said = kernel("inout A[N]\nA[i] = sum(i in 0..2) A[i]");
    assert!(said.contains("is not said by single indices"), "{said}");
    let said = kernel("inout A[N]\nA[1000*i] = 1\nA[i] = A[i] + 1");
    assert!(said.contains("an equation of what is replaced has too many cases"), "{said}");
    // Of which every second one was written before depends on `i` without end.
    let said = kernel("inout A[N]\nA[2*i] = A[i]");
    assert!(said.contains("an equation of what is replaced has too many cases"), "{said}");
    let said = kernel("inout A[N]\nA[2*i] = A[2*i] + A[N - 1 - 2*i]");
    assert!(said.contains("where the last value of an element was written has no closed form"), "{said}");
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

/// Every second element, or elements of every second diagonal: each as its neighbours stand then, in the order of the indices.
#[test]
fn equations_by_strides_replace_in_the_order_of_their_indices() {
    let near = |a: &ndarray::ArrayD<f64>, at: &[i64]| {
        let inside = at.iter().zip(a.shape()).all(|(at, extent)| (0..*extent as i64).contains(at));
        let at: Vec<usize> = at.iter().map(|at| *at as usize).collect();
        if inside { a[at.as_slice()] } else { 0.0 }
    };
    let value = "((A[i - 1] else 0) + (A[i + 1] else 0) + A[i]) / 3";
    let row = |body: &str| format!("kernel k(T, N)\ninout A[N] over t in 0..T\n{body}\n");
    // Each with the rests of `i` by 3 in the order in which they come.
    let cases = [
        (row(&format!("A[i] = select(i mod 2 == 0, {value}, A[i])")), 2, vec![vec![0]]),
        (
            row(&format!("A[i] = {value} where i mod 2 == 0\nA[i] = {value} where i mod 2 == 1")),
            2,
            vec![vec![0], vec![1]],
        ),
        (
            row(&format!("A[i] = {value} where i mod 3 != 1\nA[i] = {value} where i mod 3 == 1")),
            3,
            vec![vec![0, 2], vec![1]],
        ),
        (row(&format!("A[i] = {value} where i mod 2 == 1\nA[i] = {value}")), 2, vec![vec![1], vec![0, 1]]),
        (
            row("A[2*i] = ((A[2*i - 1] else 0) + (A[2*i + 1] else 0) + A[2*i]) / 3\n\
                 A[2*i + 1] = (A[2*i] + (A[2*i + 2] else 0) + A[2*i + 1]) / 3"),
            2,
            vec![vec![0], vec![1]],
        ),
    ];
    for (text, by, sweeps) in cases {
        for (t, n) in [(1, 1), (1, 4), (2, 5), (3, 7)] {
            check(&text, &[("T", t), ("N", n)], filled(7, &[n as usize]), |a| {
                for (_, sweep) in (0..t).flat_map(|t| sweeps.iter().map(move |sweep| (t, sweep))) {
                    for i in (0..n).filter(|i| sweep.contains(&(i % by))) {
                        a[[i as usize]] = (near(a, &[i - 1]) + near(a, &[i + 1]) + near(a, &[i])) / 3.0;
                    }
                }
            });
        }
    }
    let value =
        "((A[i - 1, j - 1] else 0) + (A[i - 1, j + 1] else 0) + (A[i, j + 1] else 0) + (A[i + 1, j] else 0)) / 4";
    type Colour = fn(i64, i64) -> bool;
    let colours: [(&str, Colour); 4] = [
        ("(i + j) mod 2 == 0", |i, j| (i + j) % 2 == 0),
        ("i mod 2 == 1, j mod 3 == 0", |i, j| i % 2 == 1 && j % 3 == 0),
        ("j != 1", |_, j| j != 1),
        ("i != j, j mod 2 == 0", |i, j| i != j && j % 2 == 0),
    ];
    for (colour, is_in) in colours {
        let text = format!("kernel k(M, N)\ninout A[M, N] over t in 0..2\nA[i, j] = {value} where {colour}\n");
        for (m, n) in [(1, 1), (3, 4), (4, 3), (5, 5)] {
            check(&text, &[("M", m), ("N", n)], filled(5, &[m as usize, n as usize]), |a| {
                for (_, i, j) in (0..2).flat_map(|t| (0..m).flat_map(move |i| (0..n).map(move |j| (t, i, j)))) {
                    if is_in(i, j) {
                        let [above, right] = [near(a, &[i - 1, j - 1]), near(a, &[i - 1, j + 1])];
                        let sum = above + right + near(a, &[i, j + 1]) + near(a, &[i + 1, j]);
                        a[[i as usize, j as usize]] = sum / 4.0;
                    }
                }
            });
        }
    }
}

/// `mod` on the left: elements are replaced in the order of the indices, which is not that of the elements.
#[test]
fn the_order_is_that_of_the_indices_as_they_are_written() {
    let text = "kernel k(N)\ninout A[2*N]\nA[i + 1 - 2*(i mod 2)] = A[i] + 1 where 0 <= i < 2*N";
    for n in 1..4 {
        check(text, &[("N", n)], filled(2, &[2 * n as usize]), |a| {
            (0..2 * n as usize).for_each(|i| a[[i + 1 - 2 * (i % 2)]] = a[[i]] + 1.0);
        });
    }
    let text = "kernel k(N)\ninout A[N + 1, N]\n\
                A[i + (j mod 2), j] = (A[i + (j mod 2), j + 1] else 0) + 2*A[i, j] where 0 <= i < N";
    for n in 1..5 {
        check(text, &[("N", n as i64)], filled(2, &[n + 1, n]), |a| {
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let next = if j + 1 < n { a[[i + j % 2, j + 1]] } else { 0.0 };
                a[[i + j % 2, j]] = next + 2.0 * a[[i, j]];
            }
        });
    }
    let said = refusal("kernel k(N)\ninout A[N]\nA[i div 2] = A[i div 2] + 1 where 0 <= i < N");
    assert!(said.contains("an equation replaces an element of `A` more than once in a step"), "{said}");
}

/// What is replaced by strides is read by others: of another tensor, and of a value for each step.
#[test]
fn what_is_replaced_by_strides_is_read() {
    let text = "kernel k(N)\ninout A[N] over t in 0..3, B[N] over t in 0..3\nout y[4, N]\n\
                A[i] = A[i] + 1 where i mod 2 == 0\nB[i] = 2*B[i] + (A[i - 1] else 0)\ny[t, i] = 100 * A[i] + B[i]\n\
                A[3*i + 1] = A[3*i + 1] + 5";
    for n in [1, 4, 7] {
        let [a, b] = [filled(2, &[n]), filled(3, &[n])];
        let given = tensors(&[("A", a.clone()), ("B", b.clone())]);
        let found = evaluate(&system(text), &sizes(&[("N", n as i64)]), &given).expect("values");
        let (mut a, mut b, mut y) = (a, b, vec![]);
        for t in 0..4 {
            if t < 3 {
                (0..n).step_by(2).for_each(|i| a[[i]] += 1.0);
                (0..n).for_each(|i| b[[i]] = 2.0 * b[[i]] + if i > 0 { a[[i - 1]] } else { 0.0 });
            }
            y.extend((0..n).map(|i| 100.0 * a[[i]] + b[[i]]));
            if t < 3 {
                (0..n).skip(1).step_by(3).for_each(|i| a[[i]] += 5.0);
            }
        }
        assert_eq!(found["y"].iter().copied().collect::<Vec<f64>>(), y, "N={n}");
        assert_eq!(found["A_out"].iter().copied().collect::<Vec<f64>>(), a.iter().copied().collect::<Vec<f64>>());
        assert_eq!(found["B_out"].iter().copied().collect::<Vec<f64>>(), b.iter().copied().collect::<Vec<f64>>());
    }
}

/// From the other end: whether `N - 1 - i` is even is asked where `i` begins, whatever `N` is.
#[test]
fn what_is_replaced_by_strides_is_read_from_the_other_end() {
    let text = "kernel k(N)\ninout A[N] over t in 0..2\nA[i] = 2*A[i] + A[N - 1 - i] where i mod 2 == 0\nout y[2, N]\n\
                y[t, i] = A[N - 1 - i]";
    let refused = refusal(text);
    assert!(refused.contains("where the last value of an element was written has no closed form"), "{refused}");
    let text = text.replace(" + A[N - 1 - i] where", " where");
    for n in [1, 4, 5] {
        let a = filled(2, &[n]);
        let given = tensors(&[("A", a.clone())]);
        let found = evaluate(&system(&text), &sizes(&[("N", n as i64)]), &given).expect("values");
        let (mut a, mut y) = (a, vec![]);
        for _ in 0..2 {
            (0..n).step_by(2).for_each(|i| a[[i]] *= 2.0);
            y.extend((0..n).map(|i| a[[n - 1 - i]]));
        }
        assert_eq!(found["y"].iter().copied().collect::<Vec<f64>>(), y, "N={n}");
    }
}

/// On the left stand forms that say the indices one after the other; elements are replaced as these grow.
#[test]
fn forms_on_the_left_say_their_indices() {
    let row = |body: &str| format!("kernel k(N)\ninout A[N]\n{body}\n");
    check(&row("A[i + 1] = A[i + 1] + A[i]"), &[("N", 5)], filled(2, &[5]), |a| {
        (0..4).for_each(|i| a[[i + 1]] += a[[i]]);
    });
    check(&row("A[N - 1 - i] = A[N - 1 - i] + A[N - i] where i >= 1"), &[("N", 5)], filled(2, &[5]), |a| {
        (1..5).for_each(|i| a[[4 - i]] += a[[5 - i]]);
    });
    // The last element comes last, so all others are old.
    check(&row("A[N - 1 - i] = A[N - 1 - i] + A[N - 2 - i] where i < N - 1"), &[("N", 5)], filled(2, &[5]), |a| {
        (0..4).for_each(|i| a[[4 - i]] += a[[3 - i]]);
    });
    let square = |body: &str| format!("kernel k(N)\ninout A[N, N] over t in 0..2\n{body}\n");
    check(&square("A[i, i] = A[i, i] + (A[i - 1, i - 1] else 1)"), &[("N", 4)], filled(3, &[4, 4]), |a| {
        for i in (0..2).flat_map(|_| 0..4) {
            a[[i, i]] += if i > 0 { a[[i - 1, i - 1]] } else { 1.0 };
        }
    });
    check(
        &square("A[i, i + j] = A[i, i + j] + (A[i + j, i] else 1) where j >= 0"),
        &[("N", 4)],
        filled(3, &[4, 4]),
        |a| {
            for (i, j) in (0..2).flat_map(|_| (0..4).flat_map(|i| (0..4 - i).map(move |j| (i, j)))) {
                a[[i, i + j]] += a[[i + j, i]];
            }
        },
    );
}

/// What has a value for each step reads what stands there in its step: before the equations behind it in the text, after those before it.
#[test]
fn values_of_a_step_read_what_stands_there() {
    let text = "kernel power(T, N)\nin W[N, N]\ninout A[N] over t in 0..T\nlocal y[T, N], s[T]\n\
                y[t, i] = sum(j) W[i, j] * A[j]\ns[t] = max(i) abs(y[t, i])\nA[i] = y[t, i] / s[t]\n";
    for (t, n) in [(1, 1), (2, 3), (4, 4)] {
        let (w, a) = (dominant(4, n), filled(2, &[n]));
        let found = values(text, &[("T", t), ("N", n as i64)], &[("W", &w), ("A", &a)]);
        let mut a = a;
        for _ in 0..t {
            let y: Vec<f64> = (0..n).map(|i| sum(n, |j| w[[i, j]] * a[[j]])).collect();
            let s = y.iter().fold(0.0f64, |s, y| s.max(y.abs()));
            (0..n).for_each(|i| a[[i]] = y[i] / s);
        }
        let is_near = |(found, wanted): (&f64, &f64)| (found - wanted).abs() <= 1e-12 * wanted.abs();
        assert!(found.iter().zip(a.iter()).all(is_near), "T={t}, N={n}: {found:?}, not {a:?}");
    }
    let between =
        |order: [&str; 3]| format!("kernel k(N)\ninout A[N] over t in 1..4\nout y[5, N]\n{}\n", order.join("\n"));
    let (double, add, see) = ("A[i] = A[i] * 2 where i > 0", "A[i] = A[i] + (A[i - 1] else 1)", "y[t, i] = A[i]");
    for (place, order) in [[see, double, add], [double, see, add], [double, add, see]].into_iter().enumerate() {
        let (a, text) = (filled(3, &[3]), between(order));
        let found = evaluate(&system(&text), &sizes(&[("N", 3)]), &tensors(&[("A", a.clone())])).expect("values");
        let (mut a, mut y) = (a, vec![]);
        for t in 0..5 {
            let is_step = (1..4).contains(&t);
            for (moment, equation) in order.into_iter().enumerate() {
                if moment == place {
                    y.extend(a.iter().copied());
                } else if is_step && equation == double {
                    (1..3).for_each(|i| a[[i]] *= 2.0);
                } else if is_step {
                    (0..3).for_each(|i| a[[i]] += if i > 0 { a[[i - 1]] } else { 1.0 });
                }
            }
        }
        assert_eq!(found["y"].iter().copied().collect::<Vec<f64>>(), y, "{text}");
        assert_eq!(found["A_out"].iter().copied().collect::<Vec<f64>>(), a.iter().copied().collect::<Vec<f64>>());
    }
}

/// Of two tensors with steps of their own, each as it stands at the place in the text.
#[test]
fn a_value_of_a_step_reads_all_that_is_replaced_in_it() {
    let text = "kernel k(N)\ninout A[N] over t in 0..2, B[N] over t in 0..3\nout y[3, N]\n\
                A[i] = A[i] + 1\ny[t, i] = 100 * A[i] + B[i]\nB[i] = B[i] + 10\n";
    let [a, b] = [filled(2, &[3]), filled(3, &[3])];
    let given = tensors(&[("A", a.clone()), ("B", b.clone())]);
    let found = evaluate(&system(text), &sizes(&[("N", 3)]), &given).expect("values");
    let (mut a, mut b, mut y) = (a, b, vec![]);
    for t in 0..3 {
        if t < 2 {
            a.iter_mut().for_each(|a| *a += 1.0);
        }
        y.extend(a.iter().zip(&b).map(|(a, b)| 100.0 * a + b));
        b.iter_mut().for_each(|b| *b += 10.0);
    }
    assert_eq!(found["y"].iter().copied().collect::<Vec<f64>>(), y);
}

/// What an equation without the index of the steps reads is what leaves; a name that a reduction binds is its own.
#[test]
fn other_tensors_read_what_leaves() {
    let kernel = |rest: &str| format!("kernel k(T, N)\ninout x[N] over t in 0..T\n{rest}\nx[i] = x[i] / 2\n");
    let said = refusal(&kernel("inout e[N] over t in 0..T + 1\ne[i] = e[i] + x[i]"));
    assert!(said.contains("`e` has an index `t`, but reads `x` as it leaves, after all steps of `t`"), "{said}");
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
