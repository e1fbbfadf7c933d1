//! Lines of PEs that share a bus.
//!
//! A word driven with a tag at clock t is heard from `t + latency` on by whoever asks for the tag, and stays readable. The
//! words of a line stand in a table with open addresses: tags of one length, side by side, found by a hash and compared
//! in full.

use std::collections::HashMap;

/// A word on a line: from when on it is heard, and which PE of the code drove it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Word {
    pub visible: u64,
    pub value: f64,
    pub driver: u32,
}

/// The words on a line's bus and the seats of the PEs that wait for one.
#[derive(Clone, Debug)]
pub(super) struct Line {
    arity: usize,
    /// Position of a word plus 1; 0 where there is none. Its length is a power of two, at most half of it in use.
    table: Vec<u32>,
    tags: Vec<i64>,
    words: Vec<Word>,
    /// The position of the word that was heard last: the PEs of a line often ask for the same word, or for the next.
    recent: usize,
    waiting: HashMap<Box<[i64]>, Vec<u32>>,
}

/// An odd number without a pattern: 2^64 over the golden ratio.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

fn hash(tag: &[i64]) -> u64 {
    tag.iter().fold(SPREAD, |hash, entry| (hash.rotate_left(23) ^ *entry as u64).wrapping_mul(SPREAD))
}

impl Line {
    /// A line without words whose tags have so many entries.
    pub fn new(arity: usize) -> Line {
        Line { arity, table: vec![0; 8], tags: vec![], words: vec![], recent: 0, waiting: HashMap::new() }
    }

    /// The word with this tag.
    #[inline]
    pub fn hear(&mut self, tag: &[i64]) -> Option<Word> {
        if !self.has_tag(self.recent, tag) {
            self.recent = match self.has_tag(self.recent + 1, tag) {
                true => self.recent + 1,
                false => self.table[self.place(tag)].checked_sub(1)? as usize,
            };
        }
        Some(self.words[self.recent])
    }

    /// Whether the word with this position has the tag.
    #[inline]
    fn has_tag(&self, position: usize, tag: &[i64]) -> bool {
        let first = position * self.arity;
        position < self.words.len() && tag.iter().zip(&self.tags[first..]).all(|(asked, entry)| asked == entry)
    }

    /// The seats that waited for this word; `None` where the tag was driven before.
    pub fn drive(&mut self, tag: &[i64], word: Word) -> Option<Vec<u32>> {
        let place = self.place(tag);
        if self.table[place] != 0 {
            return None;
        }
        self.words.push(word);
        self.tags.extend(tag);
        self.table[place] = self.words.len() as u32;
        if self.words.len() * 2 > self.table.len() {
            self.rehash();
        }
        Some(self.waiting.remove(tag).unwrap_or_default())
    }

    /// Notes that a PE waits for a tag.
    pub fn wait(&mut self, tag: &[i64], seat: u32) {
        self.waiting.entry(tag.into()).or_default().push(seat);
    }

    /// Tags and words in the order in which they were driven, from the word with the position `first` on.
    pub fn driven_since(&self, first: usize) -> impl Iterator<Item = (&[i64], Word)> {
        let tag = |position: usize| &self.tags[position * self.arity..(position + 1) * self.arity];
        (first..self.words.len()).map(move |position| (tag(position), self.words[position]))
    }

    /// The first two words, with their tags, that are on the bus in one cycle.
    pub fn meeting(&self) -> Option<[(&[i64], Word); 2]> {
        if self.words.is_sorted_by(|one, next| one.visible < next.visible) {
            return None;
        }
        let mut driven: Vec<(&[i64], Word)> = self.driven_since(0).collect();
        driven.sort_by_key(|(tag, word)| (word.visible, *tag));
        driven.array_windows().find(|[(_, one), (_, next)]| one.visible == next.visible).copied()
    }

    /// The words without their tags.
    pub fn values(&self) -> impl Iterator<Item = f64> {
        self.words.iter().map(|word| word.value)
    }

    /// How many words it holds.
    pub fn driven(&self) -> usize {
        self.words.len()
    }

    /// Where a tag stands in the table, or would stand.
    #[inline]
    fn place(&self, tag: &[i64]) -> usize {
        let mask = self.table.len() - 1;
        let mut place = (hash(tag) >> 32) as usize & mask;
        while self.table[place] != 0 {
            if self.has_tag(self.table[place] as usize - 1, tag) {
                break;
            }
            place = (place + 1) & mask;
        }
        place
    }

    fn rehash(&mut self) {
        self.table = vec![0; self.table.len() * 2];
        for position in 0..self.words.len() {
            let tag = &self.tags[position * self.arity..(position + 1) * self.arity];
            let place = self.place(tag);
            self.table[place] = position as u32 + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tag_is_found_and_no_other() {
        let mut line = Line::new(2);
        let word = |number: i64| Word { visible: number as u64, value: number as f64, driver: 0 };
        for number in 0..500 {
            assert_eq!(line.drive(&[number % 20, number / 20 - 7], word(number)), Some(vec![]));
        }
        for number in 0..500 {
            assert_eq!(line.hear(&[number % 20, number / 20 - 7]), Some(word(number)));
        }
        assert_eq!(line.hear(&[0, 18]), None);
        assert_eq!(line.drive(&[3, -7], word(0)), None);
        assert_eq!(line.driven_since(498).count(), 2);
    }

    #[test]
    fn two_words_of_one_cycle_meet() {
        let mut line = Line::new(1);
        for (tag, visible) in [(3, 7), (4, 5), (1, 6)] {
            line.drive(&[tag], Word { visible, value: 0.5, driver: tag as u32 });
        }
        assert_eq!(line.meeting(), None);
        line.drive(&[2], Word { visible: 5, value: 0.5, driver: 9 });
        let met = line.meeting().map(|words| words.map(|(tag, word)| (tag[0], word.visible, word.driver)));
        assert_eq!(met, Some([(2, 5, 9), (4, 5, 4)]));
    }

    #[test]
    fn who_waits_for_a_tag_is_named_when_it_is_driven() {
        let mut line = Line::new(1);
        line.wait(&[4], 9);
        line.wait(&[5], 3);
        let word = Word { visible: 1, value: 2.0, driver: 0 };
        assert_eq!(line.drive(&[4], word), Some(vec![9]));
        assert_eq!(line.drive(&[6], word), Some(vec![]));
    }
}
