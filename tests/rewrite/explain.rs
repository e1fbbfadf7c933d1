//! Explanations reach from the equations to the lowered form and to the schedule.

use crate::choices::lower;
use crate::interpreter::{is_field, world};
use crate::kernels;
use systole_base::integer::Vector;
use systole_compile::rewrite::{Dataflow, FOLD_DIRECTIONS, Scheduled, Step, Transport, load_rules};
use systole_equations::recurrence::{Chain, Space};

fn cannon() -> Dataflow {
    let stream = |along: [i64; 3]| Transport::Stream(Vector::from(along));
    Dataflow { transports: vec![stream([0, 1, 0]), stream([1, 0, 0])], chain: Chain::along(vec![vec![0, 0, 1]]) }
}

fn rules_of(steps: &[Step]) -> Vec<&str> {
    steps.iter().map(|step| step.rule.as_str()).collect()
}

fn part<'a>(dataflow: &'a Dataflow, place: &'a str, step: &'a str) -> Scheduled<'a> {
    Scheduled { dataflow, place, step }
}

#[test]
fn matmul_to_cannon() {
    let steps = lower(&kernels::matmul()).explain(0, &cannon());
    let operand = ["push-in-at", FOLD_DIRECTIONS, "choose-stream", "inject", "propagate", "send"];
    let mut expected = vec!["lower-sum", FOLD_DIRECTIONS, "red-dir", "accumulate", "send", "push-in-mul"];
    expected.extend(operand);
    expected.extend(operand);
    assert_eq!(rules_of(&steps), expected);
    let choose = steps.iter().find(|step| step.rule == "choose-stream").unwrap();
    let shown = "choose-stream: (read matmul A [i,k] (dir <j> (dir <-j> end))) => (stream matmul <j> A [i,k])";
    assert_eq!(choose.to_string(), shown);
}

#[test]
fn a_recorded_schedule_is_the_last_step() {
    let mut lowered = lower(&kernels::matmul());
    assert!(lowered.explain_scheduled(0, part(&cannon(), "(i, j)", "i + j + k")).is_empty(), "nothing is recorded yet");
    assert!(lowered.record(&[part(&cannon(), "(i, j)", "i + j + k")], "proof-7"));
    let steps = lowered.explain_scheduled(0, part(&cannon(), "(i, j)", "i + j + k"));
    assert_eq!(steps.len(), 19);
    let last = steps.last().unwrap();
    assert_eq!(last.rule, "proof-7");
    assert!(last.after.starts_with("(sched [i,j] i+j+k (last matmul <k> (combine sum "), "{last}");
    assert!(
        lowered.explain_scheduled(0, part(&cannon(), "(i, k)", "i + j + k")).is_empty(),
        "another place is not recorded"
    );
    assert_eq!(lowered.explain(0, &cannon()).len(), 18);
    assert_eq!(lowered.choices().unwrap().swap_remove(0).count(), 50);
}

#[test]
fn several_schedules_may_be_recorded() {
    let mut lowered = lower(&kernels::matmul());
    let dataflows: Vec<Dataflow> = lowered.choices().unwrap().swap_remove(0).dataflows().collect();
    for (rank, dataflow) in dataflows.iter().enumerate() {
        assert!(lowered.record(&[part(dataflow, "(i, j)", &format!("{rank}*k"))], &format!("proof-{rank}")));
    }
    for (rank, dataflow) in dataflows.iter().enumerate() {
        let steps = lowered.explain_scheduled(0, part(dataflow, "(i, j)", &format!("{rank}*k")));
        assert!(rules_of(&steps).contains(&format!("proof-{rank}").as_str()), "{rank}");
    }
}

#[test]
fn what_the_graph_does_not_hold_is_not_explained() {
    let mut lowered = lower(&kernels::matmul());
    let mut wrong = cannon();
    wrong.transports[0] = Transport::Stream(vec![1, 0, 0]);
    assert!(lowered.explain(0, &wrong).is_empty());
    assert!(!lowered.record(&[part(&wrong, "(i, j)", "i + j + k")], "proof"));
    assert!(lowered.explain_scheduled(0, part(&wrong, "(i, j)", "i + j + k")).is_empty());
}

/// Every step names a rule of the set, and its two sides mean the same.
fn check_steps(space: &Space, steps: &[Step]) {
    let rules = load_rules(None).unwrap();
    let world = world(space, &[2, 3, 2]);
    for step in steps {
        assert!(step.rule == FOLD_DIRECTIONS || rules.find(&step.rule).is_some(), "{step}");
        let (before, after) = (step.before.parse().unwrap(), step.after.parse().unwrap());
        if is_field(&before) && is_field(&after) {
            assert_eq!(world.difference(&before, &after), None, "{step}");
        }
    }
}

#[test]
fn every_step_of_every_explanation_holds() {
    for space in [kernels::matmul(), kernels::fir(), kernels::polynomial(), kernels::scaled(), kernels::elementwise()] {
        let mut lowered = lower(&space);
        let dataflows: Vec<Dataflow> = lowered.choices().unwrap().swap_remove(0).dataflows().collect();
        for dataflow in &dataflows {
            let steps = lowered.explain(0, dataflow);
            assert!(!steps.is_empty());
            check_steps(&space, &steps);
        }
    }
    let space = kernels::mttkrp();
    let mut lowered = lower(&space);
    let dataflows: Vec<Dataflow> = lowered.choices().unwrap().swap_remove(0).dataflows().step_by(701).collect();
    for dataflow in &dataflows {
        check_steps(&space, &lowered.explain(0, dataflow));
    }
}

#[test]
fn explanations_are_the_same_twice() {
    let explain = || {
        lower(&kernels::mttkrp())
            .explain(0, &lower(&kernels::mttkrp()).choices().unwrap().swap_remove(0).dataflows().next().unwrap())
    };
    assert_eq!(explain(), explain());
}
