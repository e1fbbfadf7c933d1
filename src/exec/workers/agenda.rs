//! Whose turn it is at a worker.
//!
//! In: PEs that can go on, and PEs that stand before a tile to be computed. Out: one after the other. Who can go on without
//! computing goes first, in the order in which they came, since others may wait for what they send. Tiles are computed in the order of
//! the program's steps, the earliest first: what a later step waits for is never behind what is needed at the end, so factors of
//! panels run ahead of the updates that they do not need. Where no tile that is computed goes to another PE (products whose results stay),
//! nobody waits for one: then steps are counted from each PE's first, so that all PEs, far from the border or not, do one tile in turn;
//! what enters at the border is on its way to other workers sooner, and is used again while it is in a cache. The order changes no word
//! (the law at the top of the crate's `exec`).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// PEs of a worker that can go on, as positions there.
#[derive(Debug, Default)]
pub struct Agenda {
    ready: VecDeque<usize>,
    /// The turn, the number of the entry, and the PE.
    tiles: BinaryHeap<Reverse<(i64, u64, usize)>>,
    /// How many entries there were.
    entries: u64,
}

impl Agenda {
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

    /// A PE has a tile to compute, in this turn: a step of the program, or one that is counted from the PE's first.
    pub fn push_tile(&mut self, turn: i64, pe: usize) {
        self.entries += 1;
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

    #[test]
    fn who_need_not_compute_goes_first_and_tiles_follow_their_turns() {
        let mut agenda = Agenda::default();
        [(7, 0), (3, 1), (7, 2), (-1, 3)].into_iter().for_each(|(turn, pe)| agenda.push_tile(turn, pe));
        agenda.extend([5, 4]);
        let order: Vec<_> = std::iter::from_fn(|| agenda.pop()).collect();
        assert_eq!(order, [(5, false), (4, false), (3, true), (1, true), (0, true), (2, true)]);
        assert!(agenda.is_empty());
    }
}
