//! The counts of `tests/oracles/matmul_mappings.csv` and `mapping_counts.csv`: designs with fixed dependence directions
//! (reuse forwards), every place with entries -1 to 1, every step with entries -1 to 2, N = 4.

use super::spaces;
use std::collections::BTreeSet;
use systole_base::integer::{Bindings, Matrix, name};
use systole_base::machine::Machine;
use systole_base::network::{Links, Network};
use systole_base::span::Span;
use systole_compile::extract::enumerate::{Task, search};
use systole_compile::extract::{Constraint, Found};
use systole_compile::mapping::candidates::Bounds;
use systole_compile::rewrite::{Choices, Transport};
use systole_equations::recurrence::Space;

fn sizes(space: &Space, n: i64) -> Bindings {
    space.parameters.iter().map(|parameter| (parameter.clone(), n)).collect()
}

fn on(network: Network) -> Machine {
    Machine { links: Links { network, ..Links::default() }, ..Machine::default() }
}

fn all(space: &Space, choices: &Choices, network: Network, rank: usize, step: Option<Matrix>) -> Vec<Found> {
    let bounds = Bounds { ranks: vec![rank], bound: 1, steps: (-1, 2) };
    let step = step.map(|step| (step, Span { start: 0, end: 0 }));
    let constraint = Constraint { steps: vec![step], ..Constraint::default() };
    let machine = on(network);
    let problem =
        Task::new(space, choices.clone(), bounds, &machine, &sizes(space, 4), constraint).expect("a good problem");
    search(&problem, true, &|_, _| true).all
}

/// Streams along positive directions only.
fn forwards(space: &Space) -> Choices {
    let mut choices = spaces::streams(space);
    let positive = |d: &Vec<i64>| d.iter().all(|entry| *entry >= 0);
    for offered in &mut choices.transports {
        offered.retain(|transport| matches!(transport, Transport::Stream(d) if positive(d)));
    }
    choices.chains.retain(|chain| chain.directions.iter().all(positive));
    choices
}

#[test]
fn matmul_with_the_plain_step_has_the_published_classes() {
    let space = spaces::space("matmul");
    let step = Matrix::new(vec![vec![1, 1, 1]], 3);
    let table = include_str!("../oracles/matmul_mappings.csv");
    let columns = [(Network::King, 6), (Network::Mesh, 7), (Network::Wire, 8), (Network::Hex, 9)];
    for (network, column) in columns {
        let published: Vec<Vec<&str>> = table
            .lines()
            .skip(1)
            .map(|line| line.split(',').collect::<Vec<_>>())
            .filter(|r| r[column] == "1")
            .collect();
        let mut expected: Vec<(u64, u64)> =
            published.iter().map(|row| (row[10].parse().unwrap(), row[11].parse().unwrap())).collect();
        let found = all(&space, &spaces::streams(&space), network, 2, Some(step.clone()));
        let mut counted: Vec<(u64, u64)> = found.iter().map(|design| (design.cost.pes, design.cost.cycles)).collect();
        expected.sort_unstable();
        counted.sort_unstable();
        assert_eq!(counted, expected, "PEs and cycles on {network}");
        let places: BTreeSet<&Matrix> = found.iter().map(|design| &design.parts[0].map.place).collect();
        assert_eq!(places.len(), expected.len(), "one design a class on {network}");
    }
}

#[test]
fn matmul_with_all_steps_has_the_published_counts() {
    let space = spaces::space("matmul");
    let counts = include_str!("../oracles/mapping_counts.csv");
    for line in counts.lines().filter(|line| line.starts_with("matmul")) {
        let row: Vec<&str> = line.split(',').collect();
        let network = Network::from_keyword(row[1]).expect("a network");
        let found = all(&space, &forwards(&space), network, 2, None);
        let unimodular =
            |design: &&Found| design.parts[0].map.place.above(&design.parts[0].map.step).determinant().abs() == 1;
        let least = |design: &&Found| design.parts[0].map.step.rows()[0] == [1, 1, 1];
        let kept: Vec<&Found> = match row[2] {
            "all" => found.iter().collect(),
            "min_step" => found.iter().filter(least).collect(),
            "unimodular" => found.iter().filter(unimodular).collect(),
            _ => found.iter().filter(unimodular).filter(least).collect(),
        };
        let steps: BTreeSet<&Matrix> = kept.iter().map(|design| &design.parts[0].map.step).collect();
        if row[2] == "all" {
            assert_eq!(steps.len().to_string(), row[3], "steps of {line}");
        }
        assert_eq!(kept.len().to_string(), row[5], "classes of {line}");
        assert_eq!((8 * kept.len()).to_string(), row[4], "raw count of {line}");
    }
}

#[test]
fn polynomial_product_has_the_published_counts() {
    let space = spaces::space("polynomial_product");
    for (sign, label) in [(1, "polyprod_c+"), (-1, "polyprod_c-")] {
        let mut choices = forwards(&space);
        choices.chains = spaces::streams(&space).chains;
        choices.chains.retain(|chain| chain.directions[0] == [sign, -sign]);
        let counts = include_str!("../oracles/mapping_counts.csv");
        for line in counts.lines().filter(|line| line.starts_with(label) && line.contains(",all,")) {
            let row: Vec<&str> = line.split(',').collect();
            let network = Network::from_keyword(row[1]).expect("a network");
            let found = all(&space, &choices, network, 1, None);
            assert_eq!(found.len().to_string(), row[5], "{line}");
        }
    }
}

#[test]
fn fir_has_eighteen_designs_and_kungs_names() {
    let space = spaces::space("fir");
    let found = all(&space, &spaces::streams(&space), Network::Line, 1, None);
    assert_eq!(found.len(), 18);
    let moved = |design: &Found, operand: usize| match &design.parts[0].dataflow.transports[operand] {
        Transport::Stream(along) => design.parts[0].map.displacement(along)[0],
        other => panic!("streams only, found {other:?}"),
    };
    let result = |design: &Found| design.parts[0].map.displacement(&design.parts[0].dataflow.chain.directions[0])[0];
    let stays = |of: &dyn Fn(&Found) -> i64| found.iter().filter(|design| of(design) == 0).cloned().collect::<Vec<_>>();
    let (weights, results, inputs) = (stays(&|d| moved(d, 0)), stays(&result), stays(&|d| moved(d, 1)));
    assert_eq!((weights.len(), results.len(), inputs.len()), (6, 6, 6));
    let opposite = |designs: &[Found], a: &dyn Fn(&Found) -> i64, b: &dyn Fn(&Found) -> i64| {
        designs.iter().filter(|design| a(design) * b(design) < 0).count()
    };
    assert_eq!(opposite(&weights, &|d| moved(d, 1), &result), 1, "W1 once, so W2 five times");
    assert_eq!(opposite(&results, &|d| moved(d, 0), &|d| moved(d, 1)), 1, "R1 once, so R2 five times");
}

#[test]
fn a_step_that_leaves_no_time_has_no_design() {
    let space = spaces::space("matmul");
    let step = Matrix::new(vec![vec![1, 0, 1]], 3);
    assert!(all(&space, &spaces::streams(&space), Network::King, 2, Some(step)).is_empty());
    assert!(sizes(&space, 4).contains_key(&name("M")));
}
