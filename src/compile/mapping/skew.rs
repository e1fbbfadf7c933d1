//! Skew: by how many cycles a PE runs behind its neighbours in every round, so that rounds overlap.
//!
//! In `time (p, i + j + k)` on PEs `(i, j)` a PE works for K cycles in a round, and begins `i + j` cycles after PE (0, 0). With skew
//! (1, 1) a PE starts its next round when it has ended its last one, and the skew is walked once and not in each round. For one PE
//! nothing changes: its rounds follow each other, each as long as `step - skew * place` says. Between PEs something
//! does: PE `v + d` runs `skew * d` cycles later in each round. So words that cross rounds, and slots that have to be free again in
//! the next one, count it ([`Design::slack`](super::Design::slack)).

use super::{Carrier, Design, Handoff, SpaceDesign};
use crate::rewrite::Transport;
use systole_base::integer::{Affine, Vector, dot};
use systole_base::network::{Links, Network};

/// A PE is no more cycles behind its neighbour.
pub const LARGEST: i64 = 16;

impl Design<'_> {
    /// The cycles by which a PE runs behind its neighbour along each axis of the array. 0 where rounds do not overlap: where PEs are
    /// folded, a bus drives PEs that would not run side by side, or a word passes over several links or through memory: how far that
    /// is from its reader, the skew would have to know.
    pub fn skew(&self, handoffs: &[Handoff], network: Network) -> Vector {
        let none = vec![0; self.rank()];
        let is_long = |handoff: &Handoff| match handoff.carrier() {
            Some(Carrier::Links(displacement)) => !is_short(displacement, network),
            Some(Carrier::Memory) => true,
            Some(Carrier::Kept) | None => false,
        };
        if self.rounds() == 0 || !self.fold.is_none() || handoffs.iter().any(is_long) {
            return none;
        }
        let candidates = self.parts.iter().map(|part| own_skew(part, self.rank()));
        let is_small = |skew: &Vector| skew.iter().all(|cycles| cycles.abs() <= LARGEST);
        let carried = candidates.filter(|skew| is_small(skew) && self.carries(skew, network));
        std::iter::once(none.clone()).chain(carried).min_by_key(|skew| self.tilt(skew)).unwrap_or(none)
    }

    /// How far the spaces are from running all PEs of a round side by side.
    fn tilt(&self, skew: &[i64]) -> i64 {
        let of_part = |part: &SpaceDesign| -> i64 {
            let own = own_skew(part, skew.len());
            own.iter().zip(skew).map(|(own, skew)| (own - skew).abs()).sum()
        };
        self.parts.iter().map(of_part).sum()
    }

    fn carries(&self, skew: &[i64], network: Network) -> bool {
        let of_part = |part: &SpaceDesign| {
            let of_choice = |choice: &Transport| match choice {
                Transport::Bus => false,
                Transport::Broadcast(along) => dot(skew, &part.map.displacement(along)) == 0,
                other => other.directions().iter().all(|along| is_short(&part.map.displacement(along), network)),
            };
            let chain = part.dataflow.chain.directions.iter();
            part.dataflow.transports.iter().all(of_choice)
                && chain.into_iter().all(|along| is_short(&part.map.displacement(along), network))
        };
        self.parts.iter().all(of_part)
    }

    /// The place of a point against the skew, for all sizes.
    pub fn behind(&self, space: usize, skew: &[i64]) -> Affine {
        let place = self.place(space, &self.point(space));
        place.into_iter().zip(skew).fold(Affine::default(), |sum, (form, skew)| sum + form * *skew)
    }
}

fn is_short(displacement: &[i64], network: Network) -> bool {
    network.hops(displacement).is_none_or(|hops| hops <= 1)
}

/// The skew of the step of a space: along an axis that is an index, the index's entry of the step.
fn own_skew(part: &SpaceDesign, rank: usize) -> Vector {
    let (place, rounds) = (part.map.place.rows(), part.rounds());
    let Some(step) = part.map.step.rows().last() else { return vec![0; rank] };
    let along = |axis: usize| {
        let is_free = |index: &usize| {
            let others = place.iter().enumerate().filter(|(other, _)| *other != axis);
            place[axis][*index].abs() == 1 && others.chain(rounds.iter().enumerate()).all(|(_, row)| row[*index] == 0)
        };
        (0..step.len()).find(is_free).map_or(0, |index| step[index] * place[axis][index])
    };
    (0..rank).map(along).collect()
}

/// Whether a channel is so deep that a word may leave in every cycle of the time in which one holds its slot: then the words of two
/// rounds need no more room than those of one.
pub fn is_deep(depth: Option<u64>, delay: &[i64], links: &Links) -> bool {
    let Some((step, rounds)) = delay.split_last() else { return false };
    let held = step.checked_add(links.response).and_then(|held| u64::try_from(held).ok());
    rounds.iter().all(|rounds| *rounds == 0) && depth.zip(held).is_some_and(|(depth, held)| depth >= held)
}
