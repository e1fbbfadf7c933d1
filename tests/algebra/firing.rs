//! Each law by itself: an equation on which it fires, and one beside it on which it must not.

use crate::common::{LIMITS, algebra, sizes};
use systole::algebra::{Wanted, derive};
use systole::recurrence::load;
use systole::span::Source;

/// How often the law alone taught something on `y[i] = value`.
fn fired(law: &str, value: &str) -> usize {
    let text = format!(
        "kernel one(N, M)\nin a[N], b[N], c[N], X[N, M], Y[N, M], A[M, N], B[M, M], w[M], long[N + M]\nout y[N]\ny[i] = {value}\n"
    );
    let system = load(&Source::new("one.rec", text)).unwrap();
    let rules = algebra().only(law);
    assert!(!rules.rules().is_empty(), "there is no law `{law}`");
    let sizes = sizes(&[("N", 4), ("M", 3)]);
    let found = derive(&system, &rules, &Wanted { sizes: &sizes, limits: LIMITS, all: None }).unwrap();
    found.report.fired.get(law).copied().unwrap_or(0)
}

#[test]
fn each_law_fires_where_it_holds_and_rests_beside() {
    for (law, fires, rests) in [
        ("comm-add", "a[i] + b[i]", "a[i] - b[i]"),
        ("comm-mul", "a[i] * b[i]", "a[i] / b[i]"),
        ("assoc-add", "(a[i] + b[i]) + c[i]", "(a[i] - b[i]) + c[i]"),
        ("assoc-mul", "(a[i] * b[i]) * c[i]", "(a[i] / b[i]) * c[i]"),
        ("factor", "a[i] * b[i] + a[i] * c[i]", "a[i] * b[i] + c[i] * a[i]"),
        ("factor-sub", "a[i] * b[i] - a[i] * c[i]", "a[i] * b[i] + a[i] * c[i]"),
        ("div-mul-same", "(a[i] / b[i]) * b[i]", "(a[i] / b[i]) * c[i]"),
        ("sub-same", "a[i] - a[i]", "a[i] - b[i]"),
        ("sub-zero", "a[i] - 0", "0 - a[i]"),
        ("cancel-exp", "(exp(a[i]) * b[i]) / (exp(a[i]) * c[i])", "(exp(a[i]) * b[i]) / (exp(b[i]) * c[i])"),
        ("log-exp-mul", "log(exp(a[i]) * b[i])", "log(exp(a[i]) + b[i])"),
        ("log-exp-div", "log(exp(a[i]) / b[i])", "log(b[i] / exp(a[i]))"),
        ("mul-one", "1 * a[i]", "a[i] * 1"),
        ("comm-eq", "select(a[i] == b[i], a[i], c[i])", "select(a[i] < b[i], a[i], c[i])"),
        ("mul-select", "select(a[i] < b[i], a[i], 0) * c[i]", "select(a[i] < b[i], a[i], 1) * c[i]"),
        ("flip-select", "select(a[i] < b[i], a[i], c[i])", "select(a[i] <= b[i], a[i], c[i])"),
        ("add-mask", "a[i] + select(b[i] < c[i], 0, -infinity)", "a[i] + select(b[i] < c[i], 1, -infinity)"),
        ("sub-mask", "select(b[i] < c[i], a[i], -infinity) - b[i]", "b[i] - select(b[i] < c[i], a[i], -infinity)"),
        ("exp-mask", "exp(select(b[i] < c[i], a[i], -infinity))", "exp(select(b[i] < c[i], a[i], 0))"),
        ("sum-where", "sum(j in 0..N) select(j <= i, b[j], 0)", "sum(j in 0..N) select(j <= i, b[j], 1)"),
        ("max-where", "max(j in 0..N) select(j <= i, b[j], -infinity)", "max(j in 0..N) select(j <= i, b[j], 0)"),
        ("pick-term", "sum(j in 0..N) select(i == j, b[j], 0)", "sum(j in 0..i) select(i == j, b[j], 0)"),
        ("square", "pow(a[i], 2)", "pow(a[i], 3)"),
        ("split-sum", "sum(k) (X[i, k] + Y[i, k])", "max(k) (X[i, k] + Y[i, k])"),
        ("split-sub", "sum(k) (X[i, k] - Y[i, k])", "max(k) (X[i, k] - Y[i, k])"),
        ("split-product", "sum(k) (X[i, k] + w[k]) * Y[i, k]", "max(k) (X[i, k] + w[k]) * Y[i, k]"),
        ("split-product-sub", "sum(k) (X[i, k] - w[k]) * Y[i, k]", "sum(k) (X[i, k] / w[k]) * Y[i, k]"),
        ("factor-sum", "sum(k) a[i] * w[k]", "sum(k) w[k] * a[i]"),
        ("factor-div", "sum(k) X[i, k] / a[i]", "sum(k) a[i] / X[i, k]"),
        ("factor-div-mul", "sum(k) (X[i, k] / a[i]) * w[k]", "sum(k) (X[i, k] / w[k]) * w[k]"),
        ("sum-constant", "sum(k in 0..M) a[i]", "max(k in 0..M) a[i]"),
        // At M = 1 there are no terms.
        ("sum-constant", "sum(k in 0..M) a[i]", "sum(k in 0..M - 1) a[i]"),
        ("factor-sum", "sum(k) a[i] * w[k]", "sum(k in 0..i) a[i] * b[k]"),
        ("factor-any-sum", "sum(k in 0..i) a[i] * b[k]", "sum(k) a[i] * w[k]"),
        (
            "associate-any",
            "sum(l in 0..i) (sum(k) X[i, k] * A[k, l]) * b[l]",
            "sum(l) (sum(k) X[i, k] * B[k, l]) * w[l]",
        ),
        ("associate", "sum(l) (sum(k) X[i, k] * B[k, l]) * w[l]", "sum(l) (max(k) X[i, k] * B[k, l]) * w[l]"),
        ("rescale", "sum(k) exp(X[i, k] - max(l) X[i, l]) * w[k]", "sum(k) exp(X[i, k] - max(l) Y[i, l]) * w[k]"),
        ("rescale-one", "sum(k) exp(X[i, k] - max(l) X[i, l])", "sum(k) exp(X[i, k] - min(l) X[i, l])"),
        ("shift", "sum(k) exp(X[i, k])", "sum(k) exp(X[i, k] - max(l) X[i, l])"),
        ("rescale-exp", "sum(k) exp(X[i, k])", "sum(k) exp(X[i, k] - max(l) X[i, l])"),
        ("rescale-exp-mul", "sum(k) exp(X[i, k]) * w[k]", "sum(k in 0..M) exp(a[i]) * w[k]"),
        ("shift-mul", "sum(k) exp(X[i, k]) * w[k]", "sum(k in 0..M) exp(a[i]) * w[k]"),
        (
            "arg-greatest",
            "min(k) select(X[i, k] == (max(l) X[i, l]), k, M)",
            "max(k) select(X[i, k] == (max(l) X[i, l]), k, M)",
        ),
        ("powers", "sum(k) w[k] * pow(a[i], k)", "sum(k) w[k] * pow(a[i], k + 1)"),
        ("running", "sum(k in 0..i + 1) b[k]", "sum(k in 0..i + 1) a[i] * b[k]"),
        // The first rows have no terms, and the next ones add none.
        ("running", "sum(k in 0..i) b[k]", "sum(k in 0..i - 1) b[k]"),
        ("sliding", "sum(k in 0..M) long[i + k]", "sum(k in 0..M) long[k]"),
        ("sliding", "sum(k in 0..M) long[i + k]", "sum(k in 0..M - 1) long[i + k]"),
    ] {
        assert!(fired(law, fires) > 0, "{law} rests on {fires}");
        assert_eq!(fired(law, rests), 0, "{law} fires on {rests}");
    }
}

#[test]
fn mirror_fires_on_products_that_an_exchange_of_indices_leaves() {
    let fired = |value: &str| {
        let text = format!("kernel two(M, N)\nin A[M, N], B[M, N], C[N, N]\nout G[N, N]\nG[i, j] = {value}\n");
        let system = load(&Source::new("two.rec", text)).unwrap();
        let sizes = sizes(&[("N", 4), ("M", 3)]);
        let found =
            derive(&system, &algebra().only("mirror"), &Wanted { sizes: &sizes, limits: LIMITS, all: None }).unwrap();
        found.report.fired.contains_key("mirror")
    };
    assert!(fired("sum(k) A[k, i] * A[k, j]"));
    assert!(!fired("sum(k) A[k, i] * B[k, j]"));
    assert!(!fired("sum(k) C[i, k] * C[k, j]"));
    assert!(!fired("max(k) A[k, i] * A[k, j]"));
}

/// A range that may be empty has no first term to start from, so only what needs none is derived.
#[test]
fn a_reduction_that_may_be_empty_is_not_declared() {
    let forms = |end: &str| {
        let text = format!(
            "kernel soft(N, M)\nin X[N, M]\nout y[N]\ny[i] = sum(k in 0..{end}) exp(X[i, k] - max(l in 0..{end}) X[i, l])\n"
        );
        let system = load(&Source::new("soft.rec", text)).unwrap();
        let sizes = sizes(&[("N", 4), ("M", 5)]);
        derive(&system, &algebra(), &Wanted { sizes: &sizes, limits: LIMITS, all: None }).unwrap().forms
    };
    assert!(forms("M").iter().any(|form| form.text.contains("reduction rescaled")));
    let partly = forms("M - 1");
    assert!(!partly.is_empty() && partly.iter().all(|form| !form.text.contains("reduction")));
}
