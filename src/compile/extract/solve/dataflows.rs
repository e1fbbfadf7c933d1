//! The dataflows of computed tensors that a placement allows.
//!
//! How an input travels is decided later, for each operand alone; how computed values travel decides which steps are legal.

use super::places::{Edge, Placement};
use crate::mapping::candidates::{spread, ways};
use crate::mapping::{Listeners, SpaceDesign, SpaceTimeMap, restrict};
use crate::rewrite::{Choices, Transport};
use systole_base::integer::{Affine, Matrix, lexicographic_sign};
use systole_base::network::Network;
use systole_equations::recurrence::spaces::{SpaceSystem, solve};

/// What decides which dataflows there are.
pub struct Dataflows<'a> {
    /// The system.
    pub system: &'a SpaceSystem,
    /// What the e-graph offers for each space.
    pub choices: &'a [Choices],
    /// The edges of the system.
    pub edges: &'a [Edge],
    /// The network.
    pub network: Network,
    /// No more dataflows than this are listed for one placement.
    pub most: usize,
}

impl Dataflows<'_> {
    /// The parts of every dataflow, with steps of zero and each input fed, and how many dataflows beyond the most there are; those that
    /// are left are spread over all.
    pub fn all(&self, placement: &Placement) -> (Vec<Vec<SpaceDesign>>, u64) {
        let parts: Vec<Vec<SpaceDesign>> =
            (0..self.system.spaces.len()).map(|space| self.parts(space, placement)).collect();
        let most = self.most as u64;
        (spread(&parts, most).collect(), ways(&parts).saturating_sub(most))
    }

    /// How many dataflows there are.
    pub fn count(&self, placement: &Placement) -> u64 {
        let counts = (0..self.system.spaces.len()).map(|space| self.parts(space, placement).len() as u64);
        counts.fold(1, u64::saturating_mul)
    }

    fn parts(&self, space: usize, placement: &Placement) -> Vec<SpaceDesign> {
        let operands = 0..self.system.spaces[space].operands.len();
        let transports = operands.map(|operand| self.transports(space, operand, placement)).collect();
        let chains = self.choices[space].chains.clone();
        self.laid(space, placement, &Choices { transports, chains })
    }

    /// The parts of a space with each of these dataflows.
    pub fn laid(&self, space: usize, placement: &Placement, dataflows: &Choices) -> Vec<SpaceDesign> {
        let (place, origin) = self.place(space, placement);
        let (rounds, mut starts) = self.rounds(space, placement);
        let open = vec![0; place.columns()];
        let step = Matrix::new(rounds.rows().iter().cloned().chain([open]).collect(), place.columns());
        starts.push(Affine::default());
        let map = SpaceTimeMap { place, step };
        let part = |dataflow| SpaceDesign {
            map: map.clone(),
            origin: origin.clone(),
            starts: starts.clone(),
            position: 0,
            dataflow,
        };
        dataflows.dataflows().map(part).collect()
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

    /// Whether each set of takers is a constant number of PEs from the point that computes, in some order of the giver.
    fn is_reached(&self, space: usize, operand: usize, transport: usize, placement: &Placement) -> bool {
        let mine = || {
            self.edges
                .iter()
                .filter(move |edge| (edge.reader, edge.operand, edge.transport) == (space, operand, transport))
        };
        let reaches = |edge: &Edge| {
            let (here, there) = (self.system.members[edge.reader].family, self.system.members[edge.giver].family);
            let rows = placement.places[here].rows().iter().zip(placement.places[there].rows());
            let shifts = placement.origins[here].iter().zip(&placement.origins[there]);
            let along = rows.zip(shifts);
            let along = along.map(|((here, there), (shift, other))| edge.hops((here, shift), (there, other)));
            edge.reach.covers(along, self.network)
        };
        mine().all(|edge| mine().filter(|other| other.giver == edge.giver && other.set == edge.set).any(reaches))
    }

    /// Whether on each line of readers one lies where the element is computed, in some order of the giver.
    fn is_driven(
        &self,
        (space, operand, transport): (usize, usize, usize),
        along: &[i64],
        placement: &Placement,
    ) -> bool {
        let mine = || {
            self.edges
                .iter()
                .filter(move |edge| (edge.reader, edge.operand, edge.transport) == (space, operand, transport))
        };
        let by = self.place(space, placement).0.apply(along);
        let is_driven = |edge: &Edge| {
            let (here, there) = (self.system.members[edge.reader].family, self.system.members[edge.giver].family);
            let rows = placement.places[here].rows().iter().zip(placement.places[there].rows());
            let shifts = placement.origins[here].iter().zip(&placement.origins[there]);
            let ways = rows.zip(shifts).map(|((here, there), (shift, other))| edge.way((here, shift), (there, other)));
            let listeners = Listeners { space: &self.system.spaces[space], set: &edge.set, along, by: &by };
            listeners.drivers(&ways.collect::<Vec<Affine>>()).is_ok()
        };
        mine().all(|edge| mine().filter(|other| other.giver == edge.giver && other.set == edge.set).any(is_driven))
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
