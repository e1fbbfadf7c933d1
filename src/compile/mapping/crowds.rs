//! Crowds: spaces of which a step of a PE may not hold a point each.
//!
//! In: the spaces of a design, and how many operations a step holds. Out: the lists of spaces that are one too many. A step holds one
//! point of a space at most, so where PEs are folded a space is a crowd with itself.

use super::Design;
use systole_base::cell::Cell;

/// So many crowds are looked at, and no more.
const MOST: u64 = 5000;

impl Design<'_> {
    /// The crowds: pairs where a step holds one operation, and lists of distinct spaces, one more than it holds, else. `None` where
    /// there are too many.
    pub fn crowds(&self, cell: Cell) -> Option<Vec<Vec<usize>>> {
        let count = self.parts.len();
        let alone = (0..count).filter(|_| !self.fold.is_none()).map(|space| vec![space, space]);
        let distinct = match cell {
            Cell::Holds(operations) => lists(count, usize::try_from(operations).unwrap_or(count).saturating_add(1))?,
            Cell::All => vec![],
        };
        let mut crowds: Vec<Vec<usize>> = alone.chain(distinct).collect();
        crowds.sort();
        Some(crowds)
    }
}

/// The rising lists of so many of the numbers below `count`; `None` where there are too many.
fn lists(count: usize, length: usize) -> Option<Vec<Vec<usize>>> {
    if length > count {
        return Some(vec![]);
    }
    if length > 2 && choices(count as u64, length as u64) > MOST {
        return None;
    }
    let longer = |list: Vec<usize>, left: usize| {
        let from = list.last().map_or(0, |last| last + 1);
        (from..=count - left).map(move |next| [list.clone(), vec![next]].concat())
    };
    let lists = (0..length).rev().map(|after| after + 1);
    Some(lists.fold(vec![vec![]], |lists, left| lists.into_iter().flat_map(|list| longer(list, left)).collect()))
}

/// In how many ways so many of `count` things can be chosen, or more than are looked at.
fn choices(count: u64, chosen: u64) -> u64 {
    let fewer = chosen.min(count - chosen);
    (0..fewer).fold(1, |ways: u64, number| ways.saturating_mul(count - number) / (number + 1))
}

#[cfg(test)]
mod tests {
    use super::{choices, lists};

    #[test]
    fn lists_rise() {
        assert_eq!(lists(3, 2), Some(vec![vec![0, 1], vec![0, 2], vec![1, 2]]));
        assert_eq!(lists(4, 3), Some(vec![vec![0, 1, 2], vec![0, 1, 3], vec![0, 2, 3], vec![1, 2, 3]]));
        assert_eq!(lists(2, 3), Some(vec![]));
        assert_eq!((choices(10, 3), choices(10, 7), choices(5, 5)), (120, 120, 1));
        assert_eq!(lists(10, 4).map(|lists| lists.len()), Some(210));
        assert_eq!(lists(60, 30), None);
    }
}
