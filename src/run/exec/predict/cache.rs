//! Which tiles the cache of a core still has, by reuse distances.
//!
//! In: the tiles that a worker touches, one after the other. Out: how many bytes it has touched since it touched each of them last.
//! That tells whether a cache of any size still has it that drops what was touched longest ago (Mattson et al., Evaluation
//! techniques for storage hierarchies, 1970). Touches have numbers in their order; the bytes of a tile count at its last one. Sums
//! of them are those of a Fenwick tree, so a touch costs the logarithm of how many there were.
//!
//! A library has two rates at each side of a tile: out of memory, and in the cache. `reuse.gemm` and its like say which
//! share of a tile comes out of memory at a distance. Calibration measures that for each task, as the time of calls on
//! ever more tiles in a row. It differs by task: what is in the third cache costs a product of 128 a fifth of what
//! memory does, a solve or a factor, which wait for it, two fifths. In a repeated run what is loaded or begun was
//! touched as long ago as a whole run touches bytes; without that a product of 512, whose tiles the third cache has,
//! looks 1.15 to 1.3 times as long as it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// When a tile was touched last: the number of the touch, from 1 on, [`IN_CACHE`] or [`IN_MEMORY`]. All copies of the tile have the same.
pub type Touched = Arc<AtomicUsize>;

/// Not touched yet, but its worker has just copied it from another one, or written it element by element.
pub const IN_CACHE: usize = 0;

/// Not touched yet: it was there before the run, and a load does not copy it; or a leaf begins it.
pub const IN_MEMORY: usize = usize::MAX;

/// All touches of a worker.
#[derive(Debug, Default)]
pub struct Cache {
    /// At `n - 1` the bytes of the touches that end with the `n`th, of as many as the lowest bit of `n` says.
    sums: Vec<u64>,
    /// The bytes of all touches.
    all: u64,
    /// Those of the run before, on the same operands, if there was one.
    before: Option<u64>,
}

impl Cache {
    /// A cache in which a run has ended that touched so many different bytes: what is in memory was touched that long ago.
    pub fn after(before: u64) -> Cache {
        Cache { before: Some(before), ..Cache::default() }
    }

    /// How many different bytes were touched.
    pub fn bytes(&self) -> u64 {
        self.all
    }

    /// Touches a tile of so many bytes; how many different bytes were touched since its last touch, its own included: no others
    /// for a tile that is in the cache; for one in memory all of the run before, or more than can be.
    pub fn touch(&mut self, touched: &Touched, bytes: u64) -> u64 {
        let last = touched.load(Ordering::Relaxed);
        let distance = match last {
            IN_CACHE => bytes,
            IN_MEMORY => self.before.unwrap_or(u64::MAX),
            _ => self.all - self.until(last - 1),
        };
        match last {
            IN_CACHE | IN_MEMORY => self.all += bytes,
            _ => self.forget(last, bytes),
        }
        self.enter(bytes);
        touched.store(self.sums.len(), Ordering::Relaxed);
        distance
    }

    /// The bytes of the first `count` touches.
    fn until(&self, mut count: usize) -> u64 {
        let mut sum = 0;
        while count > 0 {
            sum += self.sums[count - 1];
            count -= lowest_bit(count);
        }
        sum
    }

    /// Takes its bytes from a touch that is not the last one of its tile any more.
    fn forget(&mut self, mut touch: usize, bytes: u64) {
        while touch <= self.sums.len() {
            self.sums[touch - 1] -= bytes;
            touch += lowest_bit(touch);
        }
    }

    /// Enters a touch after all others.
    fn enter(&mut self, bytes: u64) {
        let number = self.sums.len() + 1;
        let before = self.until(number - 1) - self.until(number - lowest_bit(number));
        self.sums.push(before + bytes);
    }
}

fn lowest_bit(number: usize) -> usize {
    number & number.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Beside a list in the order of the last touches.
        #[test]
        fn a_distance_is_what_was_touched_since(order in prop::collection::vec(0..9usize, 0..200)) {
            let begun = |tile: usize| Arc::new(AtomicUsize::new(if tile.is_multiple_of(2) { IN_CACHE } else { IN_MEMORY }));
            let tiles: Vec<(Touched, u64)> = (0..9).map(|tile| (begun(tile), 1 << tile)).collect();
            let (mut cache, mut list) = (Cache::default(), Vec::<usize>::new());
            for tile in order {
                let place = list.iter().position(|other| *other == tile);
                let since = |place: usize| list[place..].iter().map(|tile| tiles[*tile].1).sum::<u64>();
                let first = if tile.is_multiple_of(2) { tiles[tile].1 } else { u64::MAX };
                prop_assert_eq!(cache.touch(&tiles[tile].0, tiles[tile].1), place.map_or(first, since));
                list.retain(|other| *other != tile);
                list.push(tile);
            }
        }
    }
}
