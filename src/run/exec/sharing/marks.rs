//! Sets of addresses of an array, as bits.
//!
//! In: addresses, in any order. Out: whether one is in the set, and the runs of neighbours. Bits stand in pages, which are
//! there once one of their addresses is marked, so a set takes room where it has something, whatever the array's length.

use std::ops::Range;

/// Addresses in a page.
const PAGE: usize = 1 << 16;

/// Addresses in an entry of a page.
const ENTRY: usize = 64;

/// Some of the addresses of an array.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// Empty where nothing is marked.
    pages: Vec<Vec<u64>>,
}

impl Marks {
    /// Puts an address in; whether it was not there.
    pub fn mark(&mut self, address: usize) -> bool {
        let (page, at) = (address / PAGE, address % PAGE);
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, Vec::new);
        }
        if self.pages[page].is_empty() {
            self.pages[page] = vec![0; PAGE / ENTRY];
        }
        let (entry, bit) = (&mut self.pages[page][at / ENTRY], 1 << (at % ENTRY));
        let is_new = *entry & bit == 0;
        *entry |= bit;
        is_new
    }

    /// Whether an address is in the set.
    #[cfg(any(test, feature = "mpi"))]
    pub fn has(&self, address: usize) -> bool {
        let entries = self.pages.get(address / PAGE).filter(|entries| !entries.is_empty());
        entries.is_some_and(|entries| is_set(entries[address % PAGE / ENTRY], address))
    }

    /// The addresses as runs, in rising order.
    pub fn runs(&self) -> Vec<Range<usize>> {
        let entries = self.pages.iter().enumerate().flat_map(|(page, entries)| {
            entries.iter().enumerate().map(move |(at, entry)| (page * PAGE + at * ENTRY, *entry))
        });
        let addresses = entries
            .filter(|(_, entry)| *entry != 0)
            .flat_map(|(first, entry)| (first..first + ENTRY).filter(move |address| is_set(entry, *address)));
        let mut runs: Vec<Range<usize>> = vec![];
        for address in addresses {
            match runs.last_mut().filter(|run| run.end == address) {
                Some(run) => run.end += 1,
                None => runs.push(address..address + 1),
            }
        }
        runs
    }
}

fn is_set(entry: u64, address: usize) -> bool {
    entry >> (address % ENTRY) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_run_across_entries_and_pages() {
        let mut marks = Marks::default();
        let addresses = [0, 1, 3, 63, 64, PAGE - 1, PAGE, 3 * PAGE];
        assert!(addresses.iter().rev().all(|address| marks.mark(*address)));
        assert!(!marks.mark(64) && marks.has(PAGE) && !marks.has(2) && !marks.has(2 * PAGE) && !marks.has(9 * PAGE));
        assert_eq!(marks.runs(), [0..2, 3..4, 63..65, PAGE - 1..PAGE + 1, 3 * PAGE..3 * PAGE + 1]);
        assert!(Marks::default().runs().is_empty());
    }
}
