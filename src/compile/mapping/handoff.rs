//! Handoffs: values that pass from a point of one space to a point of another, or of the same.
//!
//! In: a design of several spaces. Out: for each operand that reads a computed tensor the sets of points that take its value
//! from outside their stream, each with the giver: the point that computes it, or a point that has it already because a
//! stream of the same tensor passes there. A handoff moves by a constant number of PEs, or it is none. Paper: Cyclotron's
//! interface maps, section 4.4 and Figure 6.

use super::driver::{Listeners, Undriven};
use super::takers::{HandoffKey, Position, TakerSets, is_empty};
use super::{Design, constant_on};
use crate::rewrite::Transport;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Name, Polyhedron, Vector};
use systole_base::network::Network;
use systole_equations::recurrence::spaces::{Division, Origin, Source, last_point, solve};
use systole_equations::recurrence::{Scalar, Space};

/// How often a set is divided before the search for givers gives up.
const MOST_DIVISIONS: usize = 8;

/// One set of points that take an operand from the same giver.
#[derive(Clone, Debug, PartialEq)]
pub struct Handoff {
    /// The reading space.
    pub reader: usize,
    /// The operand of the reading space.
    pub operand: usize,
    /// The points that read, over the reader's indices and the parameters.
    pub set: Polyhedron,
    /// Who gives.
    pub giver: Giver,
    /// The quotients of the reader's indices that the giving point is a form of.
    pub quotients: Vec<Division>,
}

/// Where a handed value comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Giver {
    /// A point of a space.
    Point {
        /// The giving space.
        space: usize,
        /// What it gives: its result, or the operand at this position.
        field: Field,
        /// The giving point, over the reader's indices and quotients and the parameters.
        at: Vec<Affine>,
        /// What brings it from the giver to the reader.
        carrier: Carrier,
    },
    /// Nobody: the value is known.
    Known(Scalar),
}

/// What brings a value from the point that gives it to one that reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// Over links, from the giver's PE to one that lies so far away; through a channel of its own where that is the same PE.
    Links(Vector),
    /// Both are on one PE, which keeps it in its own memory.
    Kept,
    /// Through the memory that all PEs share.
    Memory,
}

/// What a point can give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// What it computes.
    Result,
    /// An operand that it has.
    Operand(usize),
}

impl Handoff {
    /// What brings the value from giver to reader; nothing where it is known.
    pub fn carrier(&self) -> Option<&Carrier> {
        match &self.giver {
            Giver::Point { carrier, .. } => Some(carrier),
            Giver::Known(_) => None,
        }
    }

    /// The points that read, with what holds of the quotients there.
    pub fn divided_set(&self) -> Polyhedron {
        Division::of_all(&self.quotients, &self.set)
    }

    /// By how many PEs the value moves over links; nothing where it does not.
    pub fn displacement(&self) -> Option<&Vector> {
        match self.carrier()? {
            Carrier::Links(displacement) => Some(displacement),
            Carrier::Kept | Carrier::Memory => None,
        }
    }

    /// Whether the value stays on its PE.
    pub fn stays(&self) -> bool {
        match self.carrier() {
            Some(Carrier::Links(displacement)) => displacement.iter().all(|entry| *entry == 0),
            Some(Carrier::Kept) => true,
            Some(Carrier::Memory) | None => false,
        }
    }

    /// Whether giver and reader are one point that passes on what it has read, which takes no time. The result of a point is not there
    /// when it reads.
    pub fn is_within_point(&self, space: &Space) -> bool {
        let indices = space.indices();
        let point: Vec<Affine> = indices.iter().map(Affine::variable).collect();
        matches!(&self.giver, Giver::Point { space, at, field: Field::Operand(_), .. }
            if *space == self.reader && at.iter().zip(&point).all(|(a, b)| is_equal_on(&self.set, indices, a, b)))
    }
}

impl Design<'_> {
    /// All handoffs, in the order of the spaces and their operands.
    ///
    /// # Errors
    /// An operand that no point can give to all its readers over links of constant length.
    pub fn handoffs(&self, network: Network) -> Checked<Vec<Handoff>> {
        self.handoffs_among(network, &TakerSets::default())
    }

    /// [`Design::handoffs`], where the sets of takers are known for some transports.
    ///
    /// # Errors
    /// As there.
    pub fn handoffs_among(&self, network: Network, known: &TakerSets) -> Checked<Vec<Handoff>> {
        let mut handoffs = vec![];
        for (reader, sources) in self.system.sources.iter().enumerate() {
            for (operand, sources) in sources.iter().enumerate() {
                let transport = &self.parts[reader].dataflow.transports[operand];
                let taker = Taker { design: self, network, reader, operand };
                for (position, source) in sources.iter().enumerate() {
                    let at = (reader, operand, position);
                    let find = || {
                        let mut found = vec![];
                        let sets = known.of(self.system, at, transport);
                        sets.iter().try_for_each(|set| taker.find(set, source, MOST_DIVISIONS, &mut found))?;
                        Ok(found)
                    };
                    handoffs.extend(known.handoffs(taker.key(at, source), find)?);
                }
            }
        }
        match self.round(&handoffs) {
            None => Ok(handoffs),
            Some(handoff) => Err(vec![self.no_origin(handoff)]),
        }
    }

    /// A handoff within a point whose giver waits, within the point too, for its reader.
    fn round<'b>(&self, handoffs: &'b [Handoff]) -> Option<&'b Handoff> {
        let within = |handoff: &&Handoff| handoff.is_within_point(&self.system.spaces[handoff.reader]);
        let next = |(space, operand): (usize, usize)| {
            handoffs.iter().filter(within).filter(move |handoff| (handoff.reader, handoff.operand) == (space, operand))
        };
        handoffs.iter().filter(within).find(|start| {
            let (mut seen, mut open) = (vec![], vec![(start.reader, start.operand)]);
            while let Some(at) = open.pop() {
                for handoff in next(at) {
                    let Some((space, Field::Operand(operand))) = handoff.given() else { continue };
                    if (space, operand) == (start.reader, start.operand) {
                        return true;
                    }
                    if !seen.contains(&(space, operand)) {
                        seen.push((space, operand));
                        open.push((space, operand));
                    }
                }
            }
            false
        })
    }

    fn no_origin(&self, handoff: &Handoff) -> Diagnostic {
        let reader = &self.system.spaces[handoff.reader];
        let operand = &reader.operands[handoff.operand];
        Diagnostic::new(format!("the streams of `{}` in `{}` start at each other", operand.tensor, reader.name))
            .label(&reader.source, operand.span, "read here")
            .help("let one of them start where the tensor is computed: choose another direction")
    }

    fn is_empty(&self, set: &Polyhedron) -> bool {
        is_empty(self.system, set)
    }
}

/// One operand that looks for givers.
struct Taker<'a> {
    design: &'a Design<'a>,
    network: Network,
    reader: usize,
    operand: usize,
}

impl Taker<'_> {
    /// What decides who gives the operand.
    fn key(&self, at: Position, source: &Source) -> HandoffKey {
        let producer = match &source.origin {
            Origin::Known(_) => None,
            Origin::Space { space, .. } => Some(*space),
        };
        let streams: Vec<(usize, usize)> = self.streams().collect();
        let place = |space: usize| {
            let part = &self.design.parts[space];
            (part.map.place.clone(), part.origin.clone())
        };
        let spaces = [self.reader].into_iter().chain(producer).chain(streams.iter().map(|(space, _)| *space));
        HandoffKey {
            at,
            transport: self.design.parts[self.reader].dataflow.transports[self.operand].clone(),
            network: self.network,
            chain: producer.map(|space| self.design.parts[space].dataflow.chain.clone()),
            places: spaces.map(place).collect(),
            streams,
        }
    }

    fn find(&self, set: &Polyhedron, source: &Source, divisions: usize, found: &mut Vec<Handoff>) -> Checked<()> {
        let handoff = |set: Polyhedron, giver: Giver| {
            let (reader, operand) = (self.reader, self.operand);
            Handoff { reader, operand, set, giver, quotients: vec![] }
        };
        let (space, element) = match &source.origin {
            Origin::Known(value) => {
                found.push(handoff(set.clone(), Giver::Known(value.clone())));
                return Ok(());
            }
            Origin::Space { space, element } => (*space, element),
        };
        let transport = &self.design.parts[self.reader].dataflow.transports[self.operand];
        if let Transport::Broadcast(along) = transport {
            let (set, giver) = self.driver(set, (space, element), along)?;
            found.push(Handoff { quotients: source.quotients.clone(), ..handoff(set, giver) });
            return Ok(());
        }
        if let Some(giver) = self.producer(set, space, element, transport) {
            found.push(Handoff { quotients: source.quotients.clone(), ..handoff(set.clone(), giver) });
            return Ok(());
        }
        match transport {
            Transport::Local => return Err(vec![self.elsewhere(space)]),
            Transport::Memory => return Err(vec![self.nobody(space)]),
            _ => {}
        }
        let Some((served, giver)) = self.neighbour(set).filter(|_| divisions > 0) else {
            return Err(vec![self.nobody(space)]);
        };
        let rest = set.outside(&served);
        found.push(handoff(served, giver));
        rest.into_iter().filter(|set| !self.design.is_empty(set)).try_for_each(|set| {
            let set = set.with_equations(&Polyhedron::sizes(&self.design.system.parameters));
            self.find(&set, source, divisions - 1, found)
        })
    }

    /// The point that computes the element, where the transport has a way from it to every reader: over links of a constant number of
    /// PEs, on the same PE, or through memory.
    fn producer(&self, set: &Polyhedron, space: usize, element: &[Affine], transport: &Transport) -> Option<Giver> {
        let producer = &self.design.system.spaces[space];
        let last = last_point(producer, &self.design.parts[space].dataflow.chain, element)?;
        let at = last.coordinates(producer.indices());
        let apart = || self.displacement(set, space, &at);
        let carrier = match transport {
            Transport::Memory => Carrier::Memory,
            Transport::Local => apart()?.iter().all(|entry| *entry == 0).then_some(Carrier::Kept)?,
            _ => Carrier::Links(apart().filter(|moved| self.network.hops(moved).is_some())?),
        };
        Some(Giver::Point { space, field: Field::Result, at, carrier })
    }

    /// The points that put the element on a bus, on the PE that computes it.
    fn driver(
        &self,
        set: &Polyhedron,
        (space, element): (usize, &[Affine]),
        along: &[i64],
    ) -> Checked<(Polyhedron, Giver)> {
        let (giver, part) = (&self.design.system.spaces[space], &self.design.parts[space]);
        let last = last_point(giver, &part.dataflow.chain, element).ok_or_else(|| vec![self.nobody(space)])?;
        let at = last.coordinates(giver.indices());
        let here = self.design.place(self.reader, &self.design.point(self.reader));
        let there = self.design.place(space, &at);
        let apart: Vec<Affine> = here.into_iter().zip(there).map(|(here, there)| here - there).collect();
        let by = self.design.parts[self.reader].map.displacement(along);
        let listeners = Listeners { space: &self.design.system.spaces[self.reader], set, along, by: &by };
        let drivers = listeners.drivers(&apart).map_err(|why| vec![self.undriven(space, why)])?;
        let carrier = Carrier::Links(vec![0; self.design.rank()]);
        Ok((drivers, Giver::Point { space, field: Field::Result, at, carrier }))
    }

    /// The other operands that are of the same tensor and stream.
    fn streams(&self) -> impl Iterator<Item = (usize, usize)> {
        let system = self.design.system;
        let tensor = &system.spaces[self.reader].operands[self.operand].tensor;
        let operands = (0..system.spaces.len())
            .flat_map(|space| (0..system.spaces[space].operands.len()).map(move |operand| (space, operand)));
        operands.filter(move |(space, operand)| {
            let streamed = matches!(self.design.parts[*space].dataflow.transports[*operand], Transport::Stream(_));
            streamed
                && system.spaces[*space].operands[*operand].tensor == *tensor
                && (*space, *operand) != (self.reader, self.operand)
        })
    }

    /// A point that has the element as an operand, on this PE or on one next to it, and the readers it can serve.
    fn neighbour(&self, set: &Polyhedron) -> Option<(Polyhedron, Giver)> {
        let by_offset =
            |candidate| self.neighbour_offsets().into_iter().find_map(|by| self.passing(set, candidate, by));
        self.streams().find_map(by_offset)
    }

    /// The displacements that are tried, none first.
    fn neighbour_offsets(&self) -> Vec<Vector> {
        let rank = self.design.rank();
        let unit = |axis: usize, sign: i64| (0..rank).map(|other| if other == axis { sign } else { 0 }).collect();
        let units = (0..rank).flat_map(|axis| [unit(axis, 1), unit(axis, -1)]);
        std::iter::once(vec![0; rank]).chain(units).collect()
    }

    fn passing(
        &self,
        set: &Polyhedron,
        (space, operand): (usize, usize),
        displacement: Vector,
    ) -> Option<(Polyhedron, Giver)> {
        let (reader, giver) = (&self.design.system.spaces[self.reader], &self.design.system.spaces[space]);
        let here = self.design.place(self.reader, &self.design.point(self.reader));
        let there = here.into_iter().zip(&displacement).map(|(form, by)| form - Affine::constant(*by));
        let placed = self.design.place(space, &self.design.point(space));
        let forms: Vec<Affine> = giver.operands[operand].access.iter().cloned().chain(placed).collect();
        // Both read one element: its subscripts agree, in strips or not.
        let targets: Vec<Affine> = reader.operands[self.operand].access.iter().cloned().chain(there).collect();
        let solution = solve(&forms, giver.indices(), &targets)?;
        let served = set
            .intersect(&solution.image(&giver.domain.set))
            .with_equations(&Polyhedron::sizes(&self.design.system.parameters));
        let at = solution.coordinates(giver.indices());
        let giver = Giver::Point { space, field: Field::Operand(operand), at, carrier: Carrier::Links(displacement) };
        (!self.design.is_empty(&served)).then_some((served, giver))
    }

    /// From the giver's PE to the reader's, where that is the same at all points of `set`.
    fn displacement(&self, set: &Polyhedron, space: usize, at: &[Affine]) -> Option<Vector> {
        let here = self.design.place(self.reader, &self.design.point(self.reader));
        let there = self.design.place(space, at);
        let indices = self.design.system.spaces[self.reader].indices();
        here.into_iter().zip(there).map(|(here, there)| constant_on(set, indices, &(here - there))).collect()
    }

    fn elsewhere(&self, space: usize) -> Diagnostic {
        let reader = &self.design.system.spaces[self.reader];
        let operand = &reader.operands[self.operand];
        let giver = &self.design.system.spaces[space];
        Diagnostic::new(format!(
            "`{}` cannot be kept for `{}`: not every PE that reads it computes it",
            operand.tensor, reader.name
        ))
        .label(&reader.source, operand.span, "read here")
        .label(&giver.source, giver.span, "computed here")
        .help("choose a place that has both on one PE, or leave `local` out")
    }

    fn undriven(&self, space: usize, why: Undriven) -> Diagnostic {
        let reader = &self.design.system.spaces[self.reader];
        let operand = &reader.operands[self.operand];
        let giver = &self.design.system.spaces[space];
        let (tensor, name) = (&operand.tensor, &reader.name);
        let why = match why {
            Undriven::OffTheBus => "the PE that computes it does not lie on the bus of those that read it",
            Undriven::NoReader => "on the PE that computes it no point reads it, which could put it on the bus",
        };
        Diagnostic::new(format!("`{tensor}` cannot be broadcast to `{name}`"))
            .label(&reader.source, operand.span, "read here")
            .label(&giver.source, giver.span, "computed here")
            .note(why)
            .help("choose a place at which one of the points that read it lies where it is computed, or let it stream")
    }

    fn nobody(&self, space: usize) -> Diagnostic {
        let reader = &self.design.system.spaces[self.reader];
        let operand = &reader.operands[self.operand];
        let giver = &self.design.system.spaces[space];
        Diagnostic::new(format!("`{}` cannot be handed from `{}` to `{}`", operand.tensor, giver.name, reader.name))
            .label(&reader.source, operand.span, "read here")
            .label(&giver.source, giver.span, "computed here")
            .note("the way from the PE that computes it to the one that reads it grows with the sizes, or has no link")
            .help("choose places that keep the two a fixed number of PEs apart, or another direction for the stream")
    }
}

/// Whether two forms agree at all points of `set`.
fn is_equal_on(set: &Polyhedron, indices: &[Name], one: &Affine, other: &Affine) -> bool {
    constant_on(set, indices, &(one.clone() - other.clone())) == Some(0)
}
