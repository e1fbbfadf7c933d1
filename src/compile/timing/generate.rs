//! All obligations of a design.
//!
//! In: a design with constant places and steps, and the links it is held against. Out: the obligations in the order of
//! their kinds. A design is right on those links, for all sizes, when every one is proved; each flow has channels of
//! its own, so words of two flows never share a link.

use super::check::{check_design, check_network};
use super::fifo::fifo_depth_obligation;
use super::frame::Frame;
use crate::mapping::{Feeder, Flow, FlowRole, MappedSpace};
use crate::rewrite::Transport;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics};
use systole_base::network::Links;
use systole_program::obligation::{Kind, Obligation};

/// States everything that must be proved of `design` on `links`.
///
/// Fails where there is nothing to prove: shapes that do not agree, a displacement the network has no link for, a FIFO
/// that would grow with the sizes.
pub fn space_obligations(design: &MappedSpace, links: &Links) -> Checked<Vec<Obligation>> {
    check_design(design, links)?;
    let flows = design.flows().ok_or_else(|| uneven_ends(design))?;
    check_network(design, &flows, links)?;
    let frame = Frame::new(design, links);
    let mut stated = Stated::default();
    flows.iter().for_each(|flow| stated.add(frame.causality(flow)));
    stated.add(Ok(frame.pe_conflict()));
    stated.extend(alignments(&frame, &flows));
    if design.boundary_io {
        stated.extend(frame.edge_injections(&flows));
    }
    stated.extend(link_conflicts(&frame, &flows));
    flows.iter().for_each(|flow| stated.add(frame.fifo_depth(flow)));
    stated.finish()
}

/// [`space_obligations`], with the claim that `depth` words are enough for each channel in place of the depth that is needed.
///
/// # Errors
/// As there, and where `depth` is beyond what is proved word by word.
pub fn space_obligations_within(design: &MappedSpace, links: &Links, depth: u64) -> Checked<Vec<Obligation>> {
    let mut stated = space_obligations(design, links)?;
    stated.retain(|obligation| obligation.kind != Kind::FifoDepth);
    let flows = design.flows().unwrap_or_default();
    let moving = flows.iter().filter(|flow| !flow.is_stationary());
    let claims = moving.map(|flow| fifo_depth_obligation(design, flow, depth, links.response));
    stated.extend(claims.collect::<Result<Vec<Obligation>, Diagnostic>>().map_err(|problem| vec![problem])?);
    Ok(stated)
}

fn alignments(frame: &Frame, flows: &[Flow]) -> Vec<Obligation> {
    let streams = flows.iter().filter_map(|flow| match flow.role {
        FlowRole::Operand(position) | FlowRole::Face(position, _) => Some(frame.alignment(flow, position)),
        FlowRole::Reduction(_) => None,
    });
    let buses = broadcasts(frame).map(|(position, direction)| frame.simultaneity(position, direction));
    let feeder = Feeder::of(frame.space(), &frame.design.map).filter(Feeder::has_listeners);
    let shared = feeder.iter().flat_map(|feeder| one_bus(frame).map(|position| frame.fed_in_time(position, feeder)));
    streams.chain(buses).chain(shared).collect()
}

fn link_conflicts(frame: &Frame, flows: &[Flow]) -> Vec<Obligation> {
    let moving = flows.iter().filter(|flow| !flow.is_stationary()).map(|flow| frame.link_conflict(flow));
    let buses = broadcasts(frame).map(|(position, direction)| frame.bus_conflict(position, direction));
    let shared = one_bus(frame).map(|position| frame.one_bus_conflict(position));
    moving.chain(buses).chain(shared).collect()
}

/// The operands that come over one bus from memory.
fn one_bus(frame: &Frame) -> impl Iterator<Item = usize> {
    let transports = frame.design.dataflow.transports.iter().enumerate();
    transports.filter(|(_, transport)| **transport == Transport::Bus).map(|(position, _)| position)
}

fn broadcasts<'a>(frame: &Frame<'a>) -> impl Iterator<Item = (usize, &'a [i64])> {
    frame.design.dataflow.transports.iter().enumerate().filter_map(|(position, transport)| match transport {
        Transport::Broadcast(direction) => Some((position, direction.as_slice())),
        _ => None,
    })
}

/// Obligations so far, and what stands against stating more.
#[derive(Default)]
struct Stated {
    obligations: Vec<Obligation>,
    problems: Diagnostics,
}

impl Stated {
    fn add(&mut self, stated: Result<Obligation, Diagnostic>) {
        match stated {
            Ok(obligation) => self.obligations.push(obligation),
            Err(problem) => self.problems.push(problem),
        }
    }

    fn extend(&mut self, obligations: Vec<Obligation>) {
        self.obligations.extend(obligations);
    }

    fn finish(self) -> Checked<Vec<Obligation>> {
        if self.problems.is_empty() { Ok(self.obligations) } else { Err(self.problems) }
    }
}

pub(super) fn uneven_ends(design: &MappedSpace) -> Diagnostic {
    let output = &design.space.output;
    Diagnostic::new(format!("the lines that `{output}` is reduced along do not end on one face"))
        .note("the next level of the reduction starts where these lines end")
        .help("reduce along another direction first")
}
