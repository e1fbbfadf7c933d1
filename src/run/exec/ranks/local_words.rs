//! Some words of one array, those that one rank needs of it.
//!
//! In: the runs of their addresses. Out: room for the words there and no others. What is asked of a part is what it was made
//! for: subscripts do not depend on words.

use super::contents::Contents;
use std::ops::Range;
use systole_program::array::Layout;

/// Words of an array by their addresses.
#[derive(Clone, Debug)]
pub struct LocalWords<W> {
    /// Where each run begins, in the array and among the words.
    runs: Vec<(usize, usize)>,
    words: Vec<W>,
}

impl<W: Contents> LocalWords<W> {
    /// A part without its words yet.
    pub fn new(runs: &[Range<usize>]) -> LocalWords<W> {
        let begin =
            |next: &mut usize, run: &Range<usize>| Some((run.start, std::mem::replace(next, *next + run.len())));
        let count = runs.iter().map(Range::len).sum();
        LocalWords { runs: runs.iter().scan(0, begin).collect(), words: Vec::with_capacity(count) }
    }

    /// Puts the words with these elements after those that are there.
    pub fn extend(&mut self, layout: &Layout, runs: &[Range<usize>], elements: &[u64]) {
        let mut rest = elements;
        for address in runs.iter().flat_map(Range::clone) {
            let Some((word, after)) = rest.split_at_checked(layout.size_at(address)) else { return };
            self.words.push(W::of_elements(word));
            rest = after;
        }
    }

    /// Puts words in that are to be written.
    pub fn fill(&mut self, word: &W) {
        self.words.resize(self.words.capacity(), word.clone());
    }

    /// Gives up the words.
    pub fn blank(&mut self) {
        self.words.fill(W::UNWRITTEN);
    }

    /// Where the word of an address stands among the words.
    pub fn place(&self, address: usize) -> Option<usize> {
        let after = self.runs.partition_point(|(first, _)| *first <= address);
        let (first, at) = after.checked_sub(1).map(|run| self.runs[run])?;
        Some(at + address - first).filter(|place| *place < self.words.len())
    }

    /// The word at a place.
    pub fn word(&self, place: usize) -> &W {
        &self.words[place]
    }

    /// Writes the word at a place.
    pub fn set(&mut self, place: usize, word: W) {
        self.words[place] = word;
    }

    /// How many bytes its words take.
    pub fn bytes(&self) -> u64 {
        self.words.iter().map(W::bytes).sum()
    }
}

/// These runs of words in pieces of so many elements at most, but at least one word.
pub fn pieces(layout: &Layout, runs: &[Range<usize>], most: usize) -> Vec<Vec<Range<usize>>> {
    let (mut pieces, mut open, mut size) = (vec![], vec![], 0);
    let largest = layout.largest_word();
    for run in runs {
        let mut first = run.start;
        while first < run.end {
            let room = (most.saturating_sub(size) / largest.max(1)).max(usize::from(open.is_empty()));
            let last = run.end.min(first.saturating_add(room));
            if last > first {
                open.push(first..last);
                size += (last - first) * largest;
            }
            first = last;
            if first < run.end {
                pieces.push(std::mem::take(&mut open));
                size = 0;
            }
        }
    }
    pieces.extend((!open.is_empty()).then_some(open));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use systole_base::integer::name;
    use systole_equations::recurrence::Role;

    fn numbers(length: usize) -> Layout {
        Layout {
            name: name("X"),
            role: Role::Input,
            shape: vec![length],
            elements: vec![length],
            boxes: vec![],
            slant: None,
            straight: None,
        }
    }

    fn run(first: usize, end: usize) -> Range<usize> {
        first..end
    }

    #[test]
    fn pieces_are_full_and_keep_the_order() {
        let found = pieces(&numbers(20), &[0..5, 7..8, 9..16], 4);
        assert_eq!(found, [vec![run(0, 4)], vec![4..5, 7..8, 9..11], vec![run(11, 15)], vec![run(15, 16)]]);
        let tiles = Layout { boxes: vec![vec![(0, 3), (3, 3), (6, 3)]], elements: vec![9], ..numbers(3) };
        assert_eq!(pieces(&tiles, &[run(0, 3)], 7), [vec![run(0, 2)], vec![run(2, 3)]]);
        assert_eq!(pieces(&tiles, &[run(0, 2)], 2), [vec![run(0, 1)], vec![run(1, 2)]]);
        assert_eq!(pieces(&tiles, &[], 2), Vec::<Vec<Range<usize>>>::new());
    }

    #[test]
    fn a_part_finds_its_words_and_no_others() {
        let mut part = LocalWords::<f64>::new(&[2..4, 7..8]);
        let bits = [1.0, 2.0, 3.0].map(f64::to_bits);
        part.extend(&numbers(9), &[run(2, 4)], &bits[..2]);
        part.extend(&numbers(9), &[run(7, 8)], &bits[2..]);
        let found = [2, 3, 7].map(|address| part.place(address).map(|place| *part.word(place)));
        assert_eq!((found, part.bytes()), ([Some(1.0), Some(2.0), Some(3.0)], 24));
        assert_eq!((part.place(0), part.place(8)), (None, None));
    }
}
