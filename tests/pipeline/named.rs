//! The arrays of the literature: cycles, PEs, programs and proofs, each with a twin that is refuted.

use super::common::{Bench, Kernel, kernel, machine, shown};
use std::time::Duration;
use systole::array;
use systole::array::{Class, Instruction};
use systole::extract::Found;
use systole::integer::Matrix;
use systole::machine::Machine;
use systole::mapping::{Fold, SpaceDesign, SpaceTimeMap};
use systole::network::{Links, Network};
use systole::obligation::Kind;
use systole::recurrence::Chain;
use systole::rewrite::{Dataflow, Transport};
use systole::smt::{Verdict, discharge_all};
use systole::timing::obligations;

const AMPLE: Duration = Duration::from_secs(60);

/// Runs the best design of a schedule of matmul at each of the sizes; `expected` gives cycles and PEs.
fn hold(schedule: &str, network: Network, all: &[[i64; 3]], expected: impl Fn(i64, i64, i64) -> (i64, i64)) {
    let (kernel, machine) = (kernel("matmul.rec"), machine(network));
    for [m, n, k] in all {
        let sizes = kernel.sizes(&[*m, *n, *k]);
        let found = kernel.scheduled(schedule, &machine, &sizes).remove(0);
        let (cycles, pes) = expected(*m, *n, *k);
        assert_eq!((found.cost.cycles as i64, found.cost.pes as i64), (cycles, pes), "{schedule} {m} {n} {k}");
        let held = Bench::new(&kernel, &machine, sizes).hold(&found);
        assert_eq!(held, Ok(()), "{schedule} {m} {n} {k}");
        assert_eq!(refutations(&kernel, &machine, &found), [], "{schedule} is proved");
    }
}

/// The obligations that are not proved, as text.
fn refutations(kernel: &Kernel, machine: &Machine, found: &Found) -> Vec<(Kind, String, String)> {
    let stated =
        obligations(&kernel.design(found), &machine.links).unwrap_or_else(|problems| panic!("{}", shown(&problems)));
    assert!(stated.len() > 3);
    let proofs = discharge_all(&stated, AMPLE);
    let open = proofs.iter().filter(|proof| proof.verdict != Verdict::Proved);
    open.map(|proof| match &proof.verdict {
        Verdict::Refuted(example) => (proof.obligation.kind, proof.obligation.of.to_string(), example.to_string()),
        other => panic!("{other:?}"),
    })
    .collect()
}

const RAGGED: [[i64; 3]; 5] = [[4, 4, 4], [8, 8, 8], [5, 9, 3], [1, 1, 1], [1, 7, 1]];

#[test]
fn cannon() {
    hold("cannon", Network::Mesh, &RAGGED, |m, n, k| (m + n + k - 2, m * n));
    hold("cannon", Network::Mesh, &[[32, 32, 32]], |_, _, _| (94, 1024));
}

#[test]
fn weight_stationary() {
    hold("weight-stationary", Network::Mesh, &RAGGED, |m, n, k| (m + n + k - 2, m * k));
}

#[test]
fn input_stationary() {
    hold("input-stationary", Network::Mesh, &RAGGED, |m, n, k| (m + n + k - 2, n * k));
}

#[test]
fn summa() {
    hold("summa", Network::Mesh, &RAGGED, |m, n, k| (k, m * n));
}

#[test]
fn pumma() {
    hold("pumma", Network::Mesh, &RAGGED, |m, n, k| (n + k - 1, m * n));
}

#[test]
fn kung_and_leiserson() {
    hold("kung-leiserson", Network::Hex, &[[4, 4, 4], [8, 8, 8]], |n, _, _| (3 * n - 2, 3 * n * n - 3 * n + 1));
}

/// What a PE at coordinates (i, k) of a 3 by 3 array does with each matrix, in the words of Cyclotron's Figure 14.
///
/// The figure's cell (i, 0) writes `C` to memory where its neighbours in the row pass it on; a slip, as no sum is complete there.
fn figure_14(i: usize, k: usize) -> [&'static str; 5] {
    [
        "A before the loop",
        if i == 0 { "load B" } else { "recv B" },
        if k == 0 { "start C" } else { "recv C" },
        if i == 2 { "keep B" } else { "send B" },
        if k == 2 { "store C" } else { "send C" },
    ]
}

#[test]
fn the_nine_programs_of_cyclotrons_figure_14() {
    let (kernel, machine) = (kernel("matmul.rec"), machine(Network::Mesh));
    let sizes = kernel.sizes(&[3, 3, 3]);
    let found = kernel.scheduled("weight-stationary", &machine, &sizes).remove(0);
    let program = Bench::new(&kernel, &machine, sizes.clone()).program(&found).unwrap();
    let code = array::compile(&program, &sizes).unwrap();
    let wide = program.classes.iter().filter(|class| !class.thin).count();
    assert_eq!((wide, code.pes.len()), (9, 9));
    let classes: std::collections::BTreeSet<usize> = code.pes.iter().map(|pe| pe.class).collect();
    assert_eq!(classes.len(), 9, "each of the nine PEs has a class of its own");
    for pe in &code.pes {
        let point = code.grid.point(pe.position);
        let class = &program.classes[pe.class];
        assert_eq!(deeds(class), figure_14(point[0] as usize, point[1] as usize), "{point:?}");
    }
}

/// What a class of the weight-stationary array does with each matrix.
fn deeds(class: &Class) -> [&'static str; 5] {
    let [outside @ .., Instruction::Loop { body, .. }] = &class.body[..] else { panic!("{class:?} ends in its loop") };
    let is = |test: &dyn Fn(&Instruction) -> bool| body.iter().any(test);
    let held = outside.iter().any(|i| matches!(i, Instruction::Local(register, ..) if **register == *"A"));
    let load = is(&|i| matches!(i, Instruction::Load(register, ..) if **register == *"B"));
    let receive = |name: &'static str| is(&|i| matches!(i, Instruction::Receive(register, _) if **register == *name));
    let send = |name: &'static str| is(&|i| matches!(i, Instruction::Send(_, register) if **register == *name));
    let store = is(&|i| matches!(i, Instruction::Store(array, ..) if **array == *"C"));
    assert!(load != receive("B") && store != send("C"));
    [
        if held { "A before the loop" } else { "A late" },
        if load { "load B" } else { "recv B" },
        if receive("C") { "recv C" } else { "start C" },
        if send("B") { "send B" } else { "keep B" },
        if store { "store C" } else { "send C" },
    ]
}

#[test]
fn the_text_of_a_program_is_the_same_for_all_sizes() {
    let kernel = kernel("matmul.rec");
    for (schedule, network) in
        [("cannon", Network::Mesh), ("weight-stationary", Network::Mesh), ("kung-leiserson", Network::Hex)]
    {
        let machine = machine(network);
        let text = |values: &[i64]| {
            let sizes = kernel.sizes(values);
            let found = kernel.scheduled(schedule, &machine, &sizes).remove(0);
            array::print(&Bench::new(&kernel, &machine, sizes).program(&found).unwrap())
        };
        assert_eq!(text(&[3, 4, 5]), text(&[2, 2, 2]), "{schedule}");
        assert_eq!(text(&[3, 4, 5]), text(&[200, 100, 300]), "{schedule}");
    }
}

/// Output-stationary matmul with `A` and `B` streaming, under this step.
fn twin(step: [i64; 3]) -> Found {
    let place = Matrix::new(vec![vec![1, 0, 0], vec![0, 1, 0]], 3);
    let map = SpaceTimeMap { place, step: Matrix::new(vec![step.to_vec()], 3) };
    let transports = vec![Transport::Stream(vec![0, 1, 0]), Transport::Stream(vec![1, 0, 0])];
    let chain = Chain::along(vec![vec![0, 0, 1]]);
    Found {
        cost: Default::default(),
        parts: vec![SpaceDesign::unshifted(map, Dataflow { transports, chain })],
        fold: Fold::default(),
    }
}

fn refuted(kind: Kind, of: &str, example: &str) -> (Kind, String, String) {
    (kind, of.to_owned(), example.to_owned())
}

#[test]
fn too_fast_by_one_step_is_refuted() {
    let expected = [refuted(Kind::Causality, "A", "M = 1, N = 2, K = 1: point (0, 1, 0)")];
    assert_eq!(refutations(&kernel("matmul.rec"), &machine(Network::Mesh), &twin([1, 0, 1])), expected);
    let schedule =
        kernel("matmul.rec").scheduled("too-fast", &machine(Network::Mesh), &kernel("matmul.rec").sizes(&[4, 4, 4]));
    assert_eq!(schedule, [], "nor does the search find it");
}

#[test]
fn links_of_latency_two_are_refuted() {
    let slow = Machine { links: Links { latency: 2, ..Links::default() }, ..Machine::default() };
    let expected = [
        refuted(Kind::Causality, "A", "M = 1, N = 2, K = 1: point (0, 1, 0)"),
        refuted(Kind::Causality, "B", "M = 2, N = 1, K = 1: point (1, 0, 0)"),
    ];
    assert_eq!(refutations(&kernel("matmul.rec"), &slow, &twin([1, 1, 1])), expected);
    assert_eq!(refutations(&kernel("matmul.rec"), &slow, &twin([2, 2, 1])), [], "twice the time is enough");
}

#[test]
fn two_operations_on_one_pe_are_refuted() {
    let found = refutations(&kernel("matmul.rec"), &machine(Network::Mesh), &twin([1, 1, 0]));
    let expected = [
        refuted(Kind::Causality, "C", "M = 1, N = 1, K = 2: point (0, 0, 1)"),
        refuted(Kind::PeConflict, "matmul", "M = 1, N = 1, K = 2: points (0, 0, 0) and (0, 0, 1)"),
    ];
    assert_eq!(found[..2], expected);
    assert!(found[2..].iter().all(|(kind, ..)| *kind == Kind::LinkConflict));
}
