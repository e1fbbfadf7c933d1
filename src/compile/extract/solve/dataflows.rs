//! The dataflows of computed tensors that a placement allows.
//!
//! How an input travels is decided later, for each operand alone; how computed values travel decides which steps are legal.

use super::places::{Edge, Placement};
use crate::mapping::candidates::{product, spread};
use crate::mapping::{Listeners, SpaceDesign, SpaceTimeMap, restrict, sums_in_rounds};
use crate::rewrite::{Choices, Transport};
use std::collections::HashMap;
use systole_base::integer::{Affine, Matrix, lexicographic_sign};
use systole_base::network::Network;
use systole_equations::recurrence::spaces::{SpaceSystem, solve};

/// What decides which dataflows there are.
pub struct Dataflows<'a> {
    system: &'a SpaceSystem,
    /// What the e-graph offers for each space.
    choices: &'a [Choices],
    /// For each reader, operand and transport the edges, those of the same giver and takers together: of these one is enough.
    edges: HashMap<(usize, usize, usize), Vec<Vec<&'a Edge>>>,
    network: Network,
    /// No more dataflows than this are listed for one placement.
    most: usize,
}

/// The parts of a space with each of some dataflows. There may be millions, so each is made when it is asked for.
pub struct Laid {
    map: SpaceTimeMap,
    origin: Vec<Affine>,
    starts: Vec<Affine>,
    dataflows: Choices,
}

impl Laid {
    /// How many there are.
    fn count(&self) -> u64 {
        self.dataflows.count() as u64
    }

    /// None of them.
    pub fn without_dataflows(self) -> Laid {
        Laid { dataflows: Choices { chains: vec![], ..self.dataflows }, ..self }
    }

    fn part(&self, number: u64) -> SpaceDesign {
        let (map, origin, starts) = (self.map.clone(), self.origin.clone(), self.starts.clone());
        SpaceDesign { map, origin, starts, position: 0, dataflow: self.dataflows.dataflow(number as usize) }
    }
}

/// How many ways there are to take one part of each space.
pub fn ways_to_lay(laid: &[Laid]) -> u64 {
    product(laid.iter().map(Laid::count))
}

/// So many of these ways, spread over all.
pub fn some_ways(laid: &[Laid], most: u64) -> impl Iterator<Item = Vec<SpaceDesign>> {
    let counts: Vec<u64> = laid.iter().map(Laid::count).collect();
    let ways: Vec<Vec<u64>> = spread(&counts, most).collect();
    ways.into_iter().map(|way| laid.iter().zip(way).map(|(laid, number)| laid.part(number)).collect())
}

impl<'a> Dataflows<'a> {
    /// Those of a system with these edges, so many of one placement at most.
    pub fn new(
        (system, choices): (&'a SpaceSystem, &'a [Choices]),
        edges: &'a [Edge],
        (network, most): (Network, usize),
    ) -> Dataflows<'a> {
        let mut by_read: HashMap<(usize, usize, usize), Vec<Vec<&Edge>>> = HashMap::new();
        for edge in edges {
            let of_read = by_read.entry((edge.reader, edge.operand, edge.transport)).or_default();
            let is_alike = |other: &&Edge| other.giver == edge.giver && other.set == edge.set;
            match of_read.iter_mut().find(|alike| alike.first().is_some_and(is_alike)) {
                Some(alike) => alike.push(edge),
                None => of_read.push(vec![edge]),
            }
        }
        Dataflows { system, choices, edges: by_read, network, most }
    }
}

impl Dataflows<'_> {
    /// The parts of every dataflow, with steps of zero and each input fed, and how many dataflows beyond the most there are; those that
    /// are left are spread over all. Where a reduction goes on in no order, all orders are there, to tell why.
    pub fn all(&self, placement: &Placement) -> (Vec<Vec<SpaceDesign>>, u64) {
        let part = |space| match self.laid(space, placement, self.offered(space, placement)) {
            laid if laid.count() == 0 => self.laid_at_all(space, placement, self.offered(space, placement)),
            laid => laid,
        };
        let laid: Vec<Laid> = (0..self.system.spaces.len()).map(part).collect();
        let most = self.most as u64;
        (some_ways(&laid, most).collect(), ways_to_lay(&laid).saturating_sub(most))
    }

    /// How many dataflows there are.
    pub fn count(&self, placement: &Placement) -> u64 {
        let laid = |space| self.laid(space, placement, self.offered(space, placement));
        product((0..self.system.spaces.len()).map(|space| laid(space).count()))
    }

    fn offered(&self, space: usize, placement: &Placement) -> Choices {
        let operands = 0..self.system.spaces[space].operands.len();
        let transports = operands.map(|operand| self.transports(space, operand, placement)).collect();
        Choices { transports, chains: self.choices[space].chains.clone() }
    }

    /// The parts of a space with each of these dataflows, but for orders in which its reduction cannot go on from round to round.
    pub fn laid(&self, space: usize, placement: &Placement, dataflows: Choices) -> Laid {
        let mut laid = self.laid_at_all(space, placement, dataflows);
        let Laid { map, dataflows, .. } = &mut laid;
        dataflows.chains.retain(|chain| sums_in_rounds(&self.system.spaces[space], map, chain));
        laid
    }

    fn laid_at_all(&self, space: usize, placement: &Placement, dataflows: Choices) -> Laid {
        let (place, origin) = self.place(space, placement);
        let (rounds, mut starts) = self.rounds(space, placement);
        let open = vec![0; place.columns()];
        let step = Matrix::new(rounds.rows().iter().cloned().chain([open]).collect(), place.columns());
        starts.push(Affine::default());
        Laid { map: SpaceTimeMap { place, step }, origin, starts, dataflows }
    }

    /// The place of a space, and what is added to it.
    pub fn place(&self, space: usize, placement: &Placement) -> (Matrix, Vec<Affine>) {
        let family = self.system.members[space].family;
        self.of_member(space, &placement.places[family], &placement.origins[family])
    }

    /// The rows of the time of a space that number its rounds, and what is added to them.
    fn rounds(&self, space: usize, placement: &Placement) -> (Matrix, Vec<Affine>) {
        let family = self.system.members[space].family;
        self.of_member(space, &placement.rounds[family], &placement.starts[family])
    }

    /// Rows of its family as those of a space.
    fn of_member(&self, space: usize, rows: &Matrix, shifts: &[Affine]) -> (Matrix, Vec<Affine>) {
        let member = &self.system.members[space];
        let family = &self.system.families[member.family];
        let (rows, added) = restrict(rows, &family.indices, &member.embedding, self.system.spaces[space].indices());
        let shifts = added.into_iter().zip(shifts).map(|(a, b)| a + b.clone()).collect();
        (rows, shifts)
    }

    /// The transports of a computed operand for which every source has a way from the point that computes it; where there
    /// are none, all streams, which may go on where a stream of the same tensor passes.
    pub fn transports(&self, space: usize, operand: usize, placement: &Placement) -> Vec<Transport> {
        if self.system.sources[space][operand].is_empty() {
            return vec![Transport::Feed];
        }
        let offered = || self.choices[space].transports[operand].iter();
        let reached = offered().enumerate().filter(|(position, transport)| match transport {
            Transport::Handoff => {
                self.is_reached(space, operand, *position, placement) && self.is_one_to_one(space, operand)
            }
            Transport::Stream(_) | Transport::Local | Transport::Memory => {
                self.is_reached(space, operand, *position, placement)
            }
            Transport::Broadcast(along) => self.is_driven((space, operand, *position), along, placement),
            _ => false,
        });
        let mut reached: Vec<Transport> = reached.map(|(_, transport)| transport.clone()).collect();
        // A value that stays serves its points in either order; the order that the indices count in is as good as the other.
        let (place, _) = self.place(space, placement);
        let stays = |along: &[i64]| place.apply(along).iter().all(|entry| *entry == 0);
        let turned = |along: &[i64]| Transport::Stream(along.iter().map(|entry| -entry).collect());
        let both = reached.clone();
        reached.retain(|transport| match transport {
            Transport::Stream(along) if stays(along) => lexicographic_sign(along) > 0 || !both.contains(&turned(along)),
            _ => true,
        });
        if !reached.is_empty() || !self.has_sibling(space, operand) {
            return reached;
        }
        offered().filter(|transport| matches!(transport, Transport::Stream(_))).cloned().collect()
    }

    /// The edges of a read, those of the same giver and takers together.
    fn alike(&self, read: (usize, usize, usize)) -> &[Vec<&Edge>] {
        self.edges.get(&read).map_or(&[], Vec::as_slice)
    }

    /// Whether each set of takers is a constant number of PEs from the point that computes, in some order of the giver.
    fn is_reached(&self, space: usize, operand: usize, transport: usize, placement: &Placement) -> bool {
        let reaches = |edge: &Edge| {
            let (here, there) = (self.system.members[edge.reader].family, self.system.members[edge.giver].family);
            let rows = placement.places[here].rows().iter().zip(placement.places[there].rows());
            let shifts = placement.origins[here].iter().zip(&placement.origins[there]);
            let along = rows.zip(shifts);
            let along = along.map(|((here, there), (shift, other))| edge.hops((here, shift), (there, other)));
            edge.reach.covers(along, self.network)
        };
        self.alike((space, operand, transport)).iter().all(|alike| alike.iter().copied().any(reaches))
    }

    /// Whether on each line of readers one lies where the element is computed, in some order of the giver.
    fn is_driven(
        &self,
        (space, operand, transport): (usize, usize, usize),
        along: &[i64],
        placement: &Placement,
    ) -> bool {
        let by = self.place(space, placement).0.apply(along);
        let is_driven = |edge: &Edge| {
            let (here, there) = (self.system.members[edge.reader].family, self.system.members[edge.giver].family);
            let rows = placement.places[here].rows().iter().zip(placement.places[there].rows());
            let shifts = placement.origins[here].iter().zip(&placement.origins[there]);
            let ways = rows.zip(shifts).map(|((here, there), (shift, other))| edge.way((here, shift), (there, other)));
            let listeners = Listeners { space: &self.system.spaces[space], set: &edge.set, along, by: &by };
            listeners.drivers(&ways.collect::<Vec<Affine>>()).is_ok()
        };
        self.alike((space, operand, transport)).iter().all(|alike| alike.iter().copied().any(is_driven))
    }

    /// Whether no element goes to two points.
    fn is_one_to_one(&self, space: usize, operand: usize) -> bool {
        let reader = &self.system.spaces[space];
        // Neighbours of an element are as many as elements.
        let shifted =
            reader.operands[operand].access.iter().map(|form| form.clone() - Affine::constant(form.constant_term()));
        let forms = reader.in_halves(&shifted.collect::<Vec<Affine>>());
        let names: Vec<_> = (0..forms.len())
            .map(|axis| Affine::variable(&systole_base::integer::name(&format!("element {axis}"))))
            .collect();
        solve(&forms, reader.indices(), &names).is_some()
    }

    /// Whether another operand of the tensor could pass the element on.
    fn has_sibling(&self, space: usize, operand: usize) -> bool {
        let tensor = &self.system.spaces[space].operands[operand].tensor;
        let others = self.system.spaces.iter().enumerate().flat_map(|(other, reader)| {
            reader.operands.iter().enumerate().map(move |(position, operand)| (other, position, &operand.tensor))
        });
        others.filter(|(other, position, _)| (*other, *position) != (space, operand)).any(|(_, _, read)| read == tensor)
    }
}
