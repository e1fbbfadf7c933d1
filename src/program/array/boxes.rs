//! The elements behind an address of an array: one number, or the box of a tile.
//!
//! In: a [`Layout`] and an address. Out: the elements there as runs of row-major addresses of elements, in the row-major
//! order of the box. The boxes of different addresses share no element, and together they are the whole array.

use super::Layout;
use std::ops::Range;
use systole_equations::recurrence::Role;

impl Layout {
    /// Whether it is an output.
    pub fn is_output(&self) -> bool {
        self.role == Role::Output
    }

    /// How many elements the whole array has.
    pub fn volume(&self) -> usize {
        self.elements.iter().product()
    }

    /// How many elements stand behind an address: 1 in arrays of numbers, none in the box of an empty tile.
    pub fn size_at(&self, address: usize) -> usize {
        self.ranges(address).map(|(_, count)| count).product()
    }

    /// The elements behind an address.
    pub fn runs(&self, address: usize) -> impl Iterator<Item = Range<usize>> {
        let ranges: Vec<(usize, usize)> = self.ranges(address).collect();
        let strides = strides(&self.elements);
        let (outer, last) = match ranges.split_last() {
            Some((last, outer)) => (outer.to_vec(), *last),
            None => (vec![], (address, 1)),
        };
        let rows = if last.1 == 0 { 0 } else { outer.iter().map(|(_, count)| count).product() };
        (0..rows).map(move |mut row| {
            let mut first = last.0;
            for ((begin, count), stride) in outer.iter().zip(&strides).rev() {
                first += (begin + row % count) * stride;
                row /= count;
            }
            first..first + last.1
        })
    }

    /// The elements behind these addresses, in their order.
    pub fn element_runs(&self, addresses: &[Range<usize>]) -> Vec<Range<usize>> {
        match self.boxes.is_empty() {
            true => addresses.to_vec(),
            false => addresses.iter().flat_map(Range::clone).flat_map(|address| self.runs(address)).collect(),
        }
    }

    /// The most elements that stand behind an address.
    pub fn largest_box(&self) -> usize {
        let longest = |side: &Vec<(usize, usize)>| side.iter().map(|(_, count)| *count).max().unwrap_or(0);
        self.boxes.iter().map(longest).product()
    }

    /// The most elements of a word: 1 in arrays of numbers.
    pub fn largest_word(&self) -> usize {
        if self.boxes.is_empty() { 1 } else { self.largest_box() }
    }

    /// For each dimension of a box its first element and how many there are.
    fn ranges(&self, address: usize) -> impl Iterator<Item = (usize, usize)> {
        let tile = if self.boxes.is_empty() { vec![] } else { self.subscripts(address) };
        tile.into_iter().zip(&self.boxes).map(|(at, side)| side.get(at).copied().unwrap_or_default())
    }
}

/// How far the neighbours along each dimension are apart.
fn strides(extents: &[usize]) -> Vec<usize> {
    let mut strides: Vec<usize> =
        extents.iter().rev().scan(1, |next, extent| Some(std::mem::replace(next, *next * extent))).collect();
    strides.reverse();
    strides
}

#[cfg(test)]
mod tests {
    use super::*;
    use systole_base::integer::name;

    /// Boxes of 1, 3, 3 and 2 by 2, 1 and none elements in an array of 9 by 3.
    #[test]
    fn boxes_share_no_element_and_are_the_whole() {
        let boxes = vec![vec![(0, 1), (1, 3), (4, 3), (7, 2)], vec![(0, 2), (2, 1), (3, 0)]];
        let layout = Layout { name: name("X"), role: Role::Input, shape: vec![4, 3], elements: vec![9, 3], boxes };
        let elements = |address: usize| layout.runs(address).flatten().collect::<Vec<usize>>();
        assert_eq!(elements(3), [3, 4, 6, 7, 9, 10]);
        assert_eq!((elements(10), elements(11)), (vec![23, 26], vec![]));
        assert_eq!(layout.element_runs(&[3..4, 10..12]), [3..5, 6..8, 9..11, 23..24, 26..27]);
        let sizes = (0..layout.length()).all(|address| elements(address).len() == layout.size_at(address));
        let mut all: Vec<usize> = (0..layout.length()).flat_map(elements).collect();
        all.sort_unstable();
        assert_eq!((sizes, all, layout.largest_box()), (true, (0..27).collect(), 6));
    }

    #[test]
    fn a_number_is_a_box_of_its_own() {
        let layout =
            Layout { name: name("X"), role: Role::Input, shape: vec![4, 3], elements: vec![4, 3], boxes: vec![] };
        assert_eq!(layout.runs(7).map(|run| (run.start, run.end)).collect::<Vec<_>>(), [(7, 8)]);
        assert_eq!(layout.size_at(7), 1);
    }
}
