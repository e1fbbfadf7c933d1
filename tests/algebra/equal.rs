//! `systole equal`: pairs that are equal, pairs that are not, and pairs of which the laws do not say.

use crate::common::{LIMITS, algebra};
use systole::algebra::{Equality, equal};
use systole::recurrence::load;
use systole::rewrite::{Limits, Tag};
use systole::span::Source;

fn answer(one: &str, other: &str, limits: &Limits) -> Equality {
    let text = format!(
        "kernel pair(N, M)\nin a[N], b[N], c[N], d[N], X[N, M], Y[N, M], B[M, M], w[M], v[M], long[N + M]\nout x[N], y[N]\n\
         x[i] = {one}\ny[i] = {other}\n"
    );
    let system = load(&Source::new("pair.rec", text)).unwrap();
    equal(&system, ("x", "y"), &algebra(), limits).unwrap()
}

#[test]
fn equal_pairs_are_equal_by_a_chain() {
    for (one, other) in [
        ("a[i] + b[i]", "b[i] + a[i]"),
        ("a[i] * b[i] * c[i]", "c[i] * (b[i] * a[i])"),
        ("a[i] + b[i] + c[i] + d[i]", "d[i] + (c[i] + (b[i] + a[i]))"),
        ("a[i] * b[i] + a[i] * c[i]", "(b[i] + c[i]) * a[i]"),
        ("sum(k) w[k] * X[i, k]", "sum(l) X[i, l] * w[l]"),
        ("sum(k) a[i] * X[i, k]", "a[i] * sum(k) X[i, k]"),
        ("sum(k) (X[i, k] + Y[i, k])", "(sum(k) X[i, k]) + sum(l) Y[i, l]"),
        ("sum(k) X[i, k] / a[i]", "(sum(k) X[i, k]) / a[i]"),
        ("sum(k in 0..M) a[i]", "a[i] * M"),
        ("sum(l) (sum(k) X[i, k] * B[k, l]) * w[l]", "sum(k) X[i, k] * (sum(l) B[k, l] * w[l])"),
        ("sum(k) (X[i, k] - a[i]) * w[k]", "(sum(k) X[i, k] * w[k]) - a[i] * sum(k) w[k]"),
        (
            "(sum(k) exp(X[i, k]) * w[k]) / (sum(k) exp(X[i, k]))",
            "(sum(k) exp(X[i, k] - max(l) X[i, l]) * w[k]) / (sum(k) exp(X[i, k] - max(l) X[i, l]))",
        ),
        ("log(sum(k) exp(X[i, k]))", "(max(k) X[i, k]) + log(sum(k) exp(X[i, k] - max(l) X[i, l]))"),
        ("pow(a[i], 2)", "a[i] * a[i]"),
        ("(a[i] / b[i]) * b[i]", "a[i]"),
    ] {
        let Equality::Equal(chain, ..) = answer(one, other, &LIMITS) else { panic!("{one} and {other}") };
        assert!(!chain.is_empty() || one == other, "{one} and {other}");
    }
}

#[test]
fn pairs_that_differ_differ_at_an_element() {
    for (one, other) in [
        ("a[i] - b[i]", "b[i] - a[i]"),
        ("a[i] / b[i]", "b[i] / a[i]"),
        ("a[i] * (b[i] + c[i])", "a[i] * b[i] + c[i]"),
        ("sum(k) X[i, k] * w[k]", "(sum(k) X[i, k]) * sum(k) w[k]"),
        ("max(k) (X[i, k] + w[k])", "(max(k) X[i, k]) + max(k) w[k]"),
        ("sum(k) exp(X[i, k])", "exp(sum(k) X[i, k])"),
        ("sum(k in 0..M) a[i]", "a[i] * N"),
        ("sum(l) (sum(k) X[i, k] * B[k, l]) * w[l]", "sum(l) (sum(k) X[i, k] * B[l, k]) * w[l]"),
        ("log(sum(k) exp(X[i, k]))", "max(k) X[i, k]"),
        ("pow(a[i], 3)", "a[i] * a[i]"),
        ("sqrt(a[i] + b[i])", "sqrt(a[i]) + sqrt(b[i])"),
        // What has a value nowhere is equal to nothing that has one.
        ("infinity - infinity", "0"),
        ("(a[i] / 0) * 0", "a[i]"),
        ("max(a[i], infinity - infinity)", "max(a[i], 0)"),
    ] {
        let Equality::Different(why) = answer(one, other, &LIMITS) else { panic!("{one} and {other}") };
        assert!(why.starts_with("x[") && why.contains(", y[") && why.contains(" at M="), "{why}");
    }
}

#[test]
fn what_no_law_says_is_unknown() {
    // Equal, but no law of the shipped ones is about these.
    for (one, other) in [
        ("sqrt(a[i] * a[i])", "abs(a[i])"),
        ("max(a[i], b[i]) + min(a[i], b[i])", "a[i] + b[i]"),
        ("exp(a[i]) * exp(b[i])", "exp(a[i] + b[i])"),
        ("abs(a[i] - b[i])", "max(a[i] - b[i], b[i] - a[i])"),
    ] {
        assert!(matches!(answer(one, other, &LIMITS), Equality::Unknown(_)), "{one} and {other}");
    }
    // Equal by laws that a limit stops.
    let short = Limits { iterations: 1, ..LIMITS };
    let Equality::Unknown(report) = answer("(a[i] + b[i]) + (c[i] + d[i])", "(a[i] + c[i]) + (b[i] + d[i])", &short)
    else {
        panic!()
    };
    assert_eq!(report.stop, "IterationLimit");
    let long = answer("(a[i] + b[i]) + (c[i] + d[i])", "(a[i] + c[i]) + (b[i] + d[i])", &LIMITS);
    assert!(matches!(long, Equality::Equal(..)));
}

#[test]
fn the_chain_says_how_far_it_holds() {
    let tags = |one: &str, other: &str| -> Vec<Tag> {
        let Equality::Equal(chain, ..) = answer(one, other, &LIMITS) else { panic!("{one} and {other}") };
        chain.iter().map(|law| law.tag).collect()
    };
    assert_eq!(tags("a[i] + b[i]", "b[i] + a[i]"), [Tag::Exact]);
    assert!(tags("a[i] * b[i] + a[i] * c[i]", "a[i] * (b[i] + c[i])").contains(&Tag::Real));
    assert_eq!(tags("(a[i] / b[i]) * b[i]", "a[i]"), [Tag::Assume]);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let text = "kernel pair(N, M)\nin a[N]\nout x[N], y[M], z[N]\nx[i] = a[i]\ny[i] = 1\nz[0] = a[0]\nz[i] = z[i - 1] + a[i] where 1 <= i\n";
    let system = load(&Source::new("pair.rec", text)).unwrap();
    let message =
        |one: &str, other: &str| equal(&system, (one, other), &algebra(), &LIMITS).unwrap_err()[0].to_string();
    assert_eq!(message("x", "q"), "`q` is no computed tensor of `pair`");
    assert_eq!(message("a", "x"), "`a` is no computed tensor of `pair`");
    assert_eq!(message("x", "y"), "`x` and `y` have different shapes");
}
