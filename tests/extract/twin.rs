//! The search against brute force over every (map, form) pair, and against the checker that counts point by point.

use super::spaces;
use std::collections::BTreeSet;
use systole_base::integer::{Bindings, Matrix, Name};
use systole_base::machine::Machine;
use systole_base::network::{Links, Network};
use systole_compile::cost::{Cost, Objective};
use systole_compile::extract::enumerate::{Checker, Task, search, verify};
use systole_compile::extract::{Constraint, Found, Survey};
use systole_compile::mapping::candidates::Bounds;
use systole_compile::mapping::{Fold, SpaceDesign, SpaceTimeMap, candidates};
use systole_compile::rewrite::{Choices, Dataflow, Transport};
use systole_equations::recurrence::Space;

/// Every combination of choices that the checker accepts under one map, each pair costed by itself.
fn legal_forms(checker: &Checker, choices: &Choices, map: &SpaceTimeMap) -> Vec<Found> {
    let Ok(base) = checker.base() else { return vec![] };
    let offered = choices.transports.iter().enumerate();
    let costs: Vec<Vec<Option<Cost>>> = offered
        .map(|(operand, all)| all.iter().map(|choice| checker.operand(operand, choice).ok()).collect())
        .collect();
    let mut forms: Vec<(Cost, Vec<Transport>)> = vec![(base, vec![])];
    for (operand, all) in choices.transports.iter().enumerate() {
        let longer = |(sum, chosen): &(Cost, Vec<Transport>)| {
            let with = |(choice, cost): (&Transport, &Option<Cost>)| {
                Some((sum.join(&(*cost)?), [chosen.clone(), vec![choice.clone()]].concat()))
            };
            all.iter().zip(&costs[operand]).filter_map(with).collect::<Vec<_>>()
        };
        forms = forms.iter().flat_map(longer).collect();
    }
    let mut found = vec![];
    for (chain, cost) in choices.chains.iter().filter_map(|chain| Some((chain, checker.chain(chain).ok()?))) {
        for (sum, transports) in &forms {
            let dataflow = Dataflow { transports: transports.clone(), chain: chain.clone() };
            if checker.joins(&dataflow).is_ok() {
                found.push(Found {
                    cost: sum.join(&cost),
                    parts: vec![SpaceDesign::unshifted(map.clone(), dataflow)],
                    fold: Fold::default(),
                });
            }
        }
    }
    found
}

/// All designs that are right at these sizes, found without the search.
fn brute_force(problem: &Task, places: &[Matrix]) -> Vec<Found> {
    let space = problem.space;
    let mut found = vec![];
    for place in places {
        for step in candidates::steps(place.rows().len(), space.dimension(), &problem.entries()) {
            let map = SpaceTimeMap { place: place.clone(), step };
            if let Ok(checker) = Checker::new(space, problem.machine, &problem.sizes, &map) {
                found.extend(legal_forms(&checker, &problem.choices, &map));
            }
        }
    }
    found
}

fn front(found: &[Found]) -> BTreeSet<Cost> {
    let beaten = |cost: &Cost| found.iter().any(|other| other.cost != *cost && other.cost.is_within(cost));
    found.iter().map(|design| design.cost).filter(|cost| !beaten(cost)).collect()
}

/// Sizes that all differ.
fn ragged(space: &Space, n: i64) -> Bindings {
    space.parameters.iter().enumerate().map(|(position, name)| (name.clone(), n + position as i64)).collect()
}

fn keys(designs: &[Found]) -> BTreeSet<String> {
    designs.iter().map(|design| format!("{:?}", &design.parts)).collect()
}

/// Everything the search says about `places` is what brute force says.
fn compare_places(problem: &Task, survey: &Survey, places: &[Matrix]) {
    let (space, machine, sizes) = (problem.space, problem.machine, &problem.sizes);
    for design in &survey.all {
        assert_eq!(verify(space, machine, sizes, design), Ok(design.cost), "{design:?}");
    }
    let right = brute_force(problem, places);
    assert_eq!(survey.designs, survey.all.len() as u64);
    // What is right at these sizes but not at all sizes is not the search's to find; it has to find everything else.
    let (mine, theirs) = (keys(&survey.all), keys(&right));
    assert!(mine.is_subset(&theirs));
    let missed: Vec<&Found> =
        right.iter().filter(|design| !mine.contains(&keys(&[(*design).clone()]).pop_first().unwrap())).collect();
    missed.iter().for_each(|design| assert!(is_wrong_elsewhere(problem, design), "missed {design:?}"));
    let costs: BTreeSet<Cost> = survey.sorted(Objective::Systolic).iter().map(|found| found.cost).collect();
    assert_eq!(costs, front(&survey.all));
}

/// Whether a design fails at some other sizes: all of them larger, all 1, or one of them 1, where rows of a vector time are
/// as short as can be.
fn is_wrong_elsewhere(problem: &Task, design: &Found) -> bool {
    let scaled = |by: i64| problem.sizes.iter().map(|(name, size)| (name.clone(), size * by)).collect::<Bindings>();
    let ones = problem.sizes.keys().map(|name| (name.clone(), 1)).collect::<Bindings>();
    let one = |short: &Name| problem.sizes.clone().into_iter().chain([(short.clone(), 1)]).collect::<Bindings>();
    let several = [ones, scaled(2), scaled(3)].into_iter().chain(problem.sizes.keys().map(one));
    several.into_iter().any(|sizes| verify(problem.space, problem.machine, &sizes, design).is_err())
}

fn compare(space: &Space, choices: &Choices, machine: &Machine, ranks: &[usize], n: i64) {
    let bounds = Bounds { ranks: ranks.to_vec(), bound: 1, steps: (-1, 2) };
    let sizes = ragged(space, n);
    let problem = Task::new(space, choices.clone(), bounds, machine, &sizes, Constraint::default()).expect("a problem");
    let survey = search(&problem, true, &|_, _| true);
    let places = ranks.iter().flat_map(|rank| candidates::places(space.dimension(), *rank, 1)).collect::<Vec<_>>();
    compare_places(&problem, &survey, &places);
    let thinned = search(&problem, false, &|_, _| true);
    let costs: BTreeSet<Cost> = thinned.sorted(Objective::Systolic).iter().map(|found| found.cost).collect();
    assert_eq!(costs, front(&survey.all), "symmetry pruning is sound");
}

/// The same for single places, where the whole box is too large for brute force.
fn compare_at(kernel: &str, places: &[&[&[i64]]], n: i64) {
    let space = spaces::space(kernel);
    let choices = spaces::choices(&space);
    let machine = Machine::default();
    for rows in places {
        let place = Matrix::new(rows.iter().map(|row| row.to_vec()).collect(), space.dimension());
        let bounds = Bounds { ranks: vec![rows.len()], bound: 1, steps: (0, 1) };
        let constraint = Constraint { places: vec![Some(place.clone())], ..Constraint::default() };
        let sizes = ragged(&space, n);
        let problem = Task::new(&space, choices.clone(), bounds, &machine, &sizes, constraint).expect("a problem");
        compare_places(&problem, &search(&problem, true, &|_, _| true), &[place]);
    }
}

#[test]
fn a_convolution_whose_image_has_lines_from_two_faces() {
    compare_at("conv2d", &[&[&[1, 0, 0, 0], &[0, 1, 0, 0]], &[&[0, 0, 1, 0], &[0, 0, 0, 1]]], 2);
}

/// PEs of one diagonal of the image and the weights: the points of a PE have no box.
#[test]
fn a_convolution_whose_pes_hold_a_diagonal() {
    compare_at("conv2d", &[&[&[1, 0, 1, 0], &[0, 1, 0, 0]]], 2);
}

#[test]
fn mttkrp_at_places_of_every_rank() {
    compare_at("mttkrp", &[&[], &[&[0, 1, 0, 0]], &[&[1, 0, 0, 0], &[0, 1, 0, 0]]], 2);
}

#[test]
fn ttm_at_places_of_every_rank() {
    let cube: [&[i64]; 3] = [&[1, 0, 0, 0], &[0, 1, 0, 0], &[0, 0, 1, 1]];
    compare_at(
        "ttm",
        &[&[], &[&[0, 0, 1, 0]], &[&[0, 0, 1, 0], &[0, 0, 0, 1]], &[&[1, 0, -1, 0], &[0, 0, 0, 1]], &cube],
        2,
    );
}

#[test]
fn matmul_on_every_rank() {
    let space = spaces::space("matmul");
    compare(&space, &spaces::choices(&space), &Machine::default(), &[0, 1, 2], 2);
}

#[test]
fn matvec_on_every_rank() {
    let space = spaces::space("matvec");
    compare(&space, &spaces::choices(&space), &Machine::default(), &[0, 1], 5);
}

#[test]
fn fir_on_every_network() {
    let space = spaces::space("fir");
    for (network, _) in Network::ALL {
        let machine = Machine { links: Links { network, ..Links::default() }, ..Machine::default() };
        compare(&space, &spaces::choices(&space), &machine, &[0, 1], 5);
    }
}

#[test]
fn polynomial_product_with_slow_links() {
    let space = spaces::space("polynomial_product");
    let machine = Machine { links: Links { latency: 2, ..Links::default() }, ..Machine::default() };
    compare(&space, &spaces::choices(&space), &machine, &[0, 1], 5);
}

#[test]
fn matmul_streams_on_hexagons() {
    let space = spaces::space("matmul");
    let machine = Machine { links: Links { network: Network::Hex, ..Links::default() }, ..Machine::default() };
    compare(&space, &spaces::streams(&space), &machine, &[2], 3);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let space = spaces::space("matmul");
    let machine = Machine::default();
    let sizes: Bindings = space.parameters.iter().map(|parameter| (parameter.clone(), 4)).collect();
    let bounds = Bounds::for_dimension(3);
    let choices = spaces::choices(&space);
    let problem =
        Task::new(&space, choices.clone(), bounds, &machine, &sizes, Constraint::default()).expect("a problem");
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| search(&problem, false, &|_, _| true).sorted(Objective::Systolic))
    };
    let one = run(1);
    assert!(!one.is_empty());
    assert_eq!(one, run(2));
    assert_eq!(one, run(7));
}
