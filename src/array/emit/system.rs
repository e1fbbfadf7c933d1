//! Emission of designs of several spaces.
//!
//! In: a [`SystemDesign`] whose obligations hold, and the links it was proved for. Out: one [`Program`]. Each space has a
//! scan and a body of its own; handoffs are channels between them. Paper: Cyclotron section 6 with the interface maps of
//! section 4.4.

use super::body::Body;
use super::classes::classes;
use super::givens::store_known;
use super::grid::Side;
use super::names::{Names, fresh};
use super::passage::Passage;
use super::scan::Scan;
use super::timetable::first_time;
use super::work::{Work, since};
use super::{buses, channels};
use crate::array::{ArrayDecl, Bus, Channel, IndexExpr, Program};
use crate::diagnostic::{Checked, Diagnostic};
use crate::integer::{Affine, Name, Polyhedron};
use crate::mapping::{Design, Flow, Links, SystemDesign};
use crate::recurrence::spaces::SpaceSystem;
use crate::recurrence::{Role, Space};
use crate::rewrite::Transport;
use std::collections::BTreeSet;

/// Writes the program of a design of several spaces.
///
/// # Errors
/// Vector time, two points of a space at one time on one PE, values that no constant link carries, FIFOs that grow with
/// the sizes, buses and memories of values that are computed.
pub fn emit_system(design: &SystemDesign, links: &Links) -> Checked<Program> {
    let alone: Vec<Design> = (0..design.parts.len()).map(|space| design.alone(space)).collect();
    let mut naming = Naming::new(design.system, design.rank());
    let names: Vec<Names> = alone.iter().map(|part| naming.name_space(part)).collect();
    let parts: Vec<Whole> =
        (0..alone.len()).map(|space| Whole::new(design, &alone, &names, space)).collect::<Checked<_>>()?;
    let passages = design.handoffs(links.network)?.into_iter();
    let passages =
        passages.map(|handoff| Passage::new(design, handoff, &mut naming.taken)).collect::<Checked<Vec<_>>>()?;
    let known = fresh(&mut naming.taken, "known");
    let work = gather(design, &parts, &passages, &naming, store_known(design.system, &known));
    Ok(Program {
        kernel: design.system.kernel.clone(),
        parameters: design.system.parameters.clone(),
        arrays: arrays(design.system),
        grid: work.sides.iter().map(Side::coordinate).collect(),
        channels: all_channels(design, &parts, &passages, links)?,
        buses: parts.iter().flat_map(Whole::buses).collect(),
        classes: classes(&work),
    })
}

/// The names that all spaces share.
struct Naming {
    taken: BTreeSet<Name>,
    coordinates: Vec<Name>,
    clock: Name,
}

impl Naming {
    fn new(system: &SpaceSystem, rank: usize) -> Naming {
        let indices = system.spaces.iter().flat_map(|space| space.indices());
        let known = system.known.iter().flat_map(|known| &known.domain.indices);
        let mut taken: BTreeSet<Name> = indices.chain(known).chain(&system.parameters).cloned().collect();
        let coordinates = (0..rank).map(|axis| fresh(&mut taken, &format!("p{axis}"))).collect();
        let clock = fresh(&mut taken, "t");
        Naming { taken, coordinates, clock }
    }

    fn name_space(&mut self, part: &Design) -> Names {
        Names::among(&mut self.taken, self.coordinates.clone(), part)
    }
}

/// One space with all that is found of it alone.
struct Whole<'a> {
    design: &'a Design<'a>,
    names: &'a Names,
    scan: Scan,
    flows: Vec<Flow>,
    /// The place over the indices and the parameters.
    place: Vec<Affine>,
    /// The step over the same.
    time: Affine,
}

impl<'a> Whole<'a> {
    fn new(design: &SystemDesign, alone: &'a [Design], names: &'a [Names], space: usize) -> Checked<Whole<'a>> {
        let (alone, names, part) = (&alone[space], &names[space], &design.parts[space]);
        let refuse = |what: &str| {
            Diagnostic::new(format!("no program can be written for `{}`: {what}", alone.space.name)).label(
                &alone.space.source,
                alone.space.span,
                "this equation",
            )
        };
        let point = design.point(space);
        let [time] = &design.time(space, &point)[..] else {
            return refuse("several spaces need plain time, one step a space").alone();
        };
        for (operand, transport) in part.dataflow.transports.iter().enumerate() {
            let computed = !design.system.sources[space][operand].is_empty();
            if computed && transport.streams().is_empty() && *transport != Transport::Handoff {
                let tensor = &alone.space.operands[operand].tensor;
                return refuse(&format!("`{tensor}` is computed, so it is streamed or handed over")).alone();
            }
        }
        let Some(flows) = alone.flows() else {
            return refuse("its reduction runs over several indices of a domain that is no box").alone();
        };
        let Some(scan) = Scan::new(alone.space, &alone.map, &part.origin, names) else {
            return refuse("two points of a PE share a time").alone();
        };
        Ok(Whole { design: alone, names, scan, flows, place: design.place(space, &point), time: time.clone() })
    }

    fn space(&self) -> &'a Space {
        self.design.space
    }

    fn buses(&self) -> Vec<Bus> {
        buses(self.design, self.names)
    }

    fn body(&self, space: usize, system: &SpaceSystem, passages: &'a [Passage], start: &IndexExpr) -> Body<'_> {
        let given = |passage: &&Passage| passage.is_sent() && passage.handoff.given().is_some_and(|(s, _)| s == space);
        let output = &self.space().output;
        Body {
            design: self.design,
            names: self.names,
            scan: self.scan.clone(),
            flows: &self.flows,
            taken: passages.iter().filter(|passage| passage.handoff.reader == space).collect(),
            given: passages.iter().filter(given).collect(),
            at: since(self.scan.expression(&self.scan.image(&self.time)), start),
            is_output: system.tensors.iter().any(|tensor| tensor.name == *output && tensor.role == Role::Output),
            is_undivided: true,
        }
    }
}

/// All bodies, with the grid and the order of time between them.
fn gather<'a>(
    design: &SystemDesign,
    parts: &'a [Whole<'a>],
    passages: &'a [Passage],
    naming: &Naming,
    once: Vec<crate::array::Instruction>,
) -> Work<'a> {
    let start = first_time(&parts.iter().map(|part| (part.space(), part.time.clone())).collect::<Vec<_>>());
    let side = |(axis, coordinate): (usize, &Name)| {
        Side::new(coordinate, parts.iter().map(|part| (part.space(), part.place[axis].clone())))
    };
    let bodies = parts.iter().enumerate().map(|(space, part)| part.body(space, design.system, passages, &start));
    let mut work = Work {
        bodies: bodies.collect(),
        times: parts.iter().map(|part| part.scan.image(&part.time)).collect(),
        clock: naming.clock.clone(),
        pes: Polyhedron::sizes(&design.system.parameters),
        sides: naming.coordinates.iter().enumerate().map(side).collect(),
        start,
        once,
    };
    work.pes = work.inside();
    work
}

fn arrays(system: &SpaceSystem) -> Vec<ArrayDecl> {
    let handled = system.tensors.iter().filter(|tensor| tensor.role != Role::Local);
    let declare = |tensor: &crate::recurrence::Tensor| ArrayDecl {
        name: tensor.name.clone(),
        role: tensor.role,
        shape: tensor.shape.iter().map(IndexExpr::affine).collect(),
    };
    handled.map(declare).collect()
}

/// The channels of the streams and reductions of each space, then those of the handoffs.
fn all_channels(design: &SystemDesign, parts: &[Whole], passages: &[Passage], links: &Links) -> Checked<Vec<Channel>> {
    let mut all = vec![];
    for part in parts {
        match channels(&part.flows, part.names, links) {
            Ok(channels) => all.extend(channels),
            Err(what) => {
                return Diagnostic::new(format!("no program can be written for `{}`: {what}", part.space().name))
                    .label(&part.space().source, part.space().span, "this equation")
                    .alone();
            }
        }
    }
    for passage in passages {
        all.extend(passage.declare(design, links)?);
    }
    Ok(all)
}
