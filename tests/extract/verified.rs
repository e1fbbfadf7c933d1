//! The checker of designs of several spaces: a design that is right, and twins that are off by one and must be refused.

use crate::by_hand::{Kernel, Line, kernel};
use crate::kernel_texts::TRISOLVE;
use std::collections::BTreeSet;
use systole_base::integer::{Affine, Vector, dot, name};
use systole_base::machine::Machine;
use systole_base::network::Network;
use systole_compile::cost::Cost;
use systole_compile::extract::{Constraint, Found, solve};
use systole_compile::mapping::candidates::Bounds;
use systole_compile::mapping::{Design, Fold};
use systole_compile::rewrite::{Limits, load_rules, saturate};
use systole_equations::recurrence::spaces::SpaceSystem;

const SUMS: Line = ("X.sum", "i", "i+j", &["feed", "stream i"], &["j"]);

const DIVISIONS: Line = ("X", "i", "2*i", &["feed", "handoff", "feed"], &[]);

const SIZE: i64 = 6;

fn machine(network: Network, latency: i64) -> Machine {
    let mut machine = Machine::default();
    (machine.links.network, machine.links.latency) = (network, latency);
    machine
}

/// The slots of all points, counted by the test.
fn counted(system: &SpaceSystem, design: &Design, kernel: &Kernel) -> Cost {
    let sizes = kernel.sizes(&[SIZE]);
    let mut slots = BTreeSet::new();
    for (space, part) in system.spaces.iter().zip(&design.parts) {
        for point in space.domain.set.points(space.indices(), &sizes).unwrap() {
            let shift = part.origin.iter().map(|form| form.evaluate(&sizes).unwrap());
            let pe: Vector = part.map.place.apply(&point).iter().zip(shift).map(|(at, by)| at + by).collect();
            slots.insert((dot(&part.map.step.rows()[0], &point) + part.start().evaluate(&sizes).unwrap(), pe));
        }
    }
    let times: BTreeSet<i64> = slots.iter().map(|(time, _)| *time).collect();
    let pes: BTreeSet<&Vector> = slots.iter().map(|(_, pe)| pe).collect();
    let cycles = times.last().unwrap() - times.first().unwrap() + 1;
    Cost { cycles: cycles.unsigned_abs(), pes: pes.len() as u64, ..Cost::default() }
}

/// What the checker says of a design of `system`, with the cycles and PEs that it has.
fn verdict_on(kernel: &Kernel, system: &SpaceSystem, lines: &[Line], machine: &Machine) -> Result<(), String> {
    let choices = saturate(&kernel.cut, &load_rules(None).unwrap(), &Limits::default()).unwrap().choices();
    let (design, none) = (kernel.design(lines), Constraint::none(system));
    let bounds = Bounds::for_dimension(2);
    let sizes = kernel.sizes(&[SIZE]);
    let problem = solve::Task::new(system, &choices.unwrap(), bounds, machine, &sizes, none).unwrap();
    solve::verify(
        &problem,
        &Found { cost: counted(system, &design, kernel), parts: design.parts, fold: Fold::default() },
    )
}

fn verdict(lines: &[Line], latency: i64) -> Result<(), String> {
    let solve = kernel(TRISOLVE);
    verdict_on(&solve, &solve.cut, lines, &machine(Network::Mesh, latency))
}

fn refused(lines: &[Line], latency: i64, why: &str) {
    let message = verdict(lines, latency).expect_err("it is refused");
    assert!(message.contains(why), "{message}");
}

#[test]
fn a_right_design_is_confirmed() {
    assert_eq!(verdict(&[SUMS, DIVISIONS], 1), Ok(()));
}

#[test]
fn a_step_too_early_is_late() {
    let early = ("X", "i", "2*i+1", DIVISIONS.3, DIVISIONS.4);
    refused(&[SUMS, early], 1, "`X.sum` reads `X` before it is there");
    let slow = [("X.sum", "i", "2*i+j", SUMS.3, SUMS.4), ("X", "i", "3*i", DIVISIONS.3, DIVISIONS.4)];
    assert_eq!(verdict(&slow, 2), Ok(()));
    refused(&slow, 3, "`X.sum` reads `X` before it is there");
}

/// One hop from neighbour to neighbour, two between rows that lie two PEs apart: every hop takes its time.
#[test]
fn every_hop_takes_its_time() {
    let apart =
        |sums, divisions| [("X.sum", "2*i", sums, SUMS.3, SUMS.4), ("X", "2*i", divisions, DIVISIONS.3, DIVISIONS.4)];
    assert_eq!(verdict(&apart("2*i+j", "3*i"), 1), Ok(()));
    refused(&apart("i+j", "2*i"), 1, "`X.sum` reads `X` before it is there");
}

#[test]
fn a_sum_that_is_handed_over_from_its_first_point_is_refused() {
    let backwards = ("X.sum", "i", "i+j", SUMS.3, &["-j"][..]);
    refused(&[backwards, DIVISIONS], 1, "the reduction of `X.sum` does not end at its last point in time");
}

#[test]
fn two_points_on_one_pe_in_one_step_are_refused() {
    let crowded = ("X", "i", "2*i-1", DIVISIONS.3, DIVISIONS.4);
    refused(&[SUMS, crowded], 1, "two points share a PE and a time");
}

#[test]
fn an_element_that_nothing_computes_is_reported() {
    let (solve, mesh) = (kernel(TRISOLVE), machine(Network::Mesh, 1));
    let mut without = solve.cut.clone();
    let divisions = without.spaces.iter_mut().find(|space| *space.name == *"X").unwrap();
    divisions.domain.set.add(Affine::variable(&name("i")) - Affine::constant(1));
    let message = verdict_on(&solve, &without, &[SUMS, DIVISIONS], &mesh).expect_err("X[0] is missing");
    assert!(message.contains("`X.sum` reads `X` where nothing computes it, at [0]"), "{message}");
    // Closed forms are no operations: nobody computes `P[0]`, and all is well.
    let known = kernel("kernel sums(N)\nin A[N]\nout P[N]\nP[0] = 3\nP[i] = P[i - 1] + A[i]   where 1 <= i");
    let lines: &[Line] = &[("P", "i", "i", &["handoff", "feed"], &[])];
    assert_eq!(verdict_on(&known, &known.cut, lines, &mesh), Ok(()));
}

#[test]
fn streams_along_both_diagonals_need_a_king() {
    let text = "kernel product(N)\nin A[N, N], B[N, N]\nout C[N, N], D[N]
C[i, j] = sum(k in 0..N) A[i, k] * B[k, j]\nD[i] = C[i, i]";
    let product = kernel(text);
    let on = |network| {
        let lines: &[Line] = &[
            ("C.sum", "i+j, i-j", "i+j+k", &["stream j", "stream i"], &["k"]),
            ("D", "2*i, 0", "2*i+N", &["handoff"], &[]),
        ];
        verdict_on(&product, &product.cut, lines, &machine(network, 1))
    };
    assert_eq!(on(Network::King), Ok(()));
    assert_eq!(on(Network::Hex), Err("the network has no such links together".to_owned()));
}

/// The two streams of one tree move along different diagonals.
#[test]
fn a_tree_along_both_diagonals_needs_a_king() {
    let text = "kernel soft(N)\nin u[N], A[N, N, N]\nlocal s[N, N]\nout z[N, N]
s[i, j] = sum(k in 0..N) u[k] * A[i, j, k]\nz[i, j] = exp(s[i, j])";
    let soft = kernel(text);
    let on = |place, network| {
        let lines: &[Line] =
            &[("s.sum", place, "i+j+k", &["stream i, j", "feed"], &["k"]), ("z", place, "N+i+j", &["handoff"], &[])];
        verdict_on(&soft, &soft.cut, lines, &machine(network, 1))
    };
    assert_eq!(on("i+j, i-j", Network::King), Ok(()));
    assert_eq!(on("i+j, i", Network::Hex), Ok(()));
    assert_eq!(on("i+j, i-j", Network::Hex), Err("the network has no such links together".to_owned()));
}
