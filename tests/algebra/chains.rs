//! Every step of every chain holds by itself: both of its terms have one value at every point, by an interpreter that knows no law.

use crate::common::{algebra, derived, naive, sizes};
use std::collections::BTreeMap;
use systole::algebra::{Coordinates, Law, Part, Wanted, World, derive_recast, recast};
use systole::integer::{Bindings, Name, name};
use systole::recurrence::{RecurrenceSystem, Tensors};
use systole::rewrite::{Frame, RecExpr, RuleSet, Term};

/// Numbers between 0.5 and 1.5 that differ from element to element, for every tensor.
fn filled(system: &RecurrenceSystem, sizes: &Bindings) -> Tensors {
    let fill = |(seed, tensor): (usize, &systole::recurrence::Tensor)| {
        let shape: Vec<usize> = tensor.shape.iter().map(|form| form.evaluate(sizes).unwrap() as usize).collect();
        let mut rank = seed as f64;
        let next = || {
            rank += 1.0;
            0.5 + (rank * 0.618_033_988_749_895).fract()
        };
        (tensor.name.clone(), ndarray::ArrayD::from_shape_simple_fn(shape, next))
    };
    system.tensors.iter().enumerate().map(fill).collect()
}

/// How many points both terms of a step have a value at; the largest relative difference there.
fn compare(law: &Law, frame: &Frame, rules: &RuleSet, (sizes, tensors): (&Bindings, &Tensors)) -> (usize, f64) {
    let world = World { frame, monoids: rules.monoids(), sizes, tensors };
    let terms: Vec<RecExpr<Term>> = law.terms.iter().map(|term| term.parse().unwrap()).collect();
    let indices: Vec<Name> = frame.indices().iter().map(|index| index.name.clone()).collect();
    let (mut met, mut largest) = (0, 0.0_f64);
    for point in world.points(&indices).unwrap() {
        let values: Vec<Option<Vec<f64>>> = terms.iter().map(|term| world.tuple(term, &point)).collect();
        if let [Some(before), Some(after)] = values.as_slice() {
            met += 1;
            let differences = before.iter().zip(after).map(|(one, other)| (one - other).abs() / one.abs().max(1.0));
            largest = differences.fold(largest, f64::max);
        }
    }
    (met, largest)
}

#[test]
fn each_step_holds_at_every_point() {
    let rules = algebra();
    for kernel in [
        "attention",
        "softmax_attention",
        "mean_variance",
        "argmax",
        "cross_entropy",
        "polynomial",
        "distances",
        "gram",
    ] {
        let system = naive(kernel);
        let found = derived(&system, &rules);
        let sizes: Bindings =
            system.parameters.iter().zip([3, 2, 4]).map(|(name, size)| (name.clone(), size)).collect();
        let tensors = filled(&system, &sizes);
        for law in found.forms.iter().flat_map(|form| &form.steps) {
            let (met, difference) = compare(law, &found.frame, &rules, (&sizes, &tensors));
            assert!(met > 0 && difference < 1e-12, "{kernel}: {law:?} at {met} points: {difference}");
        }
    }
}

/// A reduction in blocks, in pairs, from another element on: its terms have the value of the whole one.
#[test]
fn each_step_of_another_order_holds() {
    let rules = algebra();
    let two = Part::Number(2);
    let split = |parts: Vec<Part>| Coordinates::Split { index: name("j"), parts };
    for wanted in [
        split(vec![Part::Size(name("P")), Part::Size(name("W"))]),
        split(vec![two.clone(), two, Part::Size(name("W"))]),
        Coordinates::Turn { index: name("j"), with: name("i") },
    ] {
        let recast = recast(&naive("soft_average"), std::slice::from_ref(&wanted)).unwrap();
        let sizes: Bindings =
            recast.system.parameters.iter().zip([3, 2, 4]).map(|(name, size)| (name.clone(), size)).collect();
        let limits = Wanted { sizes: &sizes, limits: crate::common::LIMITS, all: None };
        let found = derive_recast(&recast, &rules, &limits).unwrap();
        let tensors = filled(&recast.system, &sizes);
        for law in &found.forms[0].steps {
            let (met, difference) = compare(law, &found.frame, &rules, (&sizes, &tensors));
            assert!(met > 0 && difference < 1e-12, "{wanted:?}: {law:?} at {met} points: {difference}");
        }
    }
}

/// The twin: a step that is off by one is found out.
#[test]
fn a_wrong_step_does_not_hold() {
    let (system, rules) = (naive("log_sum_exp"), algebra());
    let found = derived(&system, &rules);
    let sizes = sizes(&[("N", 3), ("M", 4)]);
    let tensors = filled(&system, &sizes);
    let mut law = found.forms[0].steps[0].clone();
    assert!(compare(&law, &found.frame, &rules, (&sizes, &tensors)).1 < 1e-12);
    law.terms[1] = law.terms[1].replace(" 1)", " 2)").replace("(part 1", "(part 0");
    assert!(compare(&law, &found.frame, &rules, (&sizes, &tensors)).1 > 1e-3);
}

#[test]
fn a_step_has_its_law_and_tag() {
    let found = derived(&naive("attention"), &algebra());
    let known: BTreeMap<&str, &str> =
        [("factor-div-mul", "a divisor of one factor"), ("rescale", "(a homomorphism)")].into();
    for law in &found.forms[0].steps {
        assert_eq!(law.tag.to_string(), "real");
        assert!(known.get(law.step.rule.as_str()).is_none_or(|words| law.law.contains(words)), "{law:?}");
    }
    let step = &found.forms[0].steps[1].step;
    assert_eq!(
        (step.before.as_str(), step.after.as_str()),
        ("sum(j) (P[i, j] * V[j, d_2])", "(rescaled(j) (S[i, j], V[j, d_2])).1")
    );
}
