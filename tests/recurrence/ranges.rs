//! Ranges that the left side says, and reads that a guard keeps within bounds: each meaning against hand-written loops, with
//! a twin that is refused.

use crate::support::{filled, sizes, system, tensors};
use systole_base::diagnostic::render;
use systole_base::span::Source;
use systole_equations::recurrence::{evaluate, load};

/// What a kernel of `N` makes of `x`.
fn values(text: &str, n: i64, x: &[f64]) -> Vec<f64> {
    let x = ndarray::Array1::from(x.to_vec()).into_dyn();
    let outputs = evaluate(&system(text), &sizes(&[("N", n)]), &tensors(&[("x", x)])).expect("values");
    outputs["y"].iter().copied().collect()
}

fn refusal(text: &str) -> String {
    let source = Source::new("k.rec", text);
    render(&load(&source).expect_err("a refusal"), false)
}

fn head(text: &str) -> String {
    format!("kernel k(N)\n{text}")
}

fn numbers(count: i64) -> Vec<f64> {
    filled(3, &[count as usize]).iter().copied().collect()
}

#[test]
fn the_left_side_cut_by_where_is_the_range() {
    let text = head("in x[N]\nout y[N + 1]\ny[N] = 0\ny[i] = y[i + 1] + x[i] where i < N");
    let x = numbers(6);
    let mut wanted = vec![0.0; 7];
    (0..6).rev().for_each(|i| wanted[i] = wanted[i + 1] + x[i]);
    assert_eq!(values(&text, 6, &x), wanted);
    let wide = head("in x[N]\nout y[N + 1]\ny[i] = x[i]");
    let said = refusal(&wide);
    assert!(said.contains("access to `x` can leave its bounds") && said.contains("at N = 1; i = 1"), "{said}");
}

#[test]
fn an_index_with_a_factor_keeps_its_subscript_within_the_extent() {
    for (even, odd) in [("y[2*i]", "y[2*i + 1]"), ("y[2*N - 2 - 2*i]", "y[2*N - 1 - 2*i]")] {
        let text = head(&format!("in x[2*N]\nout y[2*N]\n{even} = x[2*i]\n{odd} = x[2*i + 1]"));
        assert_eq!(values(&text, 5, &numbers(10)).len(), 10);
    }
    let missing = refusal(&head("in x[2*N]\nout y[2*N + 1]\ny[2*i] = x[0]\ny[2*i + 1] = x[0] where i < N - 1"));
    assert!(missing.contains("element `y[1]` is never defined"), "{missing}");
}

#[test]
fn an_index_is_0_or_more_unless_where_says_otherwise() {
    let x = numbers(5);
    let mut wanted = vec![0.0; 6];
    (0..5).for_each(|i| wanted[i + 1] = wanted[i] + x[i]);
    assert_eq!(values(&head("in x[N]\nout y[N + 1]\ny[0] = 0\ny[i + 1] = y[i] + x[i]"), 5, &x), wanted);
    let from_before = head("in x[N]\nout y[N + 1]\ny[i + 1] = 1 where 0 - 1 <= i");
    assert_eq!(values(&from_before, 5, &x), vec![1.0; 6]);
    let twice = refusal(&head("in x[N]\nout y[N + 1]\ny[0] = 0\ny[i + 1] = 1 where 0 - 1 <= i"));
    assert!(twice.contains("element `y[0]` is defined twice"), "{twice}");
}

#[test]
fn an_index_that_nothing_bounds_is_refused() {
    let said = refusal(&head("in x[N]\nout y[N]\ny[i - j] = x[0]"));
    assert!(said.contains("index `i` has no range") && said.contains("index `j` has no range"), "{said}");
}

#[test]
fn a_guard_keeps_a_read_within_bounds() {
    let text = head("in x[N]\nout y[N]\ny[i] = sum(k in 0..3) select(i + k < N, x[i + k], 0)");
    let x = numbers(6);
    let term = |at: usize| if at < 6 { x[at] } else { 0.0 };
    let wanted: Vec<f64> = (0..6).map(|i| term(i) + term(i + 1) + term(i + 2)).collect();
    assert_eq!(values(&text, 6, &x), wanted);
    let wide = refusal(&text.replace("i + k < N", "i + k <= N"));
    assert!(wide.contains("access to `x` can leave its bounds") && wide.contains("reaches `x[1]`"), "{wide}");
}

#[test]
fn a_guard_is_cut_wherever_it_stands_and_however_it_is_joined() {
    let x = numbers(6);
    let at = |at: i64| usize::try_from(at).ok().and_then(|at| x.get(at).copied());
    let window = |i: i64| (-1..2).map(|k| at(i + k).unwrap_or(0.0)).fold(0.0, |sum: f64, term| sum + term);
    for guard in [
        "select((0 <= i + k) * (i + k < N), x[i + k], 0)",
        "select(min(0 <= i + k, i + k < N), x[i + k], 0)",
        "select(max(i + k < 0, N <= i + k), 0, x[i + k])",
        "select(0 <= i + k, select(i + k < N, x[i + k], 0), 0)",
    ] {
        let text = head(&format!("in x[N]\nout y[N]\ny[i] = sum(k in 0 - 1..2) {guard}"));
        assert_eq!(values(&text, 6, &x), (0..6).map(window).collect::<Vec<f64>>(), "{guard}");
    }
    let triangle = head("in x[N]\nout y[N]\ny[i] = max(k in 0..i + 1) select(i + k < N, x[i + k], 0 - 99)");
    let largest = |i: i64| (0..=i).map(|k| at(i + k).unwrap_or(-99.0)).fold(f64::MIN, f64::max);
    assert_eq!(values(&triangle, 6, &x), (0..6).map(largest).collect::<Vec<f64>>());
    let outside = head("in x[N]\nout y[N]\ny[i] = 2 * select(i != 0, x[i - 1], 1) + select(i == N - 1, 3, x[i + 1])");
    let wanted = |i: i64| 2.0 * at(i - 1).unwrap_or(1.0) + at(i + 1).unwrap_or(3.0);
    assert_eq!(values(&outside, 6, &x), (0..6).map(wanted).collect::<Vec<f64>>());
    // The same guard over two ranges: each sum has its own terms.
    let term = "select(0 <= i - k, x[i - k], 0)";
    let twice = head(&format!("in x[N]\nout y[N]\ny[i] = (sum(k in 0..2) {term} * 2) + (sum(k in 1..4) {term})"));
    let terms = |i: i64, range: std::ops::Range<i64>| range.map(|k| at(i - k).unwrap_or(0.0)).collect::<Vec<f64>>();
    let wanted =
        |i: i64| terms(i, 0..2).iter().fold(0.0, |sum, term| sum + term * 2.0) + terms(i, 1..4).iter().sum::<f64>();
    assert_eq!(values(&twice, 6, &x), (0..6).map(wanted).collect::<Vec<f64>>());
    let one_sided = refusal(&head("in x[N]\nout y[N]\ny[i] = select(i == 0, x[i - 1], x[i])"));
    assert!(one_sided.contains("reaches `x[-1]`"), "{one_sided}");
    let by_data = refusal(&head("in x[N]\nout y[N]\ny[i] = select(x[i] < 0, x[i + 1], 0)"));
    assert!(by_data.contains("access to `x` can leave its bounds"), "{by_data}");
}

/// What stays within bounds by itself is not cut: both branches are computed, as before.
#[test]
fn a_guard_that_is_not_needed_is_left_as_it_is() {
    let text = head("in x[N + 1]\nout y[N]\ny[i] = select(i == 0, 0, x[i + 1])");
    assert_eq!(system(&text).equations.len(), 1);
    let needed = head("in x[N]\nout y[N]\ny[i] = select(i == N - 1, 0, x[i + 1])");
    assert_eq!(system(&needed).equations.len(), 2);
}
