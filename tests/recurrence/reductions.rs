//! What a reduction leaves out, its steps, and in which order it runs: each meaning against hand-written loops, with twins that are
//! refused.

use crate::support::{filled, refusal, system, values};

fn sum(text: &str, n: i64, term: impl Fn(i64, i64) -> Option<f64>, order: impl Fn(i64) -> Vec<i64>) {
    let text = format!("kernel k(N)\nin x[2*N]\nout y[N]\ny[i] = {text}");
    let x = filled(5, &[2 * n as usize]);
    let values = values(&text, &[("N", n)], &[("x", &x)]);
    let of = |i: i64| order(i).into_iter().filter_map(|k| term(i, k)).reduce(|a, b| a + b).unwrap_or(0.0);
    let wanted: Vec<f64> = (0..n).map(of).collect();
    assert_eq!(values, wanted, "{text}");
}

#[test]
fn conditions_and_steps_are_those_of_loops() {
    let n = 5;
    let x: Vec<f64> = filled(5, &[10]).iter().copied().collect();
    let at = |k: i64| x[k as usize];
    let all = |_| (0..n).collect::<Vec<i64>>();
    sum("sum(k in 0..N where k != i) x[k]", n, |i, k| (k != i).then(|| at(k)), all);
    sum("sum(k in 0..N where i <= 2*k < i + 4) x[k]", n, |i, k| (i <= 2 * k && 2 * k < i + 4).then(|| at(k)), all);
    sum("sum(k in 0..N where k == i) x[k]", n, |i, k| (k == i).then(|| at(k)), all);
    sum("sum(k in 0..N where 0 < k != i) x[k - 1]", n, |i, k| (0 < k && k != i).then(|| at(k - 1)), all);
    sum("sum(k in 0..N where k != 0) x[k - 1]", n, |_, k| (k != 0).then(|| at(k - 1)), all);
    sum("sum(k in 0..N step 2) x[k]", n, |_, k| Some(at(k)), |_| (0..n).step_by(2).collect());
    sum("sum(k in i..N step 3) x[k + 1]", n, |_, k| Some(at(k + 1)), |i| (i..n).step_by(3).collect());
    sum("sum(k in N-1..-1 step -1) x[k] / 3", n, |_, k| Some(at(k) / 3.0), |_| (0..n).rev().collect());
    sum(
        "sum(k in 2*N-1..i step -2) x[k] / 3",
        n,
        |_, k| Some(at(k) / 3.0),
        |i| (i + 1..2 * n).rev().step_by(2).collect(),
    );
    sum("sum(k in N..0 step -1 where k > i) x[k]", n, |i, k| (k > i).then(|| at(k)), |_| (1..=n).rev().collect());
    sum(
        "sum(k in 0..N step 2, l in k..N step 2 where k + l < N) x[l]",
        n,
        |_, kl| Some(at(kl % 10)),
        |_| {
            let ks = (0..n).step_by(2);
            ks.flat_map(|k| (k..n).step_by(2).filter(move |l| k + l < n)).collect()
        },
    );
}

#[test]
fn what_is_left_out_of_any_reduction_is_neutral() {
    let x = filled(2, &[3]);
    for (word, neutral) in [("prod", 1.0), ("max", f64::NEG_INFINITY), ("min", f64::INFINITY), ("sum", 0.0)] {
        let text = format!("kernel k(N)\nin x[N]\nout y[N]\ny[i] = {word}(k where k != i) x[k]");
        let one = ndarray::Array1::from(vec![x[[0]]]).into_dyn();
        assert_eq!(values(&text, &[("N", 1)], &[("x", &one)]), [neutral], "{word}");
    }
}

#[test]
fn what_no_reduction_can_leave_out_is_refused() {
    let kernel = |value: &str| refusal(&format!("kernel k(N)\nin x[N]\nout y[N]\ny[i] = {value}"));
    let said = kernel("sum(k in 0..N where i < 2) x[k]");
    assert!(said.contains("a condition of a reduction names none of its indices"), "{said}");
    let said = kernel("sum(k in 0..N) x[k] where k != i");
    assert!(said.contains("say it in the reduction: `(k where ..)`"), "{said}");
    let said = kernel("sum(k in 0..N step 0) x[k]");
    assert!(said.contains("a step is a whole number other than 0"), "{said}");
    let said = kernel("sum(k in 0..N step 2) x[k + 1]");
    assert!(said.contains("access to `x` can leave its bounds") && said.contains("at N = 1; i = 0, k = 0"), "{said}");
    let said = kernel("sum(k in N..-1 step -1) x[k]");
    assert!(said.contains("access to `x` can leave its bounds"), "{said}");
}

/// Extents are compared as numbers, under what is assumed of sizes.
#[test]
fn one_index_over_two_extents_needs_them_to_be_one() {
    let kernel = |assumed: &str| format!("kernel k(N, M){assumed}\nin A[N, M]\nout y\ny = sum(i) A[i, i]");
    let a = filled(1, &[3, 3]);
    let trace = a[[0, 0]] + a[[1, 1]] + a[[2, 2]];
    assert_eq!(values(&kernel(" where M == N"), &[("N", 3), ("M", 3)], &[("A", &a)]), [trace]);
    let said = refusal(&kernel(" where M <= N"));
    assert!(said.contains("index `i` ranges over both `0..N` and `0..M`"), "{said}");
}

/// `max(a, b) - c` is a difference of a call; one index alone, a range or a condition cannot be its arguments.
#[test]
fn a_body_may_begin_with_a_minus() {
    let x = filled(3, &[4]);
    let kernel = |head: &str| format!("kernel k(N)\nin x[N]\nout y\ny = {head} -x[i]");
    let least = x.iter().copied().fold(f64::INFINITY, f64::min);
    for head in ["max(i)", "max(i in 0..N)", "max(i where i < N)"] {
        assert_eq!(values(&kernel(head), &[("N", 4)], &[("x", &x)]), [-least], "{head}");
    }
    let text = "kernel k(N)\nin x[N]\nout y[N]\ny[i] = max(i, 2) - x[i]";
    let wanted: Vec<f64> = (0u32..).zip(&x).map(|(i, x)| f64::from(i.max(2)) - x).collect();
    assert_eq!(values(text, &[("N", 4)], &[("x", &x)]), wanted);
}

/// A sum of an integrand with a `+` in it, without brackets.
#[test]
fn a_name_behind_the_end_of_its_reduction_is_told_where_it_ends() {
    let kernel = |value: &str| format!("kernel k(N)\nin x[N], z[N]\nout y\ny = {value}");
    let said = refusal(&kernel("sum(i) x[i] + z[i]"));
    assert!(said.contains("put all that `sum(i) x[i]` is to reduce in brackets"), "{said}");
    assert_eq!(refusal(&kernel("sum(i) x[i] + i")).matches("in brackets").count(), 1);
    system(&kernel("sum(i) (x[i] + z[i])"));
    // Not before it, nor where no reduction binds the name.
    assert!(!refusal(&kernel("z[i] + sum(i) x[i]")).contains("brackets"));
    assert!(!refusal(&kernel("sum(i) x[i] + z[k]")).contains("brackets"));
}
