//! Two strategies behind one search: where both can search a kernel, the best that they find costs the same.

use crate::spaces::{choices, space};
use systole_base::integer::Bindings;
use systole_base::machine::Machine;
use systole_compile::cost::{Cost, Objective};
use systole_compile::extract::{Constraint, Limits, Problem, Question, Strategy, search, verify};
use systole_compile::mapping::candidates::Bounds;
use systole_equations::recurrence::spaces::SpaceSystem;

/// The costs of the best designs of a kernel under each objective, on arrays that leave each PE one dimension.
fn best(kernel: &str, machine: &Machine, strategy: Strategy, size: i64) -> Vec<Cost> {
    let (space, choices) = (space(kernel), vec![choices(&space(kernel))]);
    let sizes: Bindings = space.parameters.iter().map(|parameter| (parameter.clone(), size)).collect();
    let bounds = Bounds { ranks: vec![space.dimension() - 1], ..Bounds::for_dimension(space.dimension()) };
    let system = SpaceSystem::of_one(space);
    let (constraint, limits) = (Constraint::none(&system), Limits::default());
    let question = Question { system: &system, choices: &choices, bounds, machine, sizes: &sizes, constraint, limits };
    assert_eq!(question.strategy(), Strategy::Enumerate, "{kernel}");
    let problem = Problem::by(strategy, question).expect("a problem");
    let survey = search(&problem, false, &|_, _| true);
    assert!(survey.designs > 0, "{kernel}");
    let best = |(objective, _): &(Objective, &str)| {
        let best = survey.sorted(*objective).swap_remove(0);
        assert_eq!(verify(&problem, &best), Ok(()), "{kernel}");
        best.cost
    };
    Objective::ALL.iter().map(best).collect()
}

/// The best costs of both under each objective, by what the objective counts.
fn compare(kernel: &str, machine: &Machine, size: i64) {
    let found = [Strategy::Enumerate, Strategy::Solve].map(|strategy| best(kernel, machine, strategy, size));
    for ((objective, word), (one, other)) in Objective::ALL.iter().zip(found[0].iter().zip(&found[1])) {
        assert_eq!(objective.key(one), objective.key(other), "{kernel} at {size} by {word}: {one:?} and {other:?}");
    }
}

#[test]
fn both_strategies_find_the_best_design() {
    for kernel in ["matvec", "fir", "polynomial_product", "matmul", "conv1d"] {
        compare(kernel, &Machine::default(), 4);
    }
}
