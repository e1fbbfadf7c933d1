//! Obligations between spaces: the solver's verdicts on designs and on twins that are off by one, all against brute force.

use crate::agreement::{agree, checked, refuted};
use crate::common::{Kernel, Line, kernel};
use crate::factorisations::CHOLESKY_GRID;
use crate::kernel_texts::{CHOLESKY, PREFIX_SUM, TRISOLVE};
use crate::solves::trisolve;
use systole_base::integer::Affine;
use systole_base::network::{Links, Network};
use systole_compile::mapping::{Design, Handoff};
use systole_compile::smt::{Discharged, Verdict, discharge_all};
use systole_compile::timing::{handoff_obligations, obligations};
use systole_program::obligation::Kind;

/// A start and the sums that follow it.
fn prefix_sum<'a>(start: &'a str, place: &'a str, step: &'a str) -> [Line<'a>; 2] {
    [("P", "0", start, &["feed"], &[]), ("P.2", place, step, &["handoff", "feed"], &[])]
}

pub fn slow(latency: i64) -> Links {
    Links { latency, ..Links::default() }
}

/// The kinds and tensors that are refuted, each with the counterexample that brute force finds first.
pub fn refutations(kernel: &Kernel, design: &Design, links: &Links) -> Vec<(Kind, String, String)> {
    let largest = if kernel.cut.spaces.len() > 2 { 3 } else { 4 };
    let stated = obligations(design, links).expect("the design can be stated");
    refuted(&checked(&stated, largest))
}

fn assert_proved(text: &str, lines: &[Line], links: &Links) {
    let kernel = kernel(text);
    assert_eq!(refutations(&kernel, &kernel.design(lines), links), [], "{lines:?}");
}

/// The design with one space so much later is refuted in these kinds and no others.
fn assert_refuted(text: &str, lines: &[Line], (space, by): (usize, i64), links: &Links, expected: &[Kind]) {
    let kernel = kernel(text);
    let mut design = kernel.design(lines);
    design.parts[space].shift(|start| start + Affine::constant(by));
    let found = refutations(&kernel, &design, links);
    let mut kinds: Vec<Kind> = found.iter().map(|(kind, _, _)| *kind).collect();
    kinds.sort();
    kinds.dedup();
    assert_eq!(kinds, expected, "{found:?}");
}

#[test]
fn triangular_solve() {
    let rows = trisolve(("i", "i+j"), ("i", "2*i"));
    assert_proved(TRISOLVE, &rows, &Links::default());
    // A division a step early runs with the last sum of its row, on one PE.
    assert_refuted(TRISOLVE, &rows, (1, -1), &Links::default(), &[Kind::PeConflict, Kind::Handoff]);
    assert_refuted(TRISOLVE, &rows, (1, 1), &Links::default(), &[Kind::Handoff]);
}

#[test]
fn a_slow_link_takes_a_slower_step() {
    let hasty = trisolve(("i", "i+j"), ("i", "2*i"));
    assert_proved(TRISOLVE, &trisolve(("i", "2*i+j"), ("i", "3*i")), &slow(2));
    assert_refuted(TRISOLVE, &hasty, (0, 0), &slow(2), &[Kind::Causality, Kind::Handoff]);
}

#[test]
fn two_spaces_take_turns_on_a_pe() {
    let turns = trisolve(("i-j", "i+j"), ("1", "2*i"));
    assert_proved(TRISOLVE, &turns, &Links::default());
    assert_refuted(TRISOLVE, &turns, (1, 1), &Links::default(), &[Kind::PeConflict, Kind::Handoff]);
}

#[test]
fn cholesky() {
    assert_proved(CHOLESKY, CHOLESKY_GRID, &Links::default());
    // The spaces in their order: L, the second sum, the other columns.
    for (space, by, kinds) in
        [(0, -1, vec![Kind::PeConflict, Kind::Handoff]), (0, 1, vec![Kind::Handoff]), (2, 1, vec![Kind::Handoff])]
    {
        assert_refuted(CHOLESKY, CHOLESKY_GRID, (space, by), &Links::default(), &kinds);
    }
}

#[test]
fn sums_of_prefixes() {
    for (place, links) in [("i", Links::default()), ("0", Links::default())] {
        assert_proved(PREFIX_SUM, &prefix_sum("0", place, "i"), &links);
    }
    assert_proved(PREFIX_SUM, &prefix_sum("0", "i", "2*i"), &slow(2));
    let chain = prefix_sum("0", "i", "i");
    assert_refuted(PREFIX_SUM, &chain, (1, -1), &Links::default(), &[Kind::Handoff]);
    let alone = prefix_sum("0", "0", "i");
    assert_refuted(PREFIX_SUM, &alone, (0, 1), &Links::default(), &[Kind::PeConflict, Kind::Handoff]);
    assert_refuted(PREFIX_SUM, &chain, (0, 0), &slow(2), &[Kind::Handoff]);
}

/// Two equations, the second of which takes what the first gives, in its order or against it.
pub fn two_steps(read: &str) -> Kernel {
    kernel(&format!("kernel two(N)\nin A[N]\nlocal Y[N]\nout Z[N]\nY[i] = A[i] + 1\nZ[i] = Y[{read}] * 2"))
}

pub fn the_handoff(design: &Design) -> Handoff {
    let handoffs = design.handoffs(Network::Mesh).expect("it has a way");
    assert_eq!(handoffs.len(), 1);
    handoffs[0].clone()
}

/// The verdicts on the claims about the one handoff, each equal to that of brute force.
fn claims(design: &Design, depth: usize) -> Vec<Discharged> {
    let stated = handoff_obligations(design, &Links::default(), &the_handoff(design), depth);
    let verdicts = discharge_all(&stated, crate::agreement::AMPLE);
    verdicts.iter().for_each(|verdict| agree(verdict, 4));
    verdicts
}

fn broken(verdicts: &[Discharged]) -> Vec<Kind> {
    let broken = verdicts.iter().filter(|verdict| verdict.verdict != Verdict::Proved);
    broken.map(|verdict| verdict.obligation.kind).collect()
}

/// `Z` runs `later` steps after `Y` on the one PE, each at every other step.
fn in_line<'a>(z: &'a str) -> [Line<'a>; 2] {
    [("Y", "0", "2*i", &["feed"], &[]), ("Z", "0", z, &["handoff"], &[])]
}

#[test]
fn a_channel_is_as_deep_as_the_delay_asks() {
    let kernel = two_steps("i");
    for (z, enough) in [("2*i+1", 1), ("2*i+3", 2), ("2*i+5", 3)] {
        let lines = in_line(z);
        let design = kernel.design(&lines);
        let depth = design.handoff_depth(&the_handoff(&design), &Links::default());
        assert_eq!(depth, Some(enough), "{z}");
        assert_eq!(broken(&claims(&design, enough as usize)), [], "{z}");
        assert_eq!(broken(&claims(&design, enough as usize - 1)), [Kind::FifoDepth], "{z}");
    }
}
