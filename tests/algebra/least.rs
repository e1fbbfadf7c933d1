//! The search for the cheapest selection against all selections, on random and-or graphs.

use proptest::prelude::*;
use std::collections::BTreeMap;
use systole::algebra::{Combination, ComponentReduction, FormCost, Goal, Goals, Limit, Selection, Value, Way, least};
use systole::integer::name;
use systole::recurrence::Operator;

/// Goals of which each may need any other, so that there are circles, sharing and dead ends.
fn graphs() -> impl Strategy<Value = Goals> {
    let way = (
        0_u64..6,
        prop::collection::vec(0_usize..6, 0..3),
        prop::collection::vec(0_usize..6, 0..2),
        prop::collection::vec(0_usize..6, 0..2),
        0_u64..4,
        prop::bool::weighted(0.2),
    );
    let goal = (0_u64..4, prop::collection::vec(way, 1..4));
    let roots = prop::collection::vec(0_usize..6, 1..3);
    let folded = prop::collection::vec((0_usize..6, Just(vec![])), 0..3);
    (prop::collection::vec(goal, 6), roots, folded).prop_map(|(goals, roots, folded)| Goals {
        goals: goals
            .into_iter()
            .map(|(axes, ways)| Goal {
                indices: vec![],
                axes,
                class: None,
                options: ways.into_iter().map(way_of).collect(),
            })
            .collect(),
        roots,
        axes: 2,
        folded,
    })
}

fn way_of((operations, children, beside, elsewhere, pass, may_overflow): Parts) -> Way {
    Way {
        value: Value::Same,
        node: None,
        may_overflow,
        operations: operations.into(),
        children,
        beside,
        pass,
        elsewhere,
    }
}

/// Operations, children, what is beside, what is elsewhere, the axis of a pass, whether it may overflow.
type Parts = (u64, Vec<usize>, Vec<usize>, Vec<usize>, u64, bool);

/// The cost of the cheapest of all selections that keep to the limit.
fn brute(goals: &Goals, limit: &Limit) -> Option<u128> {
    let counts: Vec<usize> = goals.goals.iter().map(|goal| goal.options.len()).collect();
    let total: usize = counts.iter().product();
    let all = (0..total).map(|mut rank| {
        let choose = |(goal, count): (usize, &usize)| {
            let way = rank % count;
            rank /= count;
            (goal, way)
        };
        counts.iter().enumerate().map(choose).collect::<Selection>()
    });
    let fits = |cost: &FormCost, selection: &Selection| {
        goals.keeps(selection, &limit.passes) && (limit.overflows || cost.overflows == 0)
    };
    all.filter_map(|selection| goals.cost(&selection).filter(|cost| fits(cost, &selection)).map(|cost| cost.operations))
        .min()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn it_is_as_cheap_as_the_cheapest_of_all(goals in graphs(), passes in prop::collection::vec(1_u32..4, 2), overflows: bool) {
        let limit = Limit { passes, overflows };
        let found = least(&goals, &limit);
        prop_assert_eq!(found.as_ref().map(|least| least.cost.operations), brute(&goals, &limit));
        if let Some(found) = found {
            prop_assert!(found.is_proved);
            prop_assert_eq!(Some(found.cost), goals.cost(&found.selection));
        }
    }
}

#[test]
fn what_two_need_is_paid_once() {
    let way = |operations, children: &[usize]| way_of((operations, children.to_vec(), vec![], vec![], 0, false));
    let goal = |options: Vec<Way>| Goal { indices: vec![], axes: 0, class: None, options };
    // Each root alone is cheaper by its own way; together the way that they share is.
    let goals = Goals {
        goals: vec![
            goal(vec![way(5, &[]), way(1, &[2])]),
            goal(vec![way(5, &[]), way(1, &[2])]),
            goal(vec![way(6, &[])]),
        ],
        roots: vec![0, 1],
        axes: 0,
        folded: vec![],
    };
    let found = least(&goals, &Limit { passes: vec![], overflows: true }).unwrap();
    assert_eq!(found.selection, BTreeMap::from([(0, 1), (1, 1), (2, 0)]));
    assert_eq!(found.cost.operations, 8);
}

/// Two outputs that read each other are computed in one order only where the user says so; one that reads itself has its own.
#[test]
fn two_orders_are_not_mixed() {
    let reads = |elsewhere: &[usize]| way_of((1, vec![], vec![], elsewhere.to_vec(), 0, false));
    let cost = |first: &[usize], second: &[usize], folded: &[usize]| {
        let goal = |elsewhere| Goal { indices: vec![], axes: 0, class: None, options: vec![reads(elsewhere)] };
        let folded = folded.iter().map(|goal| (*goal, vec![])).collect();
        let goals = Goals { goals: vec![goal(first), goal(second)], roots: vec![0], axes: 0, folded };
        goals.cost(&BTreeMap::from([(0, 0), (1, 0)])).map(|cost| cost.operations)
    };
    assert_eq!(cost(&[0], &[], &[0]), Some(1));
    assert_eq!(cost(&[1], &[0], &[]), Some(2));
    assert_eq!(cost(&[1], &[0], &[0]), None);
    assert_eq!(cost(&[0, 1], &[1], &[0]), Some(2));
}

/// Within a sum over an index of the element, what comes before that index need not come before the element.
#[test]
fn a_bound_index_hides_the_point() {
    let cost = |index: &str| {
        let fold = ComponentReduction {
            operator: Combination::Built(Operator::Sum),
            index: name(index),
            backward: false,
            arguments: vec![0],
            beside: vec![],
        };
        let sum = Way::of(Value::Fold(fold), 1, vec![1]);
        let read = way_of((1, vec![], vec![], vec![0], 0, false));
        let goal = |way| Goal { indices: vec![], axes: 0, class: None, options: vec![way] };
        let goals =
            Goals { goals: vec![goal(sum), goal(read)], roots: vec![0], axes: 0, folded: vec![(0, vec![name("i")])] };
        goals.cost(&BTreeMap::from([(0, 0), (1, 0)])).map(|cost| cost.operations)
    };
    assert_eq!((cost("k"), cost("i")), (Some(2), None));
}
