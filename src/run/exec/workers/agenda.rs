//! Whose turn it is at a worker.
//!
//! In: PEs that can go on, and PEs that stand before a tile to be computed. Out: one after the other. Who can go on without
//! computing goes first, in the order in which they came, since others may wait for what they send. Tiles are computed as a
//! [`LeafOrder`] says. By steps of the program what a later step waits for is never behind what is needed at the end, so factors of
//! panels run ahead of the updates that they do not need. In turns all PEs, far from the border or not, do one tile after another: what
//! enters at the border is on its way to other workers sooner, and is used again while it is in a cache. Where several steps count as
//! one, a PE does all of them that it can, so that the tile it sums up stays in a cache. The order changes no word (the law at the top of
//! the crate's `exec`).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use systole_equations::recurrence::LeafOrder;

/// PEs of a worker that can go on, as positions there.
#[derive(Debug)]
pub struct Agenda {
    ready: VecDeque<usize>,
    /// The turn, the number of the entry where one step is one turn, and the PE.
    tiles: BinaryHeap<Reverse<(i64, u64, usize)>>,
    /// How many entries there were.
    entries: u64,
    /// Whether a PE goes on in the same turn.
    stays: bool,
}

impl Agenda {
    /// Nobody yet.
    pub fn new(order: LeafOrder) -> Agenda {
        Agenda { ready: VecDeque::new(), tiles: BinaryHeap::new(), entries: 0, stays: order.together > 1 }
    }

    /// How many PEs can go on.
    pub fn len(&self) -> usize {
        self.ready.len() + self.tiles.len()
    }

    /// Whether some PE can go on.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A PE can go on.
    pub fn push(&mut self, pe: usize) {
        self.ready.push_back(pe);
    }

    /// A PE has a tile to compute, in this turn.
    pub fn push_tile(&mut self, turn: i64, pe: usize) {
        self.entries += u64::from(!self.stays);
        self.tiles.push(Reverse((turn, self.entries, pe)));
    }

    /// The next PE, and whether it is to compute its tile.
    pub fn pop(&mut self) -> Option<(usize, bool)> {
        let ready = self.ready.pop_front().map(|pe| (pe, false));
        ready.or_else(|| self.tiles.pop().map(|Reverse((_, _, pe))| (pe, true)))
    }
}

impl Extend<usize> for Agenda {
    fn extend<T: IntoIterator<Item = usize>>(&mut self, pes: T) {
        self.ready.extend(pes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who comes next, and whether to compute, after PEs with these turns, and two without a tile.
    fn next_of(agenda: &mut Agenda, turns: &[(i64, usize)]) -> Vec<(usize, bool)> {
        turns.iter().for_each(|(turn, pe)| agenda.push_tile(*turn, *pe));
        agenda.extend([5, 4]);
        std::iter::from_fn(|| agenda.pop()).collect()
    }

    #[test]
    fn who_need_not_compute_goes_first_and_tiles_follow_their_turns() {
        let mut agenda = Agenda::new(LeafOrder::STEPS);
        let order = next_of(&mut agenda, &[(7, 2), (3, 1), (7, 0), (-1, 3)]);
        assert_eq!(order, [(5, false), (4, false), (3, true), (1, true), (2, true), (0, true)]);
        assert!(agenda.is_empty());
    }

    #[test]
    fn who_goes_on_in_a_turn_is_before_those_who_came_sooner() {
        let mut agenda = Agenda::new(LeafOrder { together: 4, ..LeafOrder::TURNS });
        assert_eq!(next_of(&mut agenda, &[(1, 2), (1, 1)])[2..], [(1, true), (2, true)]);
        [(1, 2), (1, 0)].iter().for_each(|(turn, pe)| agenda.push_tile(*turn, *pe));
        assert_eq!(agenda.pop(), Some((0, true)));
        agenda.push_tile(1, 0);
        assert_eq!([agenda.pop(), agenda.pop()], [Some((0, true)), Some((2, true))]);
    }
}
