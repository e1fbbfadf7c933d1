//! Designs over the spaces: what the literature names, and faulty twins.

use super::forms::form;
use systole_base::integer::{Matrix, Vector};
use systole_base::network::{Links, Network};
use systole_compile::mapping::{MappedSpace, SpaceTimeMap};
use systole_compile::rewrite::{Dataflow, Transport};
use systole_equations::recurrence::{Chain, Space};

/// Links of latency and response 1 on a mesh.
pub fn mesh() -> Links {
    Links::default()
}

/// Links of latency and response 1 on a hexagonal network.
pub fn hex() -> Links {
    Links { network: Network::Hex, ..Links::default() }
}

/// A direction such as `j` or `i - k`.
pub fn direction(space: &Space, text: &str) -> Vector {
    form(text).row(space.indices())
}

fn matrix(space: &Space, rows: &str) -> Matrix {
    let rows = rows.split(',').map(str::trim).filter(|row| !row.is_empty());
    Matrix::new(rows.map(|row| direction(space, row)).collect(), space.dimension())
}

fn transport(space: &Space, text: &str) -> Transport {
    match text.split_once(' ') {
        Some(("stream", along)) => Transport::Stream(direction(space, along)),
        Some(("broadcast", along)) => Transport::Broadcast(direction(space, along)),
        None if text == "prefetch" => Transport::Prefetch,
        None if text == "feed" => Transport::Feed,
        _ => panic!("no such transport: {text}"),
    }
}

/// A design from text: `place` and `time` as lists of forms, a transport for each operand, the reduction's directions.
pub fn design<'a>(space: &'a Space, place: &str, time: &str, transports: &[&str], chain: &[&str]) -> MappedSpace<'a> {
    MappedSpace {
        space,
        dataflow: Dataflow {
            transports: transports.iter().map(|text| transport(space, text)).collect(),
            chain: Chain::along(chain.iter().map(|text| direction(space, text)).collect()),
        },
        map: SpaceTimeMap { place: matrix(space, place), step: matrix(space, time) },
        boundary_io: false,
    }
}

/// Output-stationary matmul, both operands streamed.
pub fn cannon(space: &Space) -> MappedSpace<'_> {
    design(space, "i, j", "i + j + k", &["stream j", "stream i"], &["k"])
}

/// The hexagonal array of Kung and Leiserson.
pub fn kung_leiserson(space: &Space) -> MappedSpace<'_> {
    design(space, "i - k, j - k", "i + j + k", &["stream j", "stream i"], &["k"])
}

/// The design with `io boundary`.
pub fn at_boundary(mut design: MappedSpace<'_>) -> MappedSpace<'_> {
    design.boundary_io = true;
    design
}

/// Whether a bus would run along no axis of the array, which is refused.
pub fn has_slanted_bus(design: &MappedSpace<'_>) -> bool {
    let slanted = |transport: &Transport| match transport {
        Transport::Broadcast(along) => design.map.displacement(along).iter().filter(|entry| **entry != 0).count() > 1,
        _ => false,
    };
    design.dataflow.transports.iter().any(slanted)
}
