//! Best steps and minimal clashes: the table of known steps derived, small problems against brute force.

use crate::hand_built::forms::form;
use crate::hand_built::several_spaces::{Several, chain, cholesky, triangular};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::time::Duration;
use systole_base::integer::Polyhedron;
use systole_compile::mapping::{Dependence, Row};
use systole_compile::smt::{Goal, LinearProblem, Optimum, Series, Unequal, attempt, attempt_alone, minimise};

const LIMIT: Duration = Duration::from_secs(30);

/// The shortest steps: least growth of the span, then its constant, then the smallest coefficients. Points of space 0
/// that share a PE differ by multiples of `kernel` and must differ in time.
fn shortest(kernel: &Several, direction: &[i64]) -> LinearProblem {
    let count = kernel.unknowns.count();
    let unit = |at: usize| (0..count).map(|column| i64::from(column == at)).collect::<Vec<i64>>();
    let span = kernel.unknowns.span();
    let mut apart = direction.to_vec();
    apart.resize(count, 0);
    LinearProblem {
        bounds: vec![(None, None); count],
        rows: kernel.rows(true),
        unequal: vec![Unequal { coefficients: apart, value: 0, label: conflict(kernel) }],
        goals: span.clone().map(unit).map(Goal::Form).chain([Goal::Magnitudes((0..span.start).collect())]).collect(),
    }
}

/// The label behind those of the dependences and the spans.
fn conflict(kernel: &Several) -> usize {
    kernel.dependences.len() + kernel.domains.len()
}

/// The steps as text, then the span.
fn show(kernel: &Several, answer: &Optimum) -> Vec<String> {
    let Optimum::Found(values) = answer else { panic!("{answer:?}") };
    let steps = (0..kernel.domains.len()).map(|space| kernel.unknowns.step_form(space, values).unwrap().to_string());
    steps.chain([format!("{:?}", &values[kernel.unknowns.span()])]).collect()
}

#[test]
fn steps_of_the_triangular_solve_are_derived() {
    let known = [["i + j", "2*i", "[2, -2]"], ["2*i + j", "3*i", "[3, -3]"], ["3*i + j", "4*i", "[4, -4]"]];
    for (latency, expected) in (1..).zip(known) {
        let kernel = triangular(latency);
        assert_eq!(show(&kernel, &minimise(&shortest(&kernel, &[0, 1]), LIMIT)), expected);
    }
}

#[test]
fn steps_of_cholesky_are_derived() {
    let known = [
        ["i + j + k", "i + 2*j", "3*j", "[3, -3]"],
        ["2*i + 2*j + k", "2*i + 3*j", "5*j", "[5, -5]"],
        ["3*i + 3*j + k", "3*i + 4*j", "7*j", "[7, -7]"],
    ];
    for (latency, expected) in (1..).zip(known) {
        let kernel = cholesky(latency);
        let answer = minimise(&shortest(&kernel, &[0, 0, 1]), LIMIT);
        assert_eq!(show(&kernel, &answer), expected);
        let Optimum::Found(values) = answer else { unreachable!() };
        assert!(kernel.respects_all(&values, 7));
        assert!((0..3).all(|space| kernel.is_within_span(space, &values, 7)));
    }
}

#[test]
fn steps_of_kernels_of_one_space_are_derived() {
    let product = |latency: i64| {
        let set = chain("0 <= i < N").intersect(&chain("0 <= j < N")).intersect(&chain("0 <= k < N"));
        let all = [("A along j", "i,j-1,k", latency), ("B along i", "i-1,j,k", latency), ("sum", "i,j,k-1", 1)];
        uniform("i j k", &set, &all)
    };
    let answer = |kernel: &Several, direction: &[i64]| show(kernel, &minimise(&shortest(kernel, direction), LIMIT));
    assert_eq!(answer(&product(1), &[0, 0, 1]), ["i + j + k", "[3, -3]"]);
    assert_eq!(answer(&product(2), &[0, 0, 1]), ["2*i + 2*j + k", "[5, -5]"]);
    let set = chain("0 <= i < N").intersect(&chain("0 <= j < N"));
    let smith_waterman = uniform("i j", &set, &[("up", "i-1,j", 1), ("left", "i,j-1", 1), ("both", "i-1,j-1", 1)]);
    assert_eq!(answer(&smith_waterman, &[0, 1]), ["i + j", "[2, -2]"]);
}

/// One space in which each point reads those at fixed distances.
fn uniform(indices: &str, set: &Polyhedron, reads: &[(&'static str, &str, i64)]) -> Several {
    let mut kernel = Several::new(&[(indices, "0 <= i < N")], &[]);
    kernel.domains[0].1 = set.clone();
    let at = |text: &str| text.split(',').map(form).collect::<Vec<_>>();
    for (label, (name, writer, least)) in reads.iter().enumerate() {
        let back = kernel.domains[0].0.iter().cloned().zip(at(writer)).collect();
        let set = set.intersect(&set.substitute(&back));
        kernel.dependences.push(Dependence {
            reader: 0,
            writer: 0,
            set,
            at: at(writer),
            quotients: vec![],
            least: *least,
            exact: None,
            label,
        });
        kernel.names.push(name);
    }
    kernel
}

#[test]
fn no_shorter_span_exists() {
    for (latency, expected) in (1..).zip([3, 5, 7]) {
        let kernel = cholesky(latency);
        let mut problem = shortest(&kernel, &[0, 0, 1]);
        let growth = kernel.unknowns.span().start;
        problem.bounds[growth].1 = Some(expected);
        assert!(matches!(minimise(&problem, LIMIT), Optimum::Found(_)));
        problem.bounds[growth].1 = Some(expected - 1);
        let Optimum::Clash(labels) = minimise(&problem, LIMIT) else { panic!("a shorter span") };
        is_minimal(&problem, &labels);
    }
}

/// Together the labels have no solution; without any one of them there is one.
fn is_minimal(problem: &LinearProblem, labels: &[usize]) {
    let labels: BTreeSet<usize> = labels.iter().copied().collect();
    let found = |labels: &BTreeSet<usize>| {
        let without_goals = LinearProblem { goals: vec![], ..problem.restrict(labels) };
        matches!(minimise(&without_goals, LIMIT), Optimum::Found(_))
    };
    assert!(!found(&labels));
    for label in &labels {
        let mut fewer = labels.clone();
        fewer.remove(label);
        assert!(found(&fewer), "{label} is not needed in {labels:?}");
    }
}

#[test]
fn a_step_of_i_alone_clashes_with_what_runs_along_j() {
    let kernel = triangular(1);
    let mut problem = shortest(&kernel, &[0, 1]);
    problem.bounds[..5].copy_from_slice(&[(Some(1), Some(1)), ZERO, ZERO, ZERO, (None, None)]);
    assert_eq!(minimise(&problem, LIMIT), Optimum::Clash(vec![0]));
    assert_eq!(kernel.names[0], "sum along j");
    // Without that dependence the sum, the diagonal and the stream are still a round that gains nothing in time, and
    // without that round two points of a PE still share a step.
    let clash_of = |labels: BTreeSet<usize>| minimise(&problem.restrict(&labels), LIMIT);
    assert_eq!(clash_of((1..=conflict(&kernel)).collect()), Optimum::Clash(vec![1, 2]));
    assert_eq!(clash_of((2..=conflict(&kernel)).collect()), Optimum::Clash(vec![conflict(&kernel)]));
    assert!(matches!(clash_of((2..conflict(&kernel)).collect()), Optimum::Found(_)));
}

const ZERO: (Option<i64>, Option<i64>) = (Some(0), Some(0));

#[test]
fn infeasible_pairs_are_named_and_feasible_twins_are_not() {
    // Labels 7: x + y >= 4; 3: x <= most; 5: y <= 1; 9: says nothing.
    let problem = |most: i64| LinearProblem {
        bounds: vec![(None, None); 2],
        rows: vec![row(&[1, 1], 4, 7), row(&[-1, 0], -most, 3), row(&[0, -1], -1, 5), row(&[1, 0], -9, 9)],
        unequal: vec![],
        goals: vec![Goal::Form(vec![1, 0]), Goal::Magnitudes(vec![1])],
    };
    assert_eq!(minimise(&problem(2), LIMIT), Optimum::Clash(vec![3, 5, 7]));
    assert_eq!(minimise(&problem(3), LIMIT), Optimum::Found(vec![3, 1]));
    is_minimal(&problem(2), &[3, 5, 7]);
    let opposed = LinearProblem {
        bounds: vec![(Some(0), Some(0)), (None, None)],
        rows: vec![row(&[1, 1], 1, 2), row(&[0, 1], 5, 1), row(&[1, -1], 0, 4), row(&[1, 0], 1, 8)],
        ..LinearProblem::default()
    };
    assert_eq!(minimise(&opposed, LIMIT), Optimum::Clash(vec![1, 4]), "8 and 2 are dropped first");
}

fn row(coefficients: &[i64], least: i64, label: usize) -> Row {
    Row { coefficients: coefficients.to_vec(), least, label }
}

#[test]
fn sums_that_must_not_be_zero_move_the_optimum() {
    let mut problem = LinearProblem {
        bounds: vec![(Some(0), None); 2],
        unequal: vec![Unequal { coefficients: vec![1, -1], value: 0, label: 0 }],
        goals: vec![Goal::Form(vec![1, 1])],
        ..LinearProblem::default()
    };
    assert_eq!(minimise(&problem, LIMIT), Optimum::Found(vec![0, 1]), "of (0, 1) and (1, 0) the first");
    problem.rows = vec![row(&[1, -1], 0, 1), row(&[-1, 1], 0, 2)];
    assert_eq!(minimise(&problem, LIMIT), Optimum::Clash(vec![0, 1, 2]));
    problem.rows[1].least = -1;
    assert_eq!(minimise(&problem, LIMIT), Optimum::Found(vec![1, 0]));
}

/// The first problem of a series.
fn first(problem: &LinearProblem, multiples: &[i64]) -> Option<Vec<i64>> {
    Series::default().any_optimum(problem, multiples)
}

#[test]
fn a_multiple_is_rounded_away_from_the_bound() {
    let problem = |least: i64| LinearProblem {
        bounds: vec![(Some(0), Some(8)), (Some(0), Some(8))],
        rows: vec![row(&[1, 1], least, 0)],
        goals: vec![Goal::Form(vec![2, 1])],
        ..LinearProblem::default()
    };
    assert_eq!(first(&problem(7), &[1, 3]), Some(vec![1, 6]));
    assert_eq!(first(&problem(13), &[3, 4]), Some(vec![6, 8]));
    assert_eq!(first(&problem(15), &[3, 4]), None, "6 + 8 is the most");
    assert_eq!(first(&problem(7), &[1]), None, "a multiple for each unknown");
}

/// A problem with other goals, or other left sides, is no next one: it is solved from the start.
#[test]
fn a_series_takes_any_problem() {
    let problem = |sides: &[i64], goal: &[i64]| LinearProblem {
        bounds: vec![(Some(0), Some(8)), (Some(0), Some(8))],
        rows: vec![row(sides, 5, 0)],
        goals: vec![Goal::Form(goal.to_vec())],
        ..LinearProblem::default()
    };
    let mut series = Series::default();
    assert_eq!(series.any_optimum(&problem(&[1, 1], &[1, 2]), &[1, 1]), Some(vec![5, 0]));
    assert_eq!(series.any_optimum(&problem(&[1, 1], &[2, 1]), &[1, 1]), Some(vec![0, 5]));
    assert_eq!(series.any_optimum(&problem(&[1, 3], &[2, 1]), &[1, 1]), Some(vec![0, 2]));
    // An unknown that was fixed at 0 is free.
    let fixed = |second: i64| LinearProblem {
        bounds: vec![(Some(0), Some(8)), (Some(0), Some(second))],
        ..problem(&[1, 1], &[1, 0])
    };
    assert_eq!(series.any_optimum(&fixed(0), &[1, 1]), Some(vec![5, 0]));
    assert_eq!(series.any_optimum(&fixed(3), &[1, 1]), Some(vec![2, 3]));
    let falling = LinearProblem { bounds: vec![(None, None); 2], ..problem(&[1, 1], &[1, 0]) };
    assert_eq!(series.any_optimum(&falling, &[1, 1]), None);
    assert_eq!(series.any_optimum(&fixed(4), &[1, 1]), Some(vec![1, 4]));
}

/// Blocks of 64, one after the other: each pivot multiplies by 64, and twelve of them do not fit 64 bits. Branch and bound alone has
/// the answer, which is Z3's as well; and where the last block must end too soon, that there is none.
#[test]
fn large_constants_are_left_to_no_other_solver() {
    let count = 12;
    let sides = |block: usize| -> Vec<i64> {
        let side = |at: usize| if at == block { 64 } else { -64 * i64::from(at + 1 == block) };
        (0..count).map(side).chain([1]).collect()
    };
    let mut problem = LinearProblem {
        bounds: [vec![(Some(0), None); count], vec![(Some(0), Some(1))]].concat(),
        rows: (0..count).map(|block| row(&sides(block), 64, block)).collect(),
        goals: vec![Goal::Form([vec![0; count], vec![1]].concat()), Goal::Form(vec![1; count + 1])],
        ..LinearProblem::default()
    };
    let ends: Vec<i64> = (1..=count as i64).chain([0]).collect();
    assert_eq!(attempt_alone(&problem, &mut 0), Optimum::Found(ends.clone()));
    assert_eq!(minimise(&beyond_branch_and_bound(&problem), LIMIT), Optimum::Found(ends));
    problem.bounds[count - 1] = (Some(0), Some(count as i64 - 2));
    assert_eq!(attempt_alone(&problem, &mut 0), Optimum::Clash((0..count).collect()));
}

#[test]
fn what_has_no_answer_says_so() {
    let free = LinearProblem { bounds: vec![(None, None)], ..LinearProblem::default() };
    assert_eq!(minimise(&free, LIMIT), Optimum::Found(vec![0]));
    let unknown = |problem: &LinearProblem, limit: Duration| match minimise(problem, limit) {
        Optimum::Unknown(reason) => reason,
        other => panic!("{other:?}"),
    };
    let falling = LinearProblem { goals: vec![Goal::Form(vec![1])], ..free.clone() };
    assert_eq!(minimise(&falling, LIMIT), Optimum::Endless);
    assert_eq!(attempt_alone(&falling, &mut 0), Optimum::Endless);
    // The second goal falls where the first is least, and a sum that stays the same meanwhile may have any other value.
    let not = |coefficients: Vec<i64>, value: i64| Unequal { coefficients, value, label: 7 };
    let second = LinearProblem {
        bounds: vec![(Some(0), Some(1)), (None, None)],
        unequal: vec![not(vec![1, 0], 0)],
        goals: vec![Goal::Form(vec![1, 0]), Goal::Form(vec![0, 1])],
        ..LinearProblem::default()
    };
    assert_eq!(attempt_alone(&second, &mut 0), Optimum::Endless);
    // Between 0 and 1 there are rationals, along which it falls, and no integers.
    let nowhere = LinearProblem { unequal: vec![not(vec![1, 0], 0), not(vec![1, 0], 1)], ..second };
    assert_eq!(attempt_alone(&nowhere, &mut 0), Optimum::Clash(vec![7]));
    let longer = LinearProblem { goals: vec![Goal::Form(vec![1, 1])], ..free.clone() };
    assert_eq!(unknown(&longer, LIMIT), "the problem speaks of an unknown that it does not have");
    let huge = LinearProblem { rows: vec![row(&[1], i64::MAX, 0)], goals: vec![Goal::Form(vec![4])], ..free.clone() };
    assert_eq!(unknown(&huge, LIMIT), "the value of a goal does not fit 64 bits");
    let large = beyond_branch_and_bound(&shortest(&cholesky(3), &[0, 0, 1]));
    assert!(!unknown(&large, Duration::ZERO).is_empty());
    let empty = LinearProblem { bounds: vec![(Some(1), Some(0))], ..LinearProblem::default() };
    assert_eq!(minimise(&empty, LIMIT), Optimum::Clash(vec![]));
}

/// The same problem with a condition that says nothing, in numbers that only Z3 takes.
fn beyond_branch_and_bound(problem: &LinearProblem) -> LinearProblem {
    let coefficients = vec![0; problem.bounds.len()];
    let mut large = problem.clone();
    large.rows.push(Row { coefficients, least: -(1 << 50), label: 0 });
    large
}

/// The first of the best vectors of a box, by trying them all.
fn by_trying(problem: &LinearProblem, reach: i64) -> Option<Vec<i64>> {
    multiples_by_trying(problem, reach, &[1; 3])
}

/// The same among multiples.
fn multiples_by_trying(problem: &LinearProblem, reach: i64, multiples: &[i64]) -> Option<Vec<i64>> {
    let order = |value: &i64| (value.abs(), *value < 0);
    let square = (-reach..=reach).flat_map(|x| (-reach..=reach).map(move |y| (x, y)));
    let cube = square.flat_map(|(x, y)| (-reach..=reach).map(move |z| vec![x, y, z]));
    let allowed = cube.filter(|values| are_multiples(values, multiples) && problem.allows(values));
    allowed.min_by_key(|values| (problem.scores(values), values.iter().map(order).collect::<Vec<_>>()))
}

fn are_multiples(values: &[i64], multiples: &[i64]) -> bool {
    values.iter().zip(multiples).all(|(value, of)| value % of == 0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn small_problems_agree_with_trying(
        rows in prop::collection::vec((prop::collection::vec(-2i64..3, 3), -3i64..6), 0..7),
        unequal in prop::collection::vec((prop::collection::vec(-1i64..2, 3), -1i64..2), 0..3),
        goal in prop::collection::vec(-2i64..3, 3), magnitudes in prop::collection::vec(0usize..3, 0..3),
    ) {
        let reach = 4;
        let rows: Vec<Row> = (0..).zip(&rows).map(|(label, (sides, least))| row(sides, *least, label)).collect();
        let labelled = (rows.len()..).zip(unequal);
        let problem = LinearProblem {
            bounds: vec![(Some(-reach), Some(reach)); 3],
            unequal: labelled.map(|(label, (coefficients, value))| Unequal { coefficients, value, label }).collect(),
            goals: vec![Goal::Form(goal), Goal::Magnitudes(magnitudes)],
            rows,
        };
        prop_assert_eq!(minimise(&problem, LIMIT), minimise(&beyond_branch_and_bound(&problem), LIMIT));
        match minimise(&problem, LIMIT) {
            Optimum::Found(values) => prop_assert_eq!(Some(values), by_trying(&problem, reach)),
            Optimum::Clash(labels) => {
                let labels: BTreeSet<usize> = labels.into_iter().collect();
                prop_assert_eq!(by_trying(&problem.restrict(&labels), reach), None);
                for label in &labels {
                    let mut fewer = labels.clone();
                    fewer.remove(label);
                    prop_assert!(by_trying(&problem.restrict(&fewer), reach).is_some());
                }
            }
            Optimum::Endless => prop_assert!(false, "every goal has a least value within bounds"),
            Optimum::Unknown(reason) => prop_assert!(false, "{}", reason),
        }
    }

    /// Where some unknowns are multiples, with the value that the goals have there; Z3 is not asked. One problem after the other goes on from
    /// the one before, with and without a solution.
    #[test]
    fn multiples_agree_with_trying(
        rows in prop::collection::vec((prop::collection::vec(-2i64..3, 3), prop::collection::vec(-3i64..6, 4)), 0..5),
        unequal in prop::collection::vec((prop::collection::vec(-1i64..2, 3), -3i64..4), 0..3),
        goal in prop::collection::vec(-2i64..3, 3), multiples in prop::collection::vec(1i64..4, 3),
    ) {
        let reach = 6;
        let apart: Vec<Unequal> =
            unequal.into_iter().map(|(coefficients, value)| Unequal { coefficients, value, label: 0 }).collect();
        let problem = |at: usize| LinearProblem {
            bounds: vec![(Some(-reach), Some(reach)); 3],
            rows: rows.iter().map(|(sides, least)| row(sides, least[at], 0)).collect(),
            unequal: apart.clone(),
            goals: vec![Goal::Form(goal.clone()), Goal::Magnitudes(vec![0, 1, 2])],
        };
        let mut series = Series::default();
        for problem in (0..4).map(problem) {
            let scores = |values: Option<Vec<i64>>| values.and_then(|values| problem.scores(&values));
            let found = series.any_optimum(&problem, &multiples);
            prop_assert!(found.iter().all(|values| are_multiples(values, &multiples) && problem.allows(values)));
            prop_assert_eq!(scores(found), scores(multiples_by_trying(&problem, reach, &multiples)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 150, max_global_rejects: 75, failure_persistence: None, ..ProptestConfig::default()
    })]

    /// Without bounds a goal may fall without end, the second one among the solutions that are best by the first: as Z3 says, too.
    #[test]
    fn what_falls_without_end_agrees_with_z3(
        rows in prop::collection::vec((prop::collection::vec(-2i64..3, 3), -3i64..6), 2..7),
        unequal in prop::collection::vec((prop::collection::vec(-1i64..2, 3), -1i64..2), 0..3),
        goals in prop::collection::vec(prop::collection::vec(-1i64..2, 3), 1..3),
    ) {
        let labelled = (rows.len()..).zip(unequal);
        let problem = LinearProblem {
            bounds: vec![(None, None); 3],
            unequal: labelled.map(|(label, (coefficients, value))| Unequal { coefficients, value, label }).collect(),
            rows: (0..).zip(&rows).map(|(label, (sides, least))| row(sides, *least, label)).collect(),
            goals: goals.into_iter().map(Goal::Form).collect(),
        };
        let alone = attempt_alone(&problem, &mut 0);
        let asked = attempt(&beyond_branch_and_bound(&problem), Duration::from_millis(500));
        let is_unknown = |answer: &Optimum| matches!(answer, Optimum::Unknown(_));
        // Branch and bound gives up after so many nodes, on every machine: too many such cases fail the test. How far Z3 comes is a matter
        // of time, which decides nothing.
        prop_assume!(!is_unknown(&alone));
        prop_assert!(is_unknown(&asked) || alone == asked, "{:?} where Z3 says {:?}", alone, asked);
    }
}
