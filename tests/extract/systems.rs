//! The search over systems of several spaces, against brute force over every map and form, and where spaces would meet.
//!
//! The search also tries the shortest steps of each dataflow, which may lie outside the box of steps that it looks through:
//! its front may have more than brute force over the box, and never has less.

use crate::every_system::Every;
use crate::kernel_texts::{PREFIX_SUM, SMITH_WATERMAN, TRISOLVE};
use std::collections::BTreeSet;
use systole_base::integer::{Affine, Bindings, name};
use systole_base::machine::Machine;
use systole_base::network::Network;
use systole_base::span::Source;
use systole_compile::cost::{Cost, Objective};
use systole_compile::extract::{Constraint, Found, solve};
use systole_compile::mapping::candidates::Bounds;
use systole_compile::mapping::{Design, SpaceDesign};
use systole_compile::rewrite::{Choices, Limits, load_rules, saturate};
use systole_compile::smt::{Verdict, discharge_all};
use systole_compile::timing::obligations;
use systole_equations::recurrence::spaces::{SpaceSystem, cut_spaces};
use systole_equations::recurrence::{Schedule, load};

/// A kernel with what the rules offer for its spaces.
pub struct Kernel {
    pub system: SpaceSystem,
    pub choices: Vec<Choices>,
    pub schedules: Vec<Schedule>,
}

pub fn kernel(text: &str) -> Kernel {
    let equations = load(&Source::new("test.rec", text)).unwrap();
    let system = cut_spaces(&equations).unwrap();
    // Brute force knows links, and what a PE keeps.
    let rules = load_rules(None).unwrap().without("choose-memory");
    let choices = saturate(&system, &rules, &Limits::default()).unwrap().choices().unwrap();
    Kernel { system, choices, schedules: equations.schedules }
}

pub fn machine(latency: i64) -> Machine {
    let mut machine = Machine::default();
    machine.links.latency = latency;
    machine
}

pub fn sizes(text: &[(&str, i64)]) -> Bindings {
    text.iter().map(|(size, value)| (name(size), *value)).collect()
}

impl Kernel {
    pub fn dimension(&self) -> usize {
        self.system.spaces.iter().map(|space| space.dimension()).max().unwrap()
    }

    fn front(&self, machine: &Machine, sizes: &Bindings, bounds: Bounds) -> Vec<Found> {
        let none = Constraint::none(&self.system);
        let problem = solve::Task::new(&self.system, &self.choices, bounds, machine, sizes, none).unwrap();
        let front = solve::search(&problem, false, &|_, _| true).sorted(Objective::Systolic);
        front.iter().for_each(|found| solve::verify(&problem, found).unwrap());
        front
    }
}

/// Whether a step has an entry outside the box, or begins elsewhere than at 0.
fn is_outside(found: &Found, (low, high): (i64, i64)) -> bool {
    let beyond = |entry: &i64| *entry < low || *entry > high;
    let leaves =
        |part: &SpaceDesign| part.map.step.rows().iter().flatten().any(beyond) || part.start() != Affine::default();
    found.parts.iter().any(leaves)
}

/// The costs of the front are those of brute force. Designs with steps outside the box, which brute force does not see, may
/// stand beside them, `beside` in number, and beat some.
fn compare(text: &str, at: &[(&str, i64)], latency: i64, beside: usize) {
    let rank = kernel(text).dimension() - 1;
    compare_on((machine(latency), rank), text, at, beside);
}

/// The same for a machine and a rank; how many designs are on the front.
fn compare_on((machine, rank): (Machine, usize), text: &str, at: &[(&str, i64)], beside: usize) -> usize {
    let (kernel, sizes, latency) = (kernel(text), sizes(at), machine.links.latency);
    let bounds = Bounds { ranks: vec![rank], ..Bounds::for_dimension(kernel.dimension()) };
    let steps = (bounds.steps.0, bounds.steps.1 + latency - 1);
    let front = kernel.front(&machine, &sizes, bounds);
    let (outside, inside): (Vec<&Found>, Vec<&Found>) = front.iter().partition(|found| is_outside(found, steps));
    let costs = |designs: &[&Found]| designs.iter().map(|found| found.cost).collect::<BTreeSet<Cost>>();
    let (mine, outside) = (costs(&inside), costs(&outside));
    let every =
        Every { system: &kernel.system, choices: &kernel.choices, machine: &machine, sizes: &sizes, rank, steps };
    let mut right = every.front();
    right.retain(|cost| !outside.iter().any(|other| other != cost && other.is_within(cost)));
    assert_eq!(mine, right);
    assert_eq!(outside.difference(&right).count(), beside, "{outside:?}");
    front.len()
}

fn machine_of(network: Network) -> Machine {
    let mut machine = machine(1);
    machine.links.network = network;
    machine
}

const CONV1D: &str = include_str!("../../kernels/conv1d.rec");

#[test]
fn the_front_of_the_triangular_solve_is_that_of_brute_force() {
    // Where its two spaces take turns one has steps of 3.
    compare(TRISOLVE, &[("N", 8)], 1, 1);
    compare(TRISOLVE, &[("N", 8)], 2, 2);
}

#[test]
fn the_front_of_local_alignment_is_that_of_brute_force() {
    compare(SMITH_WATERMAN, &[("M", 8), ("N", 6)], 1, 0);
    compare(SMITH_WATERMAN, &[("M", 8), ("N", 6)], 2, 0);
}

#[test]
fn the_front_of_prefix_sums_is_that_of_brute_force() {
    compare(PREFIX_SUM, &[("N", 8)], 1, 0);
    compare(PREFIX_SUM, &[("N", 8)], 2, 0);
}

#[test]
fn the_front_of_a_convolution_is_that_of_brute_force() {
    compare(CONV1D, &[("N", 8), ("K", 5)], 1, 0);
    // Where a hop takes two steps, streams ask for steps that are longer than the box has.
    compare(CONV1D, &[("N", 8), ("K", 5)], 2, 2);
}

/// A value moves along a diagonal in one hop on a king, and on a hexagonal array that has this one; a mesh takes two.
#[test]
fn the_front_on_arrays_with_diagonals_is_that_of_brute_force() {
    for network in [Network::King, Network::Hex, Network::Mesh, Network::Wire] {
        compare_on((machine_of(network), 2), SMITH_WATERMAN, &[("M", 4), ("N", 3)], 0);
    }
}

/// What both sides give moves along both diagonals, whatever the place; on a hexagonal array there is no such design.
#[test]
fn values_from_both_sides_need_both_diagonals() {
    let text = "kernel fan(T, N)\nin A[N]\nout U[T, N]\nU[0, i] = A[i]
U[t, 0] = 1   where 1 <= t\nU[t, i] = 2   where 1 <= t, 1 <= i, i == N - 1
U[t, i] = U[t - 1, i - 1] + U[t - 1, i + 1]   where 1 <= t, 1 <= i <= N - 2";
    let at = [("T", 3), ("N", 4)];
    assert!(compare_on((machine_of(Network::King), 2), text, &at, 0) > 0);
    assert_eq!(compare_on((machine_of(Network::Hex), 2), text, &at, 0), 0);
}

/// `a` is the same along the diagonal that the sums do not take, so on a hexagonal array of this place it does not stream.
#[test]
fn inputs_do_with_the_diagonal_that_is_left() {
    let text = "kernel slant(N)\nin a[2*N + 1]\nout Y[N + 1, N + 1]\nY[0, j] = 1\nY[i, 0] = 2   where 1 <= i
Y[i, j] = Y[i - 1, j - 1] + a[i + j]   where 1 <= i, 1 <= j";
    let kinds = [Network::King, Network::Hex].map(|network| compare_on((machine_of(network), 2), text, &[("N", 3)], 0));
    assert!(kinds.iter().all(|designs| *designs > 0), "{kinds:?}");
}

/// Whether a design is found, and the best is proved.
fn best_is_proved(text: &str, at: &[(&str, i64)]) {
    let (kernel, machine) = (kernel(text), machine(1));
    let bounds = Bounds { ranks: vec![kernel.dimension() - 1], bound: 1, steps: (0, 1) };
    let front = kernel.front(&machine, &sizes(at), bounds);
    let best = front.first().expect("a design");
    let design = Design::new(&kernel.system, best.parts.clone());
    let proofs = discharge_all(&obligations(&design, &machine.links).unwrap(), std::time::Duration::from_secs(60));
    let refuted: Vec<_> = proofs.iter().filter(|proof| proof.verdict != Verdict::Proved).collect();
    assert!(refuted.is_empty(), "{refuted:?}");
}

/// Linear steps begin with both spaces at one time on PE 0.
#[test]
fn spaces_that_would_meet_take_turns() {
    best_is_proved("kernel two(N)\nin A[N], B[N]\nout X[N], Y[N]\nX[i] = A[i] + 1\nY[i] = B[i] + 2", &[("N", 4)]);
}

/// At M = 4 and N = 3 there are designs in which no points meet, though at M = 5 and N = 5 two do.
#[test]
fn what_meets_at_other_sizes_only_is_no_design() {
    let text = "kernel apart(M, N)\nin A[M], B[M, N], C[M, M], D[M]\nout X[M, N], Y[M]
X[i, j] = max(k in 0..M) (A[k] + B[k, j])\nY[i] = D[i] + sum(k in 0..i) C[i, k] * Y[k]";
    best_is_proved(text, &[("M", 4), ("N", 3)]);
}
