//! The search over systems of several spaces.

use std::collections::BTreeMap;
use systole::cost::{Machine, Objective};
use systole::extract::{SystemConstraint, SystemFound, SystemProblem, search_system, verify_system};
use systole::integer::{Bindings, name};
use systole::mapping::candidates::Bounds;
use systole::recurrence::spaces::{SpaceSystem, cut_spaces};
use systole::recurrence::{Chain, load};
use systole::rewrite::{Choices, Transport, null_directions};
use systole::span::Source;

fn cut(text: &str) -> SpaceSystem {
    cut_spaces(&load(&Source::new("test.rec", text)).unwrap()).unwrap()
}

/// What the rules offer, derived by hand from the null directions.
fn choices(system: &SpaceSystem) -> Vec<Choices> {
    let of_space = |space: usize| {
        let points = &system.spaces[space];
        let transports = points.operands.iter().zip(&system.sources[space]).map(|(operand, sources)| {
            let nulls = null_directions(points, &operand.access);
            let mut offered: Vec<Transport> = nulls.iter().cloned().map(Transport::Stream).collect();
            match sources.is_empty() {
                false => offered.push(Transport::Handoff),
                true => {
                    let forwards = nulls.iter().filter(|d| d.iter().find(|e| **e != 0).is_some_and(|e| *e > 0));
                    offered.extend(forwards.cloned().map(Transport::Broadcast));
                    offered.extend([Transport::Prefetch, Transport::Feed]);
                }
            }
            offered.sort();
            offered
        });
        let written = Chain::as_written(points);
        let reversed =
            Chain { directions: written.directions.iter().map(|d| d.iter().map(|e| -e).collect()).collect() };
        let mut chains = vec![written, reversed];
        chains.dedup();
        Choices { transports: transports.collect(), chains }
    };
    (0..system.spaces.len()).map(of_space).collect()
}

fn best(text: &str, sizes: &[(&str, i64)], latency: i64) -> Vec<SystemFound> {
    let system = cut(text);
    let mut machine = Machine::default();
    machine.links.latency = latency;
    let sizes: Bindings = sizes.iter().map(|(size, value)| (name(size), *value)).collect();
    let dimension = system.spaces.iter().map(|space| space.dimension()).max().unwrap();
    let bounds = Bounds::for_dimension(dimension);
    let problem =
        SystemProblem::new(&system, &choices(&system), bounds, &machine, &sizes, SystemConstraint::none(&system))
            .unwrap();
    let start = std::time::Instant::now();
    let survey = search_system(&problem, &|_, _| ());
    let front = survey.sorted(Objective::Systolic);
    println!(
        "{} {} maps {} legal {} designs {} front, {:?}",
        system.kernel,
        survey.maps,
        survey.legal,
        survey.designs,
        front.len(),
        start.elapsed()
    );
    for found in front.iter().take(3) {
        println!("  {:?}", found.cost);
        for (space, part) in system.spaces.iter().zip(&found.parts) {
            println!(
                "    {} {:?}+{:?} t {:?}+{} {:?}",
                space.name,
                part.map.place,
                part.origin.iter().map(|f| f.to_string()).collect::<Vec<_>>(),
                part.map.step,
                part.start,
                part.dataflow
            );
        }
        verify_system(&problem, found).unwrap();
    }
    if front.is_empty() {
        println!("  {:?} {:?}", survey.stuck, survey.unreachable);
    }
    front
}

#[test]
fn dbg() {
    let mut n = BTreeMap::new();
    n.insert("N", 8);
    for (k, sizes) in [
        ("trisolve", vec![("N", 8)]),
        ("cholesky", vec![("N", 8)]),
        ("smith_waterman", vec![("M", 8), ("N", 6)]),
        ("prefix_sum", vec![("N", 8)]),
        ("lu", vec![("N", 6)]),
        ("triangular_inverse", vec![("N", 6)]),
        ("trsm", vec![("R", 3), ("N", 6)]),
        ("edit_distance", vec![("M", 8), ("N", 6)]),
        ("jacobi1d", vec![("T", 4), ("N", 6)]),
        ("jacobi2d", vec![("T", 4), ("N", 6)]),
        ("qr_givens", vec![("M", 6), ("N", 4)]),
        ("transitive_closure", vec![("N", 6)]),
        ("flash_attention", vec![("N", 4), ("M", 5), ("D", 3)]),
    ] {
        let Ok(text) = std::fs::read_to_string(format!("kernels/{k}.rec")) else { continue };
        if let Ok(only) = std::env::var("ONLY") {
            if only != k {
                continue;
            }
        }
        let caught = std::panic::catch_unwind(|| {
            best(&text, &sizes, 1);
        });
        if caught.is_err() {
            println!("{k} FAILED");
        }
    }
}
