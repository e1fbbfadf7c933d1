//! Which elements the PEs of a block have in their own memories.
//!
//! Inputs do not change, so their values need no copy; what is kept is which PE has which element. A table with open
//! addresses holds one number for each pair of a lane and an element.

use super::lanes::LANES;

/// The elements in the own memories of up to 64 PEs.
#[derive(Clone, Debug, Default)]
pub(super) struct Own {
    /// A pair plus 1; 0 where there is none. Its length is 0 or a power of two, at most half of it in use.
    table: Vec<u64>,
    count: usize,
    /// For each lane, once there is something: the pair that was found last, since PEs often read one element again.
    recent: Vec<u64>,
}

const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// One number for a lane and an element, which is numbered through all arrays.
#[inline]
fn key(lane: usize, element: usize) -> u64 {
    (element as u64 * LANES as u64 + lane as u64) + 1
}

impl Own {
    /// Brings an element into a PE's memory; whether it was not there.
    pub fn insert(&mut self, lane: usize, element: usize) -> bool {
        if self.count * 2 >= self.table.len() {
            self.grow();
        }
        let key = key(lane, element);
        let place = self.place(key);
        let is_new = self.table[place] == 0;
        self.table[place] = key;
        self.count += usize::from(is_new);
        is_new
    }

    /// Whether a PE has an element.
    #[inline]
    pub fn has(&mut self, lane: usize, element: usize) -> bool {
        let key = key(lane, element);
        self.recent.get(lane) == Some(&key) || self.find(lane, key)
    }

    fn find(&mut self, lane: usize, key: u64) -> bool {
        let is_there = !self.table.is_empty() && self.table[self.place(key)] != 0;
        if is_there {
            self.recent[lane] = key;
        }
        is_there
    }

    #[inline]
    fn place(&self, key: u64) -> usize {
        let mask = self.table.len() - 1;
        let mut place = (key.wrapping_mul(SPREAD) >> 32) as usize & mask;
        while self.table[place] != 0 && self.table[place] != key {
            place = (place + 1) & mask;
        }
        place
    }

    fn grow(&mut self) {
        let size = (self.table.len() * 2).max(4);
        self.recent.resize(LANES, 0);
        for key in std::mem::replace(&mut self.table, vec![0; size]) {
            if key != 0 {
                let place = self.place(key);
                self.table[place] = key;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn it_holds_what_was_brought_and_nothing_else() {
        let (mut own, mut known) = (Own::default(), BTreeSet::new());
        assert!(!own.has(0, 0));
        for number in 0..400usize {
            let (lane, element) = (number * 7 % 64, number * number % 113);
            assert_eq!(own.insert(lane, element), known.insert((lane, element)));
        }
        for (lane, element) in (0..64).flat_map(|lane| (0..120).map(move |element| (lane, element))) {
            assert_eq!(own.has(lane, element), known.contains(&(lane, element)));
        }
    }
}
