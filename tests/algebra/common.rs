//! What the tests of this stage share.

use systole::algebra::{Derivation, Form, Wanted, derive};
use systole::integer::{Bindings, name};
use systole::recurrence::{RecurrenceSystem, load};
use systole::rewrite::{Limits, Phase, RuleSet, load_phase};
use systole::span::Source;

/// A kernel of `kernels/naive`.
pub fn naive(kernel: &str) -> RecurrenceSystem {
    let path = format!("{}/kernels/naive/{kernel}.rec", env!("SYSTOLE_ROOT"));
    let text = std::fs::read_to_string(&path).unwrap();
    load(&Source::new(path, text)).unwrap()
}

/// The rules of the algebra.
pub fn algebra() -> RuleSet {
    load_phase(Phase::Algebra, None).unwrap()
}

/// Limits that are reached by no kernel whose rules saturate, and soon by the others.
pub const LIMITS: Limits = Limits::of(30, 1000);

/// The forms of a kernel, counted where each size is 8.
pub fn derived(system: &RecurrenceSystem, rules: &RuleSet) -> Derivation {
    let sizes: Bindings = system.parameters.iter().map(|parameter| (parameter.clone(), 8)).collect();
    derive(system, rules, &Wanted { sizes: &sizes, limits: LIMITS, all: None }).unwrap()
}

/// Sizes by name.
pub fn sizes(list: &[(&str, i64)]) -> Bindings {
    list.iter().map(|(parameter, size)| (name(parameter), *size)).collect()
}

/// The laws of a chain, in their order.
pub fn laws(form: &Form) -> Vec<&str> {
    form.steps.iter().map(|law| law.step.rule.as_str()).collect()
}

/// The text of a form has all of these.
pub fn has(form: &Form, lines: &[&str]) {
    for line in lines {
        assert!(form.text.contains(line), "no `{line}` in\n{}", form.text);
    }
}

/// The first cases of a list that takes minutes; with the feature `long-tests` all of them (`make test-long`).
pub fn few<T>(all: &[T], first: usize) -> &[T] {
    if cfg!(feature = "long-tests") { all } else { &all[..first] }
}
