//! Every design that the search calls legal runs, at sizes ragged and thin, exactly as it was promised to.

use super::common::fixed;
use super::common::{Bench, Kernel, kernel, load, machine};
use std::time::Duration;
use systole::cost::Cost;
use systole::extract::Found;
use systole::extract::enumerate::verify;
use systole::integer::Matrix;
use systole::mapping::candidates::Bounds;
use systole::mapping::{Fold, SpaceDesign, SpaceTimeMap};
use systole::network::Network;
use systole::obligation::Kind;
use systole::recurrence::Chain;
use systole::rewrite::{Dataflow, Transport};
use systole::smt::{Discharged, Verdict, discharge_all};
use systole::timing::obligations;

/// Which designs of a kernel are run.
struct Sample {
    network: Network,
    bounds: Bounds,
    /// One design in so many.
    stride: usize,
}

impl Sample {
    fn all(dimension: usize) -> Sample {
        Sample { network: Network::Mesh, bounds: Bounds::for_dimension(dimension), stride: 1 }
    }
}

/// Holds the legal designs of a kernel to their promises at each of the sizes; gives how many there were.
fn hold_all(kernel: &Kernel, sample: &Sample, sizes: &[&[i64]]) -> usize {
    let machine = machine(sample.network);
    let mut broken: Vec<String> = vec![];
    let mut held = 0;
    for values in sizes {
        let sizes = kernel.sizes(values);
        let designs = kernel.survey(&machine, sample.bounds.clone(), &sizes).expect("a survey").all;
        let bench = Bench::new(kernel, &machine, sizes);
        for found in designs.iter().step_by(sample.stride) {
            held += 1;
            broken.extend(bench.hold(found).err());
        }
    }
    assert!(broken.is_empty(), "{} of {held} designs break a promise; the first:\n{}", broken.len(), broken[0]);
    held
}

#[test]
fn matvec() {
    let held = hold_all(&kernel("matvec.rec"), &Sample::all(2), &[&[3, 4], &[5, 2], &[1, 4], &[3, 1], &[1, 1]]);
    assert!(held >= 2_000, "{held}");
}

#[test]
fn fir() {
    let held = hold_all(&kernel("fir.rec"), &Sample::all(2), &[&[5, 3], &[2, 4], &[1, 3], &[4, 1], &[1, 1]]);
    assert!(held >= 2_500, "{held}");
}

#[test]
fn polynomial_product() {
    let sizes: &[&[i64]] = &[&[3, 5], &[4, 2], &[1, 4], &[3, 1], &[1, 1]];
    let held = hold_all(&kernel("polynomial_product.rec"), &Sample::all(2), sizes);
    assert!(held >= 2_000, "{held}");
}

#[test]
fn matmul() {
    let sizes: &[&[i64]] = &[&[3, 4, 2], &[2, 3, 4], &[1, 3, 2], &[3, 1, 2], &[2, 3, 1], &[1, 1, 1]];
    let held = hold_all(&kernel("matmul.rec"), &Sample { stride: 97, ..Sample::all(3) }, sizes);
    assert!(held >= 2_000, "{held}");
}

/// Rank 2 with steps of 0 and 1: all designs of four indices are millions.
fn four_indices(stride: usize) -> Sample {
    Sample { bounds: Bounds { ranks: vec![2], steps: (0, 1), ..Bounds::for_dimension(4) }, stride, ..Sample::all(4) }
}

#[test]
fn mttkrp() {
    let held = hold_all(&kernel("mttkrp.rec"), &four_indices(499), &[&[2, 3, 2, 3], &[2, 2, 3, 1]]);
    assert!(held >= 150, "{held}");
}

#[test]
fn ttm() {
    let held = hold_all(&kernel("ttm.rec"), &four_indices(199), &[&[2, 3, 2, 3], &[2, 2, 3, 1]]);
    assert!(held >= 100, "{held}");
}

/// A design written out, with nothing streamed but the result.
fn written(place: &[&[i64]], step: &[&[i64]], transports: Vec<Transport>, chain: &[&[i64]]) -> Found {
    let owned = |rows: &[&[i64]]| rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>();
    let map =
        SpaceTimeMap { place: Matrix::new(owned(place), step[0].len()), step: Matrix::new(owned(step), step[0].len()) };
    Found {
        cost: Cost::default(),
        parts: vec![SpaceDesign::unshifted(map, Dataflow { transports, chain: Chain::along(owned(chain)) })],
        fold: Fold::default(),
    }
}

/// Holds a written design to the costs that the checker counts point by point.
fn hold_written(kernel: &Kernel, sizes: &[i64], found: &Found) {
    let machine = machine(Network::Mesh);
    let sizes = kernel.sizes(sizes);
    let cost = verify(&kernel.space, &machine, &sizes, found).expect("a legal design");
    assert_eq!(Bench::new(kernel, &machine, sizes).hold(&Found { cost, ..found.clone() }), Ok(()));
}

/// Rows of vector time were one step shorter than their pace allows, so that a word met a full channel at the turn of a row.
#[test]
fn a_pe_keeps_its_pace_at_the_turn_of_a_row() {
    let transports = vec![Transport::Prefetch, Transport::Feed];
    let found = written(&[&[0, 0, 1]], &[&[0, 1, 0], &[-2, 0, 1]], transports, &[&[0, 0, 1]]);
    hold_written(&kernel("matmul.rec"), &[3, 4, 2], &found);
}

/// The clock began at the corner that comes first in long rows; in a row of one point another corner may.
#[test]
fn the_clock_begins_where_the_sizes_say() {
    let transports = vec![Transport::Prefetch, Transport::Feed];
    let found = written(&[&[1, 0, 1]], &[&[-1, 0, 0], &[2, -1, 2]], transports, &[&[0, 0, 1]]);
    hold_written(&kernel("matmul.rec"), &[3, 1, 2], &found);
}

/// A channel that is used once a row needs more slots where a row is one point long.
#[test]
fn channels_are_deep_enough_for_the_shortest_rows() {
    let found = written(
        &[&[1, 0, 0, 0], &[0, 0, 1, 0]],
        &[&[0, 1, 0, 0], &[1, 0, 1, 1]],
        vec![Transport::Feed, Transport::Feed, Transport::Feed],
        &[&[0, 0, 0, 1], &[0, 0, 1, 0]],
    );
    hold_written(&kernel("mttkrp.rec"), &[2, 3, 2, 1], &found);
}

/// What is the same at all points of a PE was prefetched by PEs between others that have no points at all.
#[test]
fn pes_without_points_fetch_nothing() {
    let text = "kernel gaps(M, N)\nin A[2*M + N], D[M, M + N]\nout C[M]\nC[i] = sum(j in i..i + N) A[i + j] * D[i, j]";
    let kernel = load(text).expect("a kernel");
    let found = written(&[&[1, 1]], &[&[-1, 1]], vec![Transport::Prefetch, Transport::Prefetch], &[&[0, 1]]);
    for sizes in [[3, 1], [3, 4], [1, 1]] {
        hold_written(&kernel, &sizes, &found);
    }
}

/// Sums that jump over a PE met the sums of that PE on the link behind it, which only the solver saw.
#[test]
fn words_that_meet_on_their_way_are_not_legal() {
    let kernel = kernel("polynomial_product.rec");
    let found = written(&[&[1, -1]], &[&[2, -1]], vec![Transport::Feed, Transport::Feed], &[&[1, -1]]);
    let constraint = fixed(&found.parts[0].map);
    assert_eq!(kernel.constrained(&machine(Network::Mesh), &kernel.sizes(&[4, 4]), constraint), []);
    let stated = obligations(&kernel.design(&found), &machine(Network::Mesh).links).expect("obligations");
    let refuted = |proof: &Discharged| proof.verdict != Verdict::Proved;
    let proofs = discharge_all(&stated, Duration::from_secs(60));
    let kinds: Vec<Kind> = proofs.iter().filter(|proof| refuted(proof)).map(|proof| proof.obligation.kind).collect();
    assert_eq!(kinds, [Kind::LinkConflict]);
}
