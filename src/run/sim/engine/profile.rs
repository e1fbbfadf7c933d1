//! How many PEs are busy in each cycle, as differences between one cycle and the next.
//!
//! In: the first and the last cycle of every span in which a PE is busy without a gap, in any order. Out: the most PEs
//! that were busy in one cycle, exactly. Cycles that no span can touch any more are folded into a running count, so what
//! is held is bounded by how far the PEs' clocks are apart.

use std::collections::BTreeMap;

/// Cycles of one page.
const PAGE: u64 = 1024;

/// More pages than this are worth folding.
pub(super) const MANY_PAGES: usize = 16_384;

type Page = Box<[i32]>;

/// Differences in the number of busy PEs, cycle by cycle.
#[derive(Clone, Debug, Default)]
pub(super) struct Profile {
    pages: BTreeMap<u64, Page>,
    /// The page that was touched last, which is not among the others.
    open: Option<(u64, Page)>,
}

impl Profile {
    /// From `clock` on, so many more PEs are busy.
    #[inline]
    pub fn change(&mut self, clock: u64, by: i32) {
        let number = clock / PAGE;
        match &mut self.open {
            Some((open, page)) if *open == number => page[(clock % PAGE) as usize] += by,
            _ => self.turn_to(number)[(clock % PAGE) as usize] += by,
        }
    }

    #[cold]
    fn turn_to(&mut self, number: u64) -> &mut Page {
        self.close();
        let page = self.pages.remove(&number).unwrap_or_else(|| vec![0; PAGE as usize].into());
        &mut self.open.insert((number, page)).1
    }

    fn close(&mut self) {
        self.pages.extend(self.open.take());
    }

    /// How many pages it holds.
    pub fn pages(&self) -> usize {
        self.pages.len()
    }

    fn first_page(&self) -> Option<u64> {
        self.pages.first_key_value().map(|(number, _)| *number)
    }
}

/// The most PEs that were busy in one cycle, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fullest {
    level: i64,
    pub most: u64,
}

impl Fullest {
    /// Takes all whole pages before `watermark`, or all there are, out of the profiles of all regions. Nothing may change
    /// before it any more.
    pub fn fold(&mut self, profiles: &mut [&mut Profile], watermark: Option<u64>) {
        profiles.iter_mut().for_each(|profile| profile.close());
        while let Some(number) = profiles.iter().filter_map(|profile| profile.first_page()).min() {
            if watermark.is_some_and(|watermark| number >= watermark / PAGE) {
                return;
            }
            let pages: Vec<Page> = profiles.iter_mut().filter_map(|profile| profile.pages.remove(&number)).collect();
            for cycle in 0..PAGE as usize {
                self.level += pages.iter().map(|page| i64::from(page[cycle])).sum::<i64>();
                self.most = self.most.max(self.level.unsigned_abs());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fullest_cycle_is_found_over_all_regions() {
        let spans = [(0u64, 5u64), (3, 9), (4, 4000), (2500, 2501), (3999, 4000)];
        let mut profiles = [Profile::default(), Profile::default()];
        for (number, (from, to)) in spans.iter().enumerate() {
            profiles[number % 2].change(*from, 1);
            profiles[number % 2].change(*to, -1);
        }
        let most = (0..4000).map(|cycle| spans.iter().filter(|(from, to)| (*from..*to).contains(&cycle)).count()).max();
        let mut fullest = Fullest::default();
        fullest.fold(&mut profiles.each_mut(), Some(2048));
        assert_eq!(profiles[0].pages(), 1);
        fullest.fold(&mut profiles.each_mut(), None);
        assert_eq!(Some(fullest.most as usize), most);
        assert_eq!(fullest.level, 0);
    }
}
