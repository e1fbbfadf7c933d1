//! Emission: from a design to its per-PE program, for any place and for all sizes at once.
//!
//! In: a design whose obligations hold, and the links it was proved for. Out: a [`Program`].
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

mod known;

mod moves;

mod names;

mod order;

mod over_tiles;

pub use over_tiles::over_tiles;

mod passage;

mod prefetch;

mod reduce;

mod scan;

mod system;

mod systolic;

mod systolic_body;

mod systolic_pipe;

mod take;

mod text;

mod timetable;

mod work;

pub use system::emit_system;

use crate::mapping::{Axis, Design, Flow, FlowRole};
use crate::rewrite::Transport;
use body::Body;
use classes::classes;
use grid::Side;
use names::Names;
use scan::Scan;
use std::collections::BTreeMap;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Name, Vector, lexicographic_sign};
use systole_base::network::Links;
use systole_equations::recurrence::{Role, Space};
use systole_program::array::{ArrayDecl, Bus, Channel, IndexExpr, Program};
use timetable::timetable;
use work::Work;

pub use systolic::{Phases, emit_scheme};

/// Writes the program of a design.
///
/// # Errors
/// Designs outside what one program can express: a bus from memory (see [`emit_system`]), two points of a PE at one time, a network without the links, a FIFO that
/// grows with the sizes, vector time on a domain that is not a box.
pub fn emit(design: &Design, links: &Links) -> Checked<Program> {
    let space = design.space;
    let refuse = |what: &str| {
        Diagnostic::new(format!("no program can be written for this design of `{}`: {what}", space.kernel))
            .label(&space.source, space.span, "this equation")
            .help("`systole prove` says which obligation fails")
    };
    if design.dataflow.transports.contains(&Transport::Bus) {
        return refuse("a bus from memory is fed in designs of several spaces").alone();
    }
    let flows =
        design.flows().ok_or_else(|| refuse("its reduction runs over several indices of a domain that is no box"))?;
    let names = Names::new(space, design);
    let origin = vec![Affine::default(); design.map.rank()];
    let scan =
        Scan::new(space, &design.map, &origin, &names).ok_or_else(|| refuse("two points of a PE share a time"))?;
    let at = timetable(space, &design.map, &scan).ok_or_else(|| refuse("its vector time has no closed clock"))?;
    let channels = channels(&flows, &names, links, |flow| flow.displacement.clone()).map_err(|what| refuse(&what))?;
    let work = work(design, &names, scan, &flows, at);
    Ok(Program {
        kernel: space.kernel.clone(),
        parameters: space.parameters.clone(),
        tiles: vec![],
        leaves: vec![],
        arrays: arrays(space),
        grid: work.sides.iter().map(Side::coordinate).collect(),
        network: links.network.measure(),
        fold: None,
        order: None,
        channels,
        buses: buses(design, &names),
        classes: classes(&work),
    })
}

/// One space is the whole work.
fn work<'a>(design: &'a Design, names: &'a Names, scan: Scan, flows: &'a [Flow], at: IndexExpr) -> Work<'a> {
    let space = design.space;
    let side = |(name, row): (&Name, &Vec<i64>)| {
        Side::new(name, Axis::default(), std::iter::once((space, Affine::from_row(space.indices(), row))))
    };
    let sides = names.coordinates.iter().zip(design.map.place.rows()).map(side).collect();
    let pes = scan.pes.clone();
    let (is_output, is_undivided) = (true, true);
    let outbound = BTreeMap::new();
    let feeds = None;
    let body =
        Body { design, names, feeds, outbound, scan, flows, taken: vec![], given: vec![], at, is_output, is_undivided };
    Work {
        bodies: vec![body],
        times: vec![],
        clock: space.name.clone(),
        start: IndexExpr::Constant(0),
        pes,
        sides,
        once: vec![],
    }
}

fn arrays(space: &Space) -> Vec<ArrayDecl> {
    let declare = |(name, shape): &(_, Vec<_>)| ArrayDecl {
        name: std::sync::Arc::clone(name),
        role: if *name == space.output { Role::Output } else { Role::Input },
        shape: shape.iter().map(IndexExpr::affine).collect(),
        assumption: space.assumed.iter().find(|(assumed, _)| assumed == name).map(|(_, assumption)| *assumption),
        layout: None,
        axes: vec![],
    };
    space.shapes.iter().map(declare).collect()
}

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

fn buses(design: &Design, names: &Names) -> Vec<Bus> {
    let transports = design.dataflow.transports.iter().enumerate();
    let bus = |(operand, transport): (usize, &Transport)| match transport {
        Transport::Broadcast(along) => Some(Bus {
            name: names.channel(FlowRole::Operand(operand)),
            direction: design.map.displacement(along),
            latency: 0,
        }),
        Transport::Bus => feeder::declare(design, names.channel(FlowRole::Operand(operand))),
        _ => None,
    };
    transports.filter_map(bus).collect()
}
