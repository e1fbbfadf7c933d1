//! Each step of an explanation is put to the test before it is printed; a step that does not hold is refused.

use crate::choices::lower;
use crate::system_kernels::*;
use crate::{kernels, systems};
use systole_compile::rewrite::{DEFINE_RESULT, Dataflow, FOLD_DIRECTIONS, Lowered, Step, load_rules};

/// A saturated kernel with the steps to its first dataflow.
fn explained(space: &systole_equations::recurrence::Space) -> (Lowered, Vec<Step>) {
    let mut lowered = lower(space);
    let dataflow: Dataflow = lowered.choices().unwrap()[0].dataflows().next().unwrap();
    let steps = lowered.explain(0, &dataflow);
    (lowered, steps)
}

#[test]
fn every_step_of_an_explanation_passes() {
    let rules = load_rules(None).unwrap();
    for space in [kernels::matmul(), kernels::fir(), kernels::polynomial(), kernels::scaled(), kernels::elementwise()] {
        let mut lowered = lower(&space);
        let dataflows: Vec<Dataflow> = lowered.choices().unwrap()[0].dataflows().step_by(7).collect();
        for dataflow in &dataflows {
            let steps = lowered.explain(0, dataflow);
            let report = lowered.check_steps(&steps, &rules).unwrap_or_else(|wrong| panic!("{wrong:?}"));
            assert_eq!((report.steps, report.evaluated, report.definitions), (steps.len(), steps.len(), 0));
            assert_eq!(report.sizes.len(), 2);
        }
    }
}

#[test]
fn conditions_are_asked_again() {
    let (lowered, steps) = explained(&kernels::matmul());
    let report = lowered.check_steps(&steps, &load_rules(None).unwrap()).unwrap();
    let conditioned = ["lower-sum", "choose-broadcast", "choose-prefetch", "choose-feed", "inject"];
    let expected = steps.iter().filter(|step| conditioned.contains(&step.rule.as_str())).count();
    assert!(expected > 0 && report.conditions == expected, "{report:?} {steps:?}");
}

#[test]
fn systems_pass_too_and_names_of_results_are_no_laws() {
    let rules = load_rules(None).unwrap();
    for text in ALL {
        let mut lowered = systems::lower(&cut(text));
        for (position, choices) in lowered.choices().unwrap().iter().enumerate() {
            for dataflow in choices.dataflows().step_by(choices.count() / 3 + 1) {
                let steps = lowered.explain(position, &dataflow);
                let report = lowered.check_steps(&steps, &rules).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"));
                let named = steps.iter().filter(|step| step.rule == DEFINE_RESULT).count();
                assert_eq!((report.definitions, report.evaluated), (named, steps.len() - named), "{text}");
            }
        }
    }
}

/// What is said once the step of a rule is changed.
fn refusal(rule: &str, change: impl Fn(&mut Step)) -> String {
    let (lowered, mut steps) = explained(&kernels::matmul());
    let rules = load_rules(None).unwrap();
    let place = steps.iter().position(|step| step.rule == rule).unwrap();
    assert!(lowered.check_steps(&steps, &rules).is_ok());
    change(&mut steps[place]);
    let message = lowered.check_steps(&steps, &rules).unwrap_err()[0].to_string();
    assert!(message.starts_with(&format!("step {} of the chain does not hold", place + 1)), "{message}");
    message
}

#[test]
fn a_wrong_step_is_refused() {
    let replaced =
        |from: &'static str, to: &'static str| move |step: &mut Step| step.after = step.after.replace(from, to);
    assert!(refusal("lower-sum", replaced("sum", "max")).contains("does not lead from one term to the other"));
    assert!(refusal("push-in-mul", replaced("(mul ", "(add ")).contains("`push-in-mul`"));
    assert!(refusal("accumulate", |step| step.rule = "propagate".to_owned()).contains("does not lead"));
    // Folding is no rule: the lines of the list are held to the access.
    assert!(refusal(FOLD_DIRECTIONS, replaced("<k>", "<i>")).contains("leaves the points of one value"));
    // Nor is what is said to be proved: the value has to be the same.
    let proof = |step: &mut Step| {
        step.rule = "proof-7".to_owned();
        step.after = step.after.replace("(mul ", "(add ");
    };
    assert!(refusal("push-in-mul", proof).contains(" before, "));
}

#[test]
fn a_rule_whose_condition_does_not_hold_is_refused() {
    let (lowered, _) = explained(&kernels::matmul());
    let step = |after: &str| Step {
        rule: "choose-const".to_owned(),
        backward: false,
        before: "(read matmul A [i,k] (nulls matmul [i,k]))".to_owned(),
        after: after.to_owned(),
    };
    assert!(lowered.check_steps(&[step("(const matmul A [i,k])")], &load_rules(None).unwrap()).is_err());
    let feed = Step { rule: "choose-feed".to_owned(), ..step("(feed matmul A [i,k])") };
    assert!(lowered.check_steps(&[feed], &load_rules(None).unwrap()).is_ok());
}
