//! Every design that the search calls legal runs, at sizes ragged and thin, exactly as it was promised to.

use super::common::{Bench, Kernel, kernel, machine};
use systole::mapping::Network;
use systole::mapping::candidates::Bounds;

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
        eprintln!("{} {values:?} {} {held}", kernel.space.kernel, designs.len());
    }
    assert!(broken.is_empty(), "{} of {held} designs break a promise; the first:\n{}", broken.len(), broken[0]);
    held
}

#[test]
fn matvec() {
    let held = hold_all(&kernel("matvec.rec"), &Sample::all(2), &[&[3, 4], &[5, 2], &[1, 4], &[3, 1], &[1, 1]]);
    eprintln!("matvec {held}");
}

#[test]
fn fir() {
    let held = hold_all(&kernel("fir.rec"), &Sample::all(2), &[&[5, 3], &[2, 4], &[1, 3], &[4, 1], &[1, 1]]);
    eprintln!("fir {held}");
}

#[test]
fn polynomial_product() {
    let sizes: &[&[i64]] = &[&[3, 5], &[4, 2], &[1, 4], &[3, 1], &[1, 1]];
    let held = hold_all(&kernel("polynomial_product.rec"), &Sample::all(2), sizes);
    eprintln!("pp {held}");
}

#[test]
fn matmul() {
    let sizes: &[&[i64]] = &[&[3, 4, 2], &[2, 3, 4], &[1, 3, 2], &[3, 1, 2], &[2, 3, 1], &[1, 1, 1]];
    let held = hold_all(&kernel("matmul.rec"), &Sample { stride: 97, ..Sample::all(3) }, sizes);
    eprintln!("matmul {held}");
}

#[test]
fn mttkrp() {
    let sizes: &[&[i64]] = &[&[2, 3, 2, 3], &[2, 2, 3, 1]];
    let bounds = Bounds { ranks: vec![2], steps: (0, 1), ..Bounds::for_dimension(4) };
    let held = hold_all(&kernel("mttkrp.rec"), &Sample { bounds, stride: 499, ..Sample::all(4) }, sizes);
    eprintln!("mttkrp {held}");
}

#[test]
fn ttm() {
    let sizes: &[&[i64]] = &[&[2, 3, 2, 3], &[2, 2, 3, 1]];
    let bounds = Bounds { ranks: vec![2], steps: (0, 1), ..Bounds::for_dimension(4) };
    let held = hold_all(&kernel("ttm.rec"), &Sample { bounds, stride: 499, ..Sample::all(4) }, sizes);
    eprintln!("ttm {held}");
}
