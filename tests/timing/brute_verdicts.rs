//! One accepted design and one refused twin for each kind of obligation, decided by brute force alone.

use crate::hand_built::brute_force::smallest_violation;
use crate::hand_built::designs::{at_boundary, cannon, design, hex, kung_leiserson, mesh};
use crate::hand_built::spaces::{fir, matmul, polynomial};
use systole_base::network::Links;
use systole_compile::mapping::MappedSpace;
use systole_compile::timing::{fifo_depth_obligation, space_obligations};
use systole_program::obligation::{Kind, Obligation};

/// Whether any obligation of this kind is violated at sizes up to 3.
fn violated(design: &MappedSpace, links: &Links, kind: Kind) -> bool {
    let stated = space_obligations(design, links).unwrap();
    let mut chosen = stated.iter().filter(|obligation| obligation.kind == kind).peekable();
    assert!(chosen.peek().is_some(), "nothing of kind {kind} is stated");
    chosen.any(|obligation| smallest_violation(obligation, 3).is_some())
}

fn sound(design: &MappedSpace, links: &Links, kind: Kind) -> bool {
    !violated(design, links, kind)
}

#[test]
fn causality() {
    let space = polynomial();
    let steep = design(&space, "i", "2*i + j", &["stream j", "stream i"], &["i - j"]);
    let flat = design(&space, "i", "i + j", &["stream j", "stream i"], &["i - j"]);
    assert!(sound(&steep, &mesh(), Kind::Causality));
    assert!(violated(&flat, &mesh(), Kind::Causality));
}

#[test]
fn causality_counts_every_link() {
    let space = matmul();
    assert!(sound(&kung_leiserson(&space), &hex(), Kind::Causality));
    assert!(violated(&kung_leiserson(&space), &mesh(), Kind::Causality));
    assert!(violated(&kung_leiserson(&space), &Links { latency: 2, ..hex() }, Kind::Causality));
}

#[test]
fn pe_conflict() {
    let space = fir();
    let apart = design(&space, "k", "2*i + k", &["prefetch", "feed"], &["k"]);
    let together = design(&space, "i + k", "i + k", &["feed", "feed"], &["k"]);
    assert!(sound(&apart, &mesh(), Kind::PeConflict));
    assert!(violated(&together, &mesh(), Kind::PeConflict));
}

#[test]
fn a_conflict_far_from_the_origin_needs_sizes_to_match() {
    let space = fir();
    let sparse = design(&space, "i + 2*k", "i + 2*k", &["feed", "feed"], &["k"]);
    assert!(violated(&sparse, &mesh(), Kind::PeConflict));
    let sparser = design(&space, "i + 3*k", "i + 3*k", &["feed", "feed"], &["k"]);
    assert!(sound(&sparser, &mesh(), Kind::PeConflict), "the first conflict needs N = 4");
}

#[test]
fn alignment() {
    let space = matmul();
    let level = design(&space, "i, j", "k", &["broadcast j", "broadcast i"], &["k"]);
    let skewed = design(&space, "i, j", "j + k", &["broadcast j", "broadcast i"], &["k"]);
    assert!(sound(&level, &mesh(), Kind::Alignment));
    assert!(violated(&skewed, &mesh(), Kind::Alignment));
}

#[test]
fn edge_injection() {
    let space = matmul();
    let enters = |design: MappedSpace, links: &Links, of: &str| {
        let stated = space_obligations(&at_boundary(design), links).unwrap();
        let claim = |one: &&Obligation| one.kind == Kind::EdgeInjection && *one.of == *of;
        smallest_violation(stated.iter().find(claim).unwrap(), 3).is_none()
    };
    assert!(enters(cannon(&space), &mesh(), "A"));
    assert!(!enters(kung_leiserson(&space), &hex(), "A"));
    assert!(!enters(design(&space, "i, j", "i + j + k", &["feed", "stream i"], &["k"]), &mesh(), "A"));
}

#[test]
fn link_conflict() {
    let space = fir();
    let long = |time: &str| design(&space, "i + 2*k", time, &["feed", "feed"], &["k"]);
    assert!(sound(&long("2*i + 6*k"), &mesh(), Kind::LinkConflict));
    assert!(violated(&long("i + 4*k"), &mesh(), Kind::LinkConflict));
}

#[test]
fn fifo_depth() {
    let space = matmul();
    let design = cannon(&space);
    for flow in design.flows().unwrap().iter().filter(|flow| !flow.is_stationary()) {
        let claim = |depth| fifo_depth_obligation(&design, flow, depth, 1).unwrap();
        assert_eq!(smallest_violation(&claim(2), 3), None);
        assert!(smallest_violation(&claim(1), 3).is_some());
    }
}

#[test]
fn one_register_for_a_value_that_stays() {
    let space = fir();
    let next = design(&space, "", "i, k", &["feed", "feed"], &["k"]);
    let interleaved = design(&space, "", "k, i", &["feed", "feed"], &["k"]);
    assert!(sound(&next, &mesh(), Kind::FifoDepth));
    assert!(violated(&interleaved, &mesh(), Kind::FifoDepth));
}
