//! Every design that the search calls legal runs, at sizes ragged and thin, exactly as it was promised to.

use super::common::{Bench, Kernel, kernel, machine};
use systole::extract::Found;
use systole::integer::Bindings;
use systole::mapping::Network;
use systole::mapping::candidates::Bounds;

/// Holds every `stride`-th legal design of a kernel to its promises at each of the sizes.
fn hold_all(kernel: &Kernel, network: Network, stride: usize, sizes: &[&[i64]]) -> usize {
    let machine = machine(network);
    let mut broken: Vec<String> = vec![];
    let mut held = 0;
    for values in sizes {
        let sizes = kernel.sizes(values);
        let designs = designs(kernel, network, &sizes);
        let bench = Bench::new(kernel, &machine, sizes);
        for found in designs.iter().step_by(stride) {
            held += 1;
            broken.extend(bench.hold(found).err());
        }
    }
    assert!(broken.is_empty(), "{} of {held} designs break a promise; the first:\n{}", broken.len(), broken[0]);
    held
}

fn designs(kernel: &Kernel, network: Network, sizes: &Bindings) -> Vec<Found> {
    let bounds = Bounds::for_dimension(kernel.space.dimension());
    kernel.survey(&machine(network), bounds, sizes).expect("a survey").all
}

#[test]
fn matvec() {
    let held = hold_all(&kernel("matvec.rec"), Network::Mesh, 1, &[&[3, 4], &[5, 2], &[1, 4], &[3, 1], &[1, 1]]);
    eprintln!("matvec {held}");
}

#[test]
fn fir() {
    let held = hold_all(&kernel("fir.rec"), Network::Mesh, 1, &[&[5, 3], &[2, 4], &[1, 3], &[4, 1], &[1, 1]]);
    eprintln!("fir {held}");
}

#[test]
fn polynomial_product() {
    let sizes: &[&[i64]] = &[&[3, 5], &[4, 2], &[1, 4], &[3, 1], &[1, 1]];
    let held = hold_all(&kernel("polynomial_product.rec"), Network::Mesh, 1, sizes);
    eprintln!("pp {held}");
}

#[test]
fn matmul() {
    let sizes: &[&[i64]] = &[&[3, 4, 2]];
    let held = hold_all(&kernel("matmul.rec"), Network::Mesh, 37, sizes);
    eprintln!("matmul {held}");
}
