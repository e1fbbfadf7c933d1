//! The elements behind an address of an array: one number, or the box of a tile.
//!
//! In: a [`Layout`] and an address. Out: the elements there as runs of row-major addresses of elements, in the row-major
//! order of the box. The boxes of different addresses share no element, and together they are the whole array.

use super::{Layout, unflatten};
use std::ops::Range;
use systole_equations::recurrence::Role;
use systole_equations::tiles::Slant;

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

    /// The elements of the array behind these addresses, of which these are the values of all that stands there, in its order:
    /// places without an element are left out.
    pub fn arranged(&self, addresses: &[Range<usize>], values: Vec<f64>) -> (Vec<Range<usize>>, Vec<f64>) {
        let Some(slant) = &self.slant else { return (self.element_runs(addresses), values) };
        let places = addresses.iter().flat_map(Range::clone).flat_map(|address| self.places(address));
        let elements = places.zip(values).filter_map(|(place, value)| Some((self.element_at(slant, &place)?, value)));
        elements.map(|(element, value)| (element..element + 1, value)).unzip()
    }

    /// The places in a box, in row-major order.
    fn places(&self, address: usize) -> impl Iterator<Item = Vec<i64>> {
        let ranges: Vec<(usize, usize)> = self.ranges(address).collect();
        let lengths: Vec<usize> = ranges.iter().map(|(_, count)| *count).collect();
        (0..self.size_at(address)).map(move |position| {
            let within = unflatten(&lengths, position);
            within.iter().zip(&ranges).map(|(at, (first, _))| (first + at) as i64).collect()
        })
    }

    /// The row-major address of the element at a place, if there is one.
    fn element_at(&self, slant: &Slant, place: &[i64]) -> Option<usize> {
        let element = slant.element_at(place)?;
        element.iter().zip(&self.elements).try_fold(0, |address, (at, extent)| {
            let at = usize::try_from(*at).ok().filter(|at| at < extent)?;
            Some(address * extent + at)
        })
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
        let tile = if self.boxes.is_empty() { vec![] } else { self.tile_of_places(address) };
        let side = |at: i64, side: &[(usize, usize)]| side.get(usize::try_from(at).ok()?).copied();
        tile.into_iter().zip(&self.boxes).map(move |(at, of)| side(at, of).unwrap_or_default())
    }

    /// The tile at an address; no tile where numbers do not fit.
    fn tile_of_places(&self, address: usize) -> Vec<i64> {
        let tile: Vec<i64> = self.subscripts(address).into_iter().map(|at| at as i64).collect();
        match &self.straight {
            Some(places) => places.place_at(&tile).unwrap_or_else(|| vec![-1; tile.len()]),
            None => tile,
        }
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
    use systole_equations::tiles::SlantRow;

    /// Boxes of 1, 3, 3 and 2 by 2, 1 and none elements in an array of 9 by 3.
    #[test]
    fn boxes_share_no_element_and_are_the_whole() {
        let boxes = vec![vec![(0, 1), (1, 3), (4, 3), (7, 2)], vec![(0, 2), (2, 1), (3, 0)]];
        let layout = Layout {
            name: name("X"),
            role: Role::Input,
            shape: vec![4, 3],
            elements: vec![9, 3],
            boxes,
            slant: None,
            straight: None,
        };
        let elements = |address: usize| layout.runs(address).flatten().collect::<Vec<usize>>();
        assert_eq!(elements(3), [3, 4, 6, 7, 9, 10]);
        assert_eq!((elements(10), elements(11)), (vec![23, 26], vec![]));
        assert_eq!(layout.element_runs(&[3..4, 10..12]), [3..5, 6..8, 9..11, 23..24, 26..27]);
        let sizes = (0..layout.length()).all(|address| elements(address).len() == layout.size_at(address));
        let mut all: Vec<usize> = (0..layout.length()).flat_map(elements).collect();
        all.sort_unstable();
        assert_eq!((sizes, all, layout.largest_box()), (true, (0..27).collect(), 6));
    }

    /// Element (i, j) of 2 by 3 lies at (i, j + i): boxes of 2 by 2 of the 2 by 4 places.
    #[test]
    fn slanted_boxes_hold_the_elements_that_lie_in_them() {
        let rows = [(vec![0, 0], 0), (vec![1, 0], 0)].map(|(factors, shift)| SlantRow { factors, shift });
        let boxes = vec![vec![(0, 2)], vec![(0, 2), (2, 2)]];
        let slant = Some(Slant { rows: rows.to_vec() });
        let layout = Layout {
            name: name("X"),
            role: Role::Output,
            shape: vec![1, 2],
            elements: vec![2, 3],
            boxes,
            slant,
            straight: None,
        };
        let arranged = |address: usize, values: &[f64]| {
            layout.arranged(std::slice::from_ref(&(address..address + 1)), values.to_vec())
        };
        assert_eq!(arranged(0, &[1.0, 2.0, 9.0, 4.0]), (vec![0..1, 1..2, 3..4], vec![1.0, 2.0, 4.0]));
        assert_eq!(arranged(1, &[3.0, 9.0, 5.0, 6.0]), (vec![2..3, 4..5, 5..6], vec![3.0, 5.0, 6.0]));
    }

    #[test]
    fn a_number_is_a_box_of_its_own() {
        let layout = Layout {
            name: name("X"),
            role: Role::Input,
            shape: vec![4, 3],
            elements: vec![4, 3],
            boxes: vec![],
            slant: None,
            straight: None,
        };
        assert_eq!(layout.runs(7).map(|run| (run.start, run.end)).collect::<Vec<_>>(), [(7, 8)]);
        assert_eq!(layout.size_at(7), 1);
    }
}
