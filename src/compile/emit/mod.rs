//! Emission: from a design to its per-PE program, for any place and for all sizes at once.
//!
//! In: a design whose obligations hold, and the links it was proved for. Out: a [`Program`](systole_program::array::Program).
//! `scan` turns the place into loops over the points of a PE; `known` decides at emission what holds for a whole class
//! of PEs; `classes` cuts the array into classes; `body` writes what one class does for one space, and `work` what it does
//! for all of them; `feeder` serves buses from memory, `branch` the heads of trees of streams. Between spaces values go through `passage`s. One space is the case without any. The text does not
//! depend on the sizes. Papers: Cyclotron section 6; Barnett and Lengauer's `first`, `last` and `increment`.
//!
//! Emission brings the place to Hermite form. Then the points of PE `p` are an affine function of `p` and loop indices;
//! where the form is not the identity, PEs off the lattice have no points. Every condition that depends on the PE alone
//! cuts the array into classes; what stays is an `if`. The weight-stationary matrix product has the paper's nine
//! classes.
//!
//! If on a PE all points of one space come before those of another, which polyhedra decide for each class, their loops
//! follow each other. Spaces that interleave share one loop over the clock, which asks at each step which of them has a
//! point. A handoff is a channel of its own; its offset is zero if a PE keeps the word for itself.
//!
//! A bus from memory carries one word at a time, so the points that read it run one after the other, along one index,
//! and their PEs lie on a line. Words along several indices, or a first PE that is not one form for all sizes, have no
//! feeder and are refused. A point that no first stream of a tree reaches asks for the next, face by face, and loads
//! only if none does. What stays on a PE between two points of a face has a register of its own.

mod body;

mod branch;

mod classes;

mod feeder;

mod givens;

mod grid;

mod decide;

mod moves;

mod names;

mod order;

mod over_tiles;

pub use over_tiles::over_tiles;

mod passage;

mod prefetch;

mod reduce;

mod scan;

mod program;

mod systolic;

mod systolic_body;

mod systolic_pipe;

mod take;

mod text;

mod timetable;

mod work;

pub use program::emit;

use crate::mapping::{Flow, FlowRole, MappedSpace};
use crate::rewrite::Transport;
use names::Names;
use systole_base::integer::{Vector, lexicographic_sign};
use systole_base::network::Links;
use systole_program::array::{Bus, Channel, Joins};

pub use systolic::{Phases, emit_scheme};

/// The channels of the flows that move, each of which moves so in the array.
fn channels(
    flows: &[Flow],
    names: &Names,
    links: &Links,
    moved: impl Fn(&Flow) -> Vector,
) -> Result<Vec<Channel>, String> {
    let (held, moving): (Vec<&Flow>, Vec<&Flow>) = flows.iter().partition(|flow| flow.is_stationary());
    if let Some(flow) = held.iter().find(|flow| lexicographic_sign(&flow.delay) <= 0) {
        return Err(format!("the register of `{}` would be read before it is written", flow.of));
    }
    moving.into_iter().map(|flow| channel(flow, names, links, moved(flow))).collect()
}

fn channel(flow: &Flow, names: &Names, links: &Links, offset: Vector) -> Result<Channel, String> {
    let latency = links.cycles(&offset);
    let latency = latency.ok_or_else(|| format!("the {} network has no link for `{}`", links.network, flow.of))?;
    let depth = flow.depth(links.response);
    let depth = depth.ok_or_else(|| format!("the FIFO of `{}` grows with the sizes", flow.of))?;
    Ok(Channel { name: names.channel(flow.role), offset, latency: latency.unsigned_abs(), depth })
}

fn buses(design: &MappedSpace, names: &Names) -> Vec<Bus> {
    let transports = design.dataflow.transports.iter().enumerate();
    let bus = |(operand, transport): (usize, &Transport)| match transport {
        Transport::Broadcast(along) => Some(Bus {
            name: names.channel(FlowRole::Operand(operand)),
            joins: Joins::Line(design.map.displacement(along)),
            latency: 0,
        }),
        Transport::Bus => feeder::declare(design, names.channel(FlowRole::Operand(operand))),
        _ => None,
    };
    transports.filter_map(bus).collect()
}
