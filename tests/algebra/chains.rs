//! Every step of every chain holds by itself: its terms have one value wherever they have one, and its law leads from one to the other.

use crate::common::{algebra, derived, laws, naive};
use std::collections::BTreeMap;
use systole::algebra::{CoordinateCount, Coordinates, Derivation, Form, Law, Wanted, derive, derive_recast, recast};
use systole::check::ChainReport;
use systole::integer::{Bindings, name};

/// What all chains of a kernel have come through together.
fn checked(found: &Derivation) -> ChainReport {
    let reports =
        found.forms.iter().map(|form| found.check_steps(form, &algebra()).unwrap_or_else(|wrong| panic!("{wrong:?}")));
    reports.reduce(ChainReport::and).unwrap()
}

#[test]
fn each_step_holds_at_every_point() {
    for (kernel, conditions) in [
        ("attention", 1),
        ("softmax_attention", 0),
        ("mean_variance", 0),
        ("argmax", 0),
        ("cross_entropy", 0),
        ("polynomial", 1),
        ("distances", 0),
        ("gram", 0),
        ("inverse_times", 5),
    ] {
        let found = derived(&naive(kernel), &algebra());
        let report = checked(&found);
        let steps = found.forms.iter().map(|form| form.steps.len()).sum::<usize>();
        assert_eq!((report.steps, report.evaluated, report.definitions), (steps, steps, 0), "{kernel}");
        assert!(report.conditions >= conditions, "{kernel}: {report:?}");
        assert!(report.sizes.len() == 2, "{kernel}: {report:?}");
    }
}

/// A reduction in blocks, in pairs, from another element on: each step has the value of the one before, tuples too.
#[test]
fn each_step_of_another_order_holds() {
    let rules = algebra();
    let two = CoordinateCount::Number(2);
    let split = |parts: Vec<CoordinateCount>| Coordinates::Split { index: name("j"), parts };
    for wanted in [
        split(vec![CoordinateCount::Size(name("P")), CoordinateCount::Size(name("W"))]),
        split(vec![two.clone(), two, CoordinateCount::Size(name("W"))]),
        Coordinates::Rotate { index: name("j"), with: name("i") },
    ] {
        let recast = recast(&naive("soft_average"), std::slice::from_ref(&wanted)).unwrap();
        let sizes: Bindings =
            recast.system.parameters.iter().zip([3, 2, 4]).map(|(name, size)| (name.clone(), size)).collect();
        let limits = Wanted { sizes: &sizes, limits: crate::common::LIMITS, all: None };
        let found = derive_recast(&recast, &rules, &limits).unwrap();
        let report = found.check_steps(&found.forms[0], &rules).unwrap();
        assert!(report.steps > 0 && report.evaluated == report.steps, "{wanted:?}: {report:?}");
    }
}

/// What is said of the chain of the first form once one of its steps is changed.
fn refusal(kernel: &str, change: impl Fn(&mut Law)) -> String {
    let found = derived(&naive(kernel), &algebra());
    let mut form: Form = found.forms[0].clone();
    assert!(found.check_steps(&form, &algebra()).is_ok());
    change(&mut form.steps[0]);
    found.check_steps(&form, &algebra()).unwrap_err()[0].to_string()
}

/// The twins: another term, another component, another law, no term at all.
#[test]
fn a_wrong_step_is_refused() {
    let another = |from: &'static str, to: &'static str| {
        move |law: &mut Law| {
            assert!(law.terms[1].contains(from), "{law:?}");
            law.terms[1] = law.terms[1].replace(from, to);
        }
    };
    let message = refusal("log_sum_exp", another(" 1)", " 2)"));
    assert!(message.starts_with("step 1 of the chain does not hold: `rescale-one`"), "{message}");
    assert!(message.contains("does not lead from one term to the other"), "{message}");
    refusal("log_sum_exp", another("(part 1", "(part 0"));
    refusal("log_sum_exp", |law| law.step.rule = "rescale".to_owned());
    assert!(refusal("log_sum_exp", |law| law.terms[1] = "(".to_owned()).contains("is no term"));
}

/// What no rule says is held to its value alone.
#[test]
fn a_step_without_a_rule_is_evaluated() {
    let named = |law: &mut Law| law.step.rule = "fold-part".to_owned();
    let found = derived(&naive("log_sum_exp"), &algebra());
    let mut form = found.forms[0].clone();
    named(&mut form.steps[0]);
    form.steps[0].tag = systole::rewrite::Tag::Exact;
    let message = refusal("log_sum_exp", |law| {
        named(law);
        law.terms[1] = law.terms[1].replace("(part 1", "(part 0");
    });
    assert!(message.contains(" before, ") && message.contains(" after"), "{message}");
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

/// As short as they are found: what each chain has for its steps.
#[test]
fn chains_are_short() {
    let lengths = |kernel: &str| {
        derived(&naive(kernel), &algebra()).forms.iter().map(|form| form.steps.len()).collect::<Vec<_>>()
    };
    let found: Vec<(&str, Vec<usize>)> = ["attention", "softmax_attention", "mean_variance", "cross_entropy"]
        .map(|kernel| (kernel, lengths(kernel)))
        .into();
    assert_eq!(
        found,
        [
            ("attention", vec![3, 2]),
            ("softmax_attention", vec![4, 5, 2]),
            ("mean_variance", vec![15]),
            ("cross_entropy", vec![7, 4, 1])
        ]
    );
}

/// Among many forms a form has the chain that it has on the front, step for step, whichever were asked for before; and each step of
/// each chain holds.
#[test]
fn the_chain_of_a_form_is_its_own() {
    let rules = algebra();
    for kernel in ["attention", "log_sum_exp", "softmax_attention", "mean_variance"] {
        let system = naive(kernel);
        let sizes: Bindings = system.parameters.iter().map(|parameter| (parameter.clone(), 8)).collect();
        let all = Wanted { sizes: &sizes, limits: crate::common::LIMITS, all: Some(16) };
        let together = derive(&system, &rules, &all).unwrap();
        let explained = together.forms.iter().rev().map(|form| together.explained(form, &rules));
        let explained: Vec<Form> = explained.collect();
        for form in &explained {
            let report = together.check_steps(form, &rules).unwrap();
            assert_eq!((report.steps, report.evaluated), (form.steps.len(), form.steps.len()), "{kernel}");
        }
        for form in &derived(&system, &rules).forms {
            let same = explained.iter().find(|known| known.text == form.text).expect("one of all forms");
            assert_eq!((&same.steps, same.tag), (&form.steps, form.tag), "{kernel}");
        }
    }
}

/// A law that has no number where all terms are masked, though the sum is 0: it holds for finite values, and its chain does not.
#[test]
fn a_step_that_masks_refute_is_refused() {
    let (max, sum) = ("(reduce ?s max ?k ?x)", "(reduce ?s sum ?k (exp (sub ?x (reduce ?s max ?k ?x))))");
    let with = |tag: &str, value: &str| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("algebra")).unwrap();
        let rule = format!(
            "# law {tag}: terms e^x are e^(max x) times e^(x - max x)\n\
             own-shift: (reduce ?s sum ?k (exp ?x)) => (mul (exp {max}) {value}) if !free_of(?k ?x) & !shifted(?x)\n"
        );
        std::fs::write(folder.path().join("algebra/own.rules"), rule).unwrap();
        systole::rewrite::load_phase(systole::rewrite::Phase::Algebra, Some(folder.path()))
            .unwrap()
            .without("shift")
            .without("rescale-exp")
    };
    let checked = |tag: &str, value: &str| {
        let rules = with(tag, value);
        let found = derived(&naive("soft_maximum"), &rules);
        let form = found.forms.iter().find(|form| laws(form).contains(&"own-shift")).unwrap().clone();
        (found.check_steps(&form, &rules).map_err(|errors| errors[0].to_string()), form.tag)
    };
    let (refused, _) = checked("real", sum);
    let message = refused.unwrap_err();
    assert!(
        message.contains("does not hold: `own-shift`") && message.contains("0 before, undefined after"),
        "{message}"
    );
    let (for_finite, tag) = checked("finite", sum);
    assert!(for_finite.is_ok() && tag == systole::rewrite::Tag::Finite);
    let (for_all, tag) = checked("real", &format!("(select (eq {max} -infinity) 0 {sum})"));
    assert!(for_all.is_ok() && tag == systole::rewrite::Tag::Real, "{for_all:?}");
}
