//! Emission: from a design to its per-PE program, for any place and for all sizes at once.
//!
//! In: a design whose obligations hold, and the links it was proved for. Out: a [`Program`].
//! `scan` turns the place into loops over the points of a PE; `known` decides at emission what holds for a whole class
//! of PEs; `classes` cuts the array into classes; `body` writes what one class does. The text does not depend on the
//! sizes. Papers: Cyclotron section 6; Barnett and Lengauer's `first`, `last` and `increment`.

mod body;

mod classes;

mod known;

mod moves;

mod names;

mod scan;

mod systolic;

mod systolic_body;

mod systolic_pipe;

mod text;

mod timetable;

use super::{ArrayDecl, Bus, Channel, IndexExpr, Program};
use crate::diagnostic::{Checked, Diagnostic};
use crate::mapping::{Design, Flow, FlowRole, Links};
use crate::recurrence::{Role, Space};
use crate::rewrite::Transport;
use body::Body;
use classes::classes;
use names::Names;
use scan::Scan;
use timetable::timetable;

pub use systolic::{Phases, emit_scheme};

/// Writes the program of a design.
///
/// # Errors
/// Designs outside what one program can express: two points of a PE at one time, a network without the links, a FIFO that
/// grows with the sizes, vector time on a domain that is not a box.
pub fn emit(design: &Design, links: &Links) -> Checked<Program> {
    let space = design.space;
    let refuse = |what: &str| {
        Diagnostic::new(format!("no program can be written for this design of `{}`: {what}", space.kernel))
            .label(&space.source, space.span, "this equation")
            .help("`systole prove` says which obligation fails")
    };
    let flows =
        design.flows().ok_or_else(|| refuse("its reduction runs over several indices of a domain that is no box"))?;
    let names = Names::new(space, design);
    let scan = Scan::new(space, &design.map, &names).ok_or_else(|| refuse("two points of a PE share a time"))?;
    let at = timetable(space, &design.map, &scan).ok_or_else(|| refuse("its vector time has no closed clock"))?;
    let channels = channels(&flows, &names, links).map_err(|what| refuse(&what))?;
    let body = Body { design, names: &names, scan: &scan, flows: &flows, at: &at };
    Ok(Program {
        kernel: space.kernel.clone(),
        parameters: space.parameters.clone(),
        arrays: arrays(space),
        grid: scan.grid(space),
        channels,
        buses: buses(design, &names),
        classes: classes(&body),
    })
}

fn arrays(space: &Space) -> Vec<ArrayDecl> {
    let declare = |(name, shape): &(_, Vec<_>)| ArrayDecl {
        name: std::sync::Arc::clone(name),
        role: if *name == space.output { Role::Output } else { Role::Input },
        shape: shape.iter().map(IndexExpr::affine).collect(),
    };
    space.shapes.iter().map(declare).collect()
}

fn channels(flows: &[Flow], names: &Names, links: &Links) -> Result<Vec<Channel>, String> {
    let moving = flows.iter().filter(|flow| !flow.is_stationary());
    moving.map(|flow| channel(flow, names, links)).collect()
}

fn channel(flow: &Flow, names: &Names, links: &Links) -> Result<Channel, String> {
    let hops = links.network.hops(&flow.displacement);
    let hops = hops.ok_or_else(|| format!("the {} network has no link for `{}`", links.network, flow.of))?;
    let depth = flow.depth(links.response);
    let depth = depth.ok_or_else(|| format!("the FIFO of `{}` grows with the sizes", flow.of))?;
    let latency = (hops * links.latency).unsigned_abs();
    Ok(Channel { name: names.channel(flow.role), offset: flow.displacement.clone(), latency, depth })
}

fn buses(design: &Design, names: &Names) -> Vec<Bus> {
    let transports = design.dataflow.transports.iter().enumerate();
    let bus = |(operand, transport): (usize, &Transport)| match transport {
        Transport::Broadcast(along) => Some(Bus {
            name: names.channel(FlowRole::Operand(operand)),
            direction: design.map.displacement(along),
            latency: 0,
        }),
        _ => None,
    };
    transports.filter_map(bus).collect()
}
