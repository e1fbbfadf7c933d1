//! A search with a budget: the plainest maps are looked at, what is left out is counted, and a larger budget sees no less.

use crate::spaces;
use std::collections::BTreeSet;
use systole_base::integer::Bindings;
use systole_base::machine::Machine;
use systole_base::network::Links;
use systole_compile::cost::{Cost, Objective};
use systole_compile::extract::enumerate::{Task, search, verify};
use systole_compile::extract::{Constraint, Found, Limits, Survey, solve};
use systole_compile::mapping::candidates::Bounds;
use systole_compile::rewrite::Choices;
use systole_equations::recurrence::Space;

/// A depthwise convolution: five indices.
const DEPTHWISE: &str = "\
kernel depthwise(C, M, N, K, L)
in W[C, K, L], X[C, M + K - 1, N + L - 1]
out Y[C, M, N]
Y[c, i, j] = sum(k, l) W[c, k, l] * X[c, i + k, j + l]
";

fn task<'a>(space: &'a Space, choices: &Choices, machine: &'a Machine, budget: u64) -> Task<'a> {
    let sizes: Bindings = space.parameters.iter().map(|parameter| (parameter.clone(), 3)).collect();
    let bounds = Bounds::for_dimension(space.dimension());
    let mut task = Task::new(space, choices.clone(), bounds, machine, &sizes, Constraint::default()).expect("a task");
    task.budget = budget;
    task
}

/// What is found, each design counted again by the checker.
fn searched(task: &Task) -> Survey {
    let survey = search(task, false, &|_, _| true);
    for found in survey.sorted(Objective::Systolic) {
        assert_eq!(verify(task.space, task.machine, &task.sizes, &found), Ok(found.cost));
    }
    survey
}

fn costs(survey: &Survey) -> BTreeSet<Cost> {
    survey.sorted(Objective::Systolic).iter().map(|found| found.cost).collect()
}

/// A product has 78 places of rank 2 with 5^3 steps, 13 of rank 1 with 6 * 5^3, and one PE with 24 * 5^3. Each of the three indices may
/// be reflected, which leaves 27, 135 and 450 classes of steps (Burnside), 4,311 maps in all.
#[test]
fn a_product_is_looked_at_whole() {
    let (space, machine) = (spaces::space("matmul"), Machine::default());
    let choices = spaces::choices(&space);
    let whole = searched(&task(&space, &choices, &machine, Limits::default().budget));
    assert_eq!(whole.left_out.maps, 0);
    let mut seen = vec![];
    for budget in [1, 10, 100, 1000, 4310, 4311] {
        let survey = searched(&task(&space, &choices, &machine, budget));
        // One place is looked at whatever it takes: a plane has 27 times at most.
        assert!(survey.maps <= budget.max(27), "{} maps for {budget}", survey.maps);
        assert!(survey.maps + survey.left_out.maps <= 4311, "{} maps for {budget}", survey.maps);
        assert_eq!(survey.left_out.maps == 0, budget == 4311, "{budget}");
        seen.push(costs(&survey));
    }
    assert_eq!(seen.last(), Some(&costs(&whole)));
    // Whatever a smaller budget finds is found, or beaten, with a larger one.
    for pair in seen.windows(2) {
        let is_met = |cost: &Cost| pair[1].iter().any(|other| other.is_within(cost));
        assert!(pair[0].iter().all(is_met), "{:?} then {:?}", pair[0], pair[1]);
    }
}

/// Along the axes a depthwise convolution has compact times only, each of them found with a small budget: 10 places of rank 2 with
/// 3! * 2^2 * 5^3 times each, 5 of rank 1 with 4! * 2^3 * 5^2, and 5! * 2^4 * 5 at one PE.
#[test]
fn five_indices_get_an_answer() {
    let kernel = crate::systems::kernel(DEPTHWISE);
    let space = &kernel.system.spaces[0];
    let machine = Machine::default();
    let budget = 10 * 24 * 125 + 5 * 192 * 25 + 1920 * 5;
    let exact = task(space, &kernel.choices[0], &machine, budget);
    let survey = searched(&exact);
    assert!(survey.legal > 0 && survey.left_out.maps > 200_000_000);
    // The channel can be reflected, and each side of the image with that of the filter: one map of eight is left, or its own image.
    assert!(survey.maps <= budget && survey.maps >= budget / 8, "{}", survey.maps);
    let best = survey.sorted(Objective::Cycles)[0].cost;
    let points: u64 = 3 * 3 * 3 * 3 * 3;
    // An array of nine PEs runs a space of 243 points in no less than 27 cycles.
    assert!(best.cycles >= points / 9 && best.cycles <= points / 9 + 6, "{best:?}");
}

/// A hop of L cycles needs steps of L, whatever the box says of those within a PE.
#[test]
fn slow_links_have_steps_as_long() {
    let (space, n) = (spaces::space("matmul"), 3);
    let choices = spaces::choices(&space);
    for latency in 1..=8 {
        let machine = Machine { links: Links { latency, ..Links::default() }, ..Machine::default() };
        let survey = searched(&task(&space, &choices, &machine, Limits::default().budget));
        let best = survey.sorted(Objective::Systolic)[0].cost;
        // Every word is loaded once, in no more cycles than the square array whose operands stream over all links.
        assert_eq!(best.memory_words, 2 * n * n, "latency {latency}");
        assert!(best.cycles <= latency as u64 * (2 * n - 2) + n, "latency {latency}: {best:?}");
    }
}

/// The budget of several spaces is used up placement by placement: what is found is the same for any number of threads, and what is
/// left out is counted.
#[test]
fn several_spaces_have_the_same_budget_on_any_number_of_threads() {
    let (kernel, machine) = (crate::systems::kernel(crate::kernel_texts::LU), crate::systems::machine(1));
    let at = crate::systems::sizes(&[("N", 3)]);
    let run = |budget: u64, threads: usize| {
        let (none, bounds) = (Constraint::none(&kernel.system), Bounds::for_dimension(kernel.dimension()));
        let mut task = solve::Task::new(&kernel.system, &kernel.choices, bounds, &machine, &at, none).expect("a task");
        task.limits = Limits { budget, ..Limits::default() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let survey = pool.install(|| solve::search(&task, false, &|_, _| true));
        let found = survey.sorted(Objective::Systolic);
        if budget < Limits::default().budget {
            // A budget is for each search of a task.
            let again = pool.install(|| solve::search(&task, false, &|_, _| true));
            assert_eq!(again.sorted(Objective::Systolic), found);
        }
        found.iter().for_each(|found| assert_eq!(solve::verify(&task, found), Ok(())));
        (found, survey.left_out.placements)
    };
    let whole = run(Limits::default().budget, 2);
    assert_eq!(whole.1, 0);
    let few = [1, 2, 7].map(|threads| run(20_000, threads));
    assert!(few[0].1 > 0 && !few[0].0.is_empty());
    assert_eq!([&few[0], &few[0]], [&few[1], &few[2]]);
}

/// Doubled ten times and more, from one at which one PE alone is found, a budget never leads to a design that is worse by default, or takes
/// more cycles. It may lead to one of more PEs: rounds on fewer are looked at where nothing else is found.
#[test]
fn a_budget_that_is_doubled_costs_no_more() {
    let (kernel, machine) = (crate::systems::kernel(crate::kernel_texts::LU), crate::systems::machine(1));
    let at = crate::systems::sizes(&[("N", 3)]);
    let best = |budget: u64| {
        let (none, bounds) = (Constraint::none(&kernel.system), Bounds::for_dimension(kernel.dimension()));
        let mut task = solve::Task::new(&kernel.system, &kernel.choices, bounds, &machine, &at, none).expect("a task");
        task.limits = Limits::of_budget(budget);
        let survey = solve::search(&task, false, &|_, _| true);
        let found = survey.sorted(Objective::Systolic);
        found.iter().for_each(|found| assert_eq!(solve::verify(&task, found), Ok(())));
        [Objective::Systolic, Objective::Cycles].map(|objective| objective.key(&survey.sorted(objective)[0].cost))
    };
    let found: Vec<_> = (0..=12).map(|doubled| best(6_000 << doubled)).collect();
    let costs_no_more = |(more, less): (&[u128; 6], &[u128; 6])| more <= less;
    assert!(found.windows(2).all(|pair| pair[1].iter().zip(&pair[0]).all(costs_no_more)), "{found:?}");
    // 6,144,000 is more than the usual budget.
    assert!(found[9] == found[0] && found[10] != found[0], "{found:?}");
}

/// A search ends where nothing was left out for the budget, and keeps what it found with less: so it has all that it would find at once.
#[test]
fn to_search_with_less_first_loses_nothing() {
    let machine = crate::systems::machine(1);
    let texts = [
        (crate::kernel_texts::LU, "N", 3),
        (crate::kernel_texts::TRISOLVE, "N", 4),
        (crate::kernel_texts::CHOLESKY, "N", 3),
    ];
    for (text, size, value) in texts {
        let (kernel, at) = (crate::systems::kernel(text), crate::systems::sizes(&[(size, value)]));
        let search = |limits: Limits| {
            let (none, bounds) = (Constraint::none(&kernel.system), Bounds::for_dimension(kernel.dimension()));
            let mut task =
                solve::Task::new(&kernel.system, &kernel.choices, bounds, &machine, &at, none).expect("a task");
            task.limits = limits;
            solve::search(&task, false, &|_, _| true)
        };
        let (first, at_once) = (search(Limits::usual()), search(Limits { deepens: false, ..Limits::usual() }));
        let front = first.front.designs();
        let is_there = |found: &Found| front.contains(found) || first.front.beats(&found.cost);
        assert!(!at_once.front.designs().is_empty() && at_once.front.designs().iter().all(is_there), "{text}");
        // One PE that runs everything alone gives way to arrays of several.
        let has_one = |survey: &Survey| survey.front.designs().iter().any(|found| found.cost.pes == 1);
        assert!(!has_one(&first), "{text}");
        if text == crate::kernel_texts::LU {
            assert!(has_one(&search(Limits::of_budget(1))), "{text}");
        }
    }
}

/// A search that is told to stop after the first place says so, and has what it found there.
#[test]
fn a_search_that_is_stopped_has_what_it_found() {
    let (space, machine) = (spaces::space("matmul"), Machine::default());
    let choices = spaces::choices(&space);
    let task = task(&space, &choices, &machine, Limits::default().budget);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    let stopped = pool.install(|| search(&task, false, &|done, _| done < 30));
    let whole = searched(&task);
    assert!(stopped.is_stopped && !whole.is_stopped);
    assert!(0 < stopped.maps && stopped.maps < whole.maps);
    assert!(!stopped.front.designs().is_empty());
}
