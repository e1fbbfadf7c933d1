//! The search against brute force over every (map, form) pair, and against the checker that counts point by point.

use super::spaces;
use std::collections::BTreeSet;
use systole::cost::{Cost, Machine, Objective};
use systole::extract::{Constraint, Found, Problem, search, verify};
use systole::integer::Bindings;
use systole::mapping::candidates::{self, Bounds};
use systole::mapping::{Links, Network, SpaceTimeMap};
use systole::recurrence::Space;
use systole::rewrite::{Choices, Dataflow};

/// Every combination of choices.
fn forms(choices: &Choices) -> Vec<Dataflow> {
    let mut partial = vec![vec![]];
    for offered in &choices.transports {
        let longer =
            |form: &Vec<_>| offered.iter().map(|t| [form.clone(), vec![t.clone()]].concat()).collect::<Vec<_>>();
        partial = partial.iter().flat_map(longer).collect();
    }
    let with_chain = |transports: Vec<_>| {
        choices.chains.iter().map(move |chain| Dataflow { transports: transports.clone(), chain: chain.clone() })
    };
    partial.into_iter().flat_map(with_chain).collect()
}

/// All designs that are right at these sizes, found without the search.
fn brute_force(space: &Space, choices: &Choices, bounds: &Bounds, machine: &Machine, sizes: &Bindings) -> Vec<Found> {
    let mut found = vec![];
    for rank in &bounds.ranks {
        for place in candidates::places(space.dimension(), *rank, bounds.bound) {
            for step in candidates::steps(*rank, space.dimension(), bounds.steps) {
                for dataflow in forms(choices) {
                    let map = SpaceTimeMap { place: place.clone(), step: step.clone() };
                    let mut design = Found { cost: Cost::default(), map, dataflow };
                    if let Ok(cost) = verify(space, machine, sizes, &design) {
                        design.cost = cost;
                        found.push(design);
                    }
                }
            }
        }
    }
    found
}

fn front(found: &[Found]) -> BTreeSet<Cost> {
    let beaten = |cost: &Cost| found.iter().any(|other| other.cost != *cost && other.cost.is_within(cost));
    found.iter().map(|design| design.cost).filter(|cost| !beaten(cost)).collect()
}

fn compare(space: &Space, choices: &Choices, machine: &Machine, ranks: &[usize], n: i64) {
    let bounds = Bounds { ranks: ranks.to_vec(), bound: 1, steps: (-1, 2) };
    let offset = |position: usize| n + position as i64;
    let sizes: Bindings = space.parameters.iter().enumerate().map(|(p, name)| (name.clone(), offset(p))).collect();
    let problem =
        Problem::new(space, choices, bounds.clone(), machine, &sizes, Constraint::default()).expect("a problem");
    let survey = search(&problem, true, &|_, _| {});
    for design in &survey.all {
        assert_eq!(verify(space, machine, &sizes, design), Ok(design.cost), "{design:?}");
    }
    let legal = brute_force(space, choices, &bounds, machine, &sizes);
    let thinned = search(&problem, false, &|_, _| {});
    let costs = |front: Vec<Found>| front.iter().map(|design| design.cost).collect::<BTreeSet<_>>();
    assert_eq!(
        costs(survey.front.clone().sorted(Objective::Systolic)),
        front(&survey.all),
        "the front of what is legal"
    );
    assert_eq!(costs(thinned.front.sorted(Objective::Systolic)), front(&survey.all), "symmetry pruning is sound");
    // What is right at these sizes but not for all sizes is not in the search; everything else is.
    let mine: BTreeSet<String> =
        survey.all.iter().map(|design| format!("{:?}", (&design.map, &design.dataflow))).collect();
    let theirs = legal.iter().map(|design| format!("{:?}", (&design.map, &design.dataflow))).collect::<BTreeSet<_>>();
    assert!(mine.is_subset(&theirs));
    assert_eq!(survey.designs, survey.all.len() as u64);
}

#[test]
fn matvec_on_every_rank() {
    let space = spaces::matvec();
    compare(&space, &spaces::choices(&space, false), &Machine::default(), &[0, 1], 5);
}

#[test]
fn fir_on_every_network() {
    let space = spaces::fir();
    for (network, _) in Network::ALL {
        let machine = Machine { links: Links { network, latency: 1, response: 1 }, ..Machine::default() };
        compare(&space, &spaces::choices(&space, false), &machine, &[0, 1], 5);
    }
}

#[test]
fn polynomial_product_with_slow_links() {
    let space = spaces::polynomial_product();
    let machine = Machine { links: Links { network: Network::Mesh, latency: 2, response: 1 }, ..Machine::default() };
    compare(&space, &spaces::choices(&space, false), &machine, &[0, 1], 5);
}

#[test]
fn matmul_streams_on_hexagons() {
    let space = spaces::matmul();
    let machine = Machine { links: Links { network: Network::Hex, ..Links::default() }, ..Machine::default() };
    compare(&space, &spaces::choices(&space, true), &machine, &[2], 3);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let space = spaces::matmul();
    let machine = Machine::default();
    let sizes: Bindings = space.parameters.iter().map(|parameter| (parameter.clone(), 4)).collect();
    let bounds = Bounds::for_dimension(3);
    let choices = spaces::choices(&space, false);
    let problem = Problem::new(&space, &choices, bounds, &machine, &sizes, Constraint::default()).expect("a problem");
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| search(&problem, false, &|_, _| {}).front.sorted(Objective::Systolic))
    };
    let one = run(1);
    assert!(!one.is_empty());
    assert_eq!(one, run(2));
    assert_eq!(one, run(7));
}
