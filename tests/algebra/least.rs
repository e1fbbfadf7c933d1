//! The search for the cheapest selection against all selections, on random and-or graphs.

use proptest::prelude::*;
use std::collections::BTreeMap;
use systole::algebra::{FormCost, Goal, Goals, Limit, Selection, Value, Way, least};

/// Goals of which each may need any other, so that there are circles, sharing and dead ends.
fn graphs() -> impl Strategy<Value = Goals> {
    let way = (
        0_u64..6,
        prop::collection::vec(0_usize..6, 0..3),
        prop::collection::vec(0_usize..6, 0..2),
        0_u64..4,
        prop::bool::weighted(0.2),
    );
    let goal = (0_u64..4, prop::collection::vec(way, 1..4));
    (prop::collection::vec(goal, 6), prop::collection::vec(0_usize..6, 1..3)).prop_map(|(goals, roots)| Goals {
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
    })
}

fn way_of((operations, children, beside, pass, may_overflow): (u64, Vec<usize>, Vec<usize>, u64, bool)) -> Way {
    Way { value: Value::Same, node: None, may_overflow, operations: operations.into(), children, beside, pass }
}

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
    let way = |operations, children: &[usize]| way_of((operations, children.to_vec(), vec![], 0, false));
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
    };
    let found = least(&goals, &Limit { passes: vec![], overflows: true }).unwrap();
    assert_eq!(found.selection, BTreeMap::from([(0, 1), (1, 1), (2, 0)]));
    assert_eq!(found.cost.operations, 8);
}
