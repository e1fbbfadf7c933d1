//! The rules between spaces, each by itself: where it fires, where it must not, and that both sides mean the same.

use crate::interpreter::system_world;
use crate::system_kernels::*;
use egg::RecExpr;
use systole_compile::rewrite::{Limits, Lowered, Term, load_rules, saturate_term};
use systole_equations::recurrence::spaces::SpaceSystem;

fn term(text: &str) -> RecExpr<Term> {
    text.parse().unwrap()
}

fn run(system: &SpaceSystem, rule: &str, text: &str) -> Lowered {
    let rules = load_rules(None).unwrap().only(rule);
    assert_eq!(rules.rules().len(), 1, "there is no rule `{rule}`");
    saturate_term(system, term(text), &rules, &Limits::default()).unwrap()
}

/// The rule alone leads from `left` to `right`, and both mean the same at small sizes.
fn fires(text: &str, rule: &str, left: &str, right: &str) {
    let system = cut(text);
    let lowered = run(&system, rule, left);
    assert!(lowered.contains(0, &term(right)), "{rule}: {left} does not become {right}\n{}", lowered.dump());
    for sizes in [[1, 1], [2, 3], [4, 2], [3, 5]] {
        assert_eq!(system_world(&system, &sizes).difference(&term(left), &term(right)), None, "{rule}");
    }
}

/// The rule alone has nothing to say about `left`.
fn rests(text: &str, rule: &str, left: &str) {
    let lowered = run(&cut(text), rule, left);
    assert!(lowered.report.fired.is_empty(), "{rule} fires on {left}\n{}", lowered.dump());
}

#[test]
fn outer_send() {
    let sum = "(reduce X.sum sum j (mul (at L [i,j]) (at X [j])))";
    let left = format!("(in X (inner X.sum sum [i] {sum}))");
    fires(TRISOLVE, "outer-send", &left, &format!("(handoff X X.sum sum [i] (in X.sum {sum}))"));
    rests(TRISOLVE, "outer-send", &format!("(in X.sum {sum})"));
    rests(TRISOLVE, "outer-send", &format!("(in X.sum (inner X.sum sum [i] {sum}))"));
    let sum = "(reduce L.sum.2 sum k (mul (at L [i,k]) (at L [j,k])))";
    let left = format!("(in L (inner L.sum.2 sum [i,i] {sum}))");
    fires(CHOLESKY, "outer-send", &left, &format!("(handoff L L.sum.2 sum [i,i] (in L.sum.2 {sum}))"));
}

/// In the first row nothing is summed, and what is handed over is the neutral value.
#[test]
fn the_sum_of_an_empty_row_is_neutral() {
    let system = cut(TRISOLVE);
    let handed = "(handoff X X.sum sum [i] (in X.sum (reduce X.sum sum j (mul (at L [i,j]) (at X [j])))))";
    let world = system_world(&system, &[1]);
    assert_eq!(world.difference(&term(handed), &term("0")), None);
    assert!(system_world(&system, &[3]).difference(&term(handed), &term("0")).is_some());
}

#[test]
fn inner_send() {
    let left = "(stream X.sum <i> X [j])";
    fires(TRISOLVE, "inner-send", left, "(fby X.sum <i> (xfer X.sum <i> X [j]))");
    rests(TRSM, "inner-send", "(stream X.sum <r> L [i,j])");
    rests(TRISOLVE, "inject", left);
    let left = "(stream L.sum.2 <-j> L [i,k])";
    fires(CHOLESKY, "inner-send", left, "(fby L.sum.2 <-j> (xfer L.sum.2 <-j> L [i,k]))");
}

#[test]
fn choose_handoff() {
    let left = "(read X.sum X [j] (nulls X.sum [j]))";
    fires(TRISOLVE, "choose-handoff", left, "(take X.sum X [j])");
    rests(TRISOLVE, "choose-handoff", "(read X B [i] (nulls X [i]))");
    for rule in ["choose-prefetch", "choose-feed", "choose-broadcast", "choose-const"] {
        rests(TRISOLVE, rule, left);
    }
}

#[test]
fn choose_local() {
    let left = "(read X.sum X [j] (nulls X.sum [j]))";
    fires(TRISOLVE, "choose-local", left, "(kept X.sum X [j])");
    rests(TRISOLVE, "choose-local", "(read X B [i] (nulls X [i]))");
    rests(TRISOLVE, "choose-local", "(read X.sum L [i,j] (nulls X.sum [i,j]))");
}

#[test]
fn choose_memory() {
    let left = "(read X.sum X [j] (nulls X.sum [j]))";
    fires(TRISOLVE, "choose-memory", left, "(stored X.sum X [j])");
    rests(TRISOLVE, "choose-memory", "(read X B [i] (nulls X [i]))");
    rests(TRISOLVE, "choose-memory", "(read X.sum L [i,j] (nulls X.sum [i,j]))");
}

#[test]
fn choose_bus() {
    fires(TRISOLVE, "choose-bus", "(read X.sum X [j] (dir <i> (dir <-i> end)))", "(bcast X.sum <i> X [j])");
    rests(TRISOLVE, "choose-bus", "(read X.sum X [j] end)");
    rests(TRISOLVE, "choose-bus", "(read X B [i] (nulls X [i]))");
    rests(TRISOLVE, "choose-bus", "(read X.sum L [i,j] (nulls X.sum [i,j]))");
}

#[test]
fn self_dep() {
    let left = "(read H H [i-1,j-1] (nulls H [i-1,j-1]))";
    let right = "(ite (head H <i+j>) (take H H [i-1,j-1]) (shift H <i+j> (result H)))";
    fires(SMITH_WATERMAN, "self-dep", left, right);
    let left = "(read U.3 U [t-1,i+1] (nulls U.3 [t-1,i+1]))";
    fires(JACOBI1D, "self-dep", left, "(ite (head U.3 <t-i>) (take U.3 U [t-1,i+1]) (shift U.3 <t-i> (result U.3)))");
    rests(SMITH_WATERMAN, "self-dep", "(read H a [i-1] (nulls H [i-1]))");
    rests(TRISOLVE, "self-dep", "(read X.sum X [j] (nulls X.sum [j]))");
    let rising = "kernel rising(N)\nin a[N]\nout P[2 * N]\nP[0] = 1\nP[i] = P[i - i] + 1 where i >= 1";
    rests(rising, "self-dep", "(read P P [0] (nulls P [0]))");
}
