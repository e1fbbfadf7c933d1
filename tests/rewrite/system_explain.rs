//! Explanations of systems reach from the equations to the schedule of each space, through the handoffs between them.

use crate::interpreter::{is_field, system_world};
use crate::system_kernels::*;
use crate::systems::lower;
use std::collections::BTreeSet;
use systole_compile::rewrite::{DEFINE_RESULT, Dataflow, FOLD_DIRECTIONS, Scheduled, Step, Transport, load_rules};
use systole_equations::recurrence::Chain;

fn rules_of(steps: &[Step]) -> Vec<&str> {
    steps.iter().map(|step| step.rule.as_str()).collect()
}

/// The paper's triangular solve: `X` runs down the columns, sums along the rows.
fn paper() -> [Dataflow; 2] {
    let sums = Dataflow {
        transports: vec![Transport::Feed, Transport::Stream(vec![1, 0])],
        chain: Chain::along(vec![vec![0, 1]]),
    };
    let divisions = Dataflow {
        transports: vec![Transport::Prefetch, Transport::Handoff, Transport::Feed],
        chain: Chain::along(vec![]),
    };
    [sums, divisions]
}

#[test]
fn the_triangular_solve_goes_through_both_handoffs() {
    let mut lowered = lower(&cut(TRISOLVE));
    let [sums, divisions] = paper();
    let inner = lowered.explain(0, &sums);
    let mut expected = vec!["lower-sum", FOLD_DIRECTIONS, "red-dir", "accumulate", "send", "push-in-mul"];
    expected.extend(["push-in-at", "choose-feed"]);
    expected.extend(["push-in-at", FOLD_DIRECTIONS, "choose-stream", "inner-send", "propagate", "send"]);
    assert_eq!(rules_of(&inner), expected);
    let outer = lowered.explain(1, &divisions);
    let expected =
        ["push-in-div", "push-in-sub", "push-in-at", "choose-prefetch", "outer-send", "push-in-at", "choose-feed"];
    assert_eq!(rules_of(&outer), expected);
    let sum = "(reduce X.sum sum j (mul (at L [i,j]) (at X [j])))";
    let shown = format!("outer-send: (in X (inner X.sum sum [i] {sum})) => (handoff X X.sum sum [i] (in X.sum {sum}))");
    assert_eq!(outer[4].to_string(), shown);
}

#[test]
fn a_prefix_sum_is_handed_from_point_to_point() {
    let mut lowered = lower(&cut(PREFIX_SUM));
    let dataflow = Dataflow { transports: vec![Transport::Handoff, Transport::Prefetch], chain: Chain::along(vec![]) };
    let steps = lowered.explain(1, &dataflow);
    assert!(rules_of(&steps).contains(&"self-dep") && rules_of(&steps).contains(&"send"), "{:?}", rules_of(&steps));
    assert!(!rules_of(&steps).contains(&"choose-handoff"));
}

#[test]
fn a_recorded_design_is_the_last_step_of_every_space() {
    let mut lowered = lower(&cut(TRISOLVE));
    let [sums, divisions] = paper();
    let parts = [
        Scheduled { dataflow: &sums, place: "(i)", step: "i + j" },
        Scheduled { dataflow: &divisions, place: "(i)", step: "2*i" },
    ];
    assert!(lowered.explain_scheduled(0, parts[0]).is_empty(), "nothing is recorded yet");
    assert!(!lowered.record(&parts[..1], "proof-7"), "a part is missing");
    assert!(!lowered.record(&[parts[1], parts[0]], "proof-7"), "the parts are mixed up");
    assert!(lowered.explain_scheduled(0, parts[0]).is_empty(), "nothing was recorded");
    assert!(lowered.record(&parts, "proof-7"));
    for (position, start) in [(0, "(sched [i] i+j (last X.sum <j> "), (1, "(sched [i] 2*i (div (sub (hold X B [i]) ")] {
        let steps = lowered.explain_scheduled(position, parts[position]);
        let last = steps.last().unwrap();
        assert_eq!(last.rule, "proof-7");
        assert!(last.after.starts_with(start), "{last}");
    }
    let other = Scheduled { step: "3*i", ..parts[1] };
    assert!(lowered.explain_scheduled(1, other).is_empty(), "another step is not recorded");
    assert_eq!(lowered.choices().unwrap()[0].count(), 24);
}

/// Every step names a rule of the set, and its two sides mean the same.
#[test]
fn every_step_of_every_explanation_holds() {
    let rules = load_rules(None).unwrap();
    for text in ALL {
        let system = cut(text);
        let mut lowered = lower(&system);
        let world = system_world(&system, &[3, 2, 2]);
        let mut seen = BTreeSet::new();
        for (position, choices) in lowered.choices().unwrap().iter().enumerate() {
            for dataflow in choices.dataflows().step_by(choices.count() / 3 + 1) {
                let steps = lowered.explain(position, &dataflow);
                assert!(!steps.is_empty(), "{text}");
                for step in steps.into_iter().filter(|step| seen.insert(step.to_string())) {
                    assert!(!step.before.contains("> (nulls"), "a list ends in that of another space: {step}");
                    let named = [FOLD_DIRECTIONS, DEFINE_RESULT].contains(&step.rule.as_str());
                    assert!(named || rules.find(&step.rule).is_some(), "{step}");
                    let (before, after) = (step.before.parse().unwrap(), step.after.parse().unwrap());
                    if is_field(&before) && is_field(&after) {
                        assert_eq!(world.difference(&before, &after), None, "{step}");
                    }
                }
            }
        }
    }
}
