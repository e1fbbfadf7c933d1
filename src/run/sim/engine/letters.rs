//! What regions write to each other, and where they leave it.
//!
//! In: messages of wires side by side, words driven on buses. Out: the same at the far end, in the same order. A region
//! leaves a letter in a mailbox whenever it likes, and the other takes it whenever it likes: neither waits. What one core
//! has written another has to fetch line by line, so a row of messages is written down as a row.

use super::lines::Word;
use std::mem::swap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One message of each of some wires side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// The bundle, among those that the region that reads shares with the one that writes.
    pub bundle: u32,
    /// The first wire, counted from the first of the bundle.
    pub first: u32,
    pub length: u32,
}

/// Rows of messages of one kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Page {
    rows: Vec<Row>,
    pub times: Vec<u64>,
    /// For each time a word, or nothing.
    pub values: Vec<f64>,
}

impl Page {
    /// Begins a row; its times, and its words if it has any, follow.
    pub fn begin(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// All rows, each with its times and its words.
    pub fn rows(&self) -> impl Iterator<Item = (Row, &[u64], &[f64])> {
        self.rows.iter().scan(0, |next, row| {
            let first = std::mem::replace(next, *next + row.length as usize);
            Some((*row, &self.times[first..*next], self.values.get(first..*next).unwrap_or(&[])))
        })
    }

    fn append(&mut self, other: &mut Page) {
        self.rows.append(&mut other.rows);
        self.times.append(&mut other.times);
        self.values.append(&mut other.values);
    }

    fn clear(&mut self) {
        self.rows.clear();
        self.times.clear();
        self.values.clear();
    }
}

/// What one region tells another.
#[derive(Clone, Debug, Default)]
pub(super) struct Letter {
    /// Words and when they are visible.
    pub words: Page,
    /// From when on slots are free.
    pub freed: Page,
    /// Words driven, each with the line's number in the region that reads and the length of its tag.
    drives: Vec<(usize, usize, Word)>,
    /// Their tags, one after the other.
    tags: Vec<i64>,
}

impl Letter {
    /// Writes down a word that was driven.
    pub fn write_drive(&mut self, line: usize, tag: &[i64], word: Word) {
        self.drives.push((line, tag.len(), word));
        self.tags.extend(tag);
    }

    /// All words driven with their lines and tags.
    pub fn drives(&self) -> impl Iterator<Item = (usize, &[i64], Word)> {
        self.drives.iter().scan(&self.tags[..], |rest, (line, arity, word)| {
            let (tag, others) = rest.split_at_checked(*arity)?;
            *rest = others;
            Some((*line, tag, *word))
        })
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.words.rows.is_empty() && self.freed.rows.is_empty() && self.drives.is_empty()
    }

    /// The words in it.
    pub fn values(&self) -> impl Iterator<Item = f64> {
        self.words.values.iter().copied().chain(self.drives.iter().map(|(.., word)| word.value))
    }

    fn append(&mut self, other: &mut Letter) {
        self.words.append(&mut other.words);
        self.freed.append(&mut other.freed);
        self.drives.append(&mut other.drives);
        self.tags.append(&mut other.tags);
    }

    /// Forgets what was read.
    pub fn clear(&mut self) {
        self.words.clear();
        self.freed.clear();
        self.drives.clear();
        self.tags.clear();
    }
}

/// Where a region leaves letters for one other, with how many sweeps they tell of.
#[derive(Debug, Default)]
pub(super) struct Mailbox {
    sweeps: AtomicU64,
    is_full: AtomicBool,
    letter: Mutex<Letter>,
}

/// More sweeps than any: nobody should wait for letters.
pub(super) const AWAY: u64 = u64::MAX;

impl Mailbox {
    /// The letter that lies there.
    pub fn letter(&self) -> MutexGuard<'_, Letter> {
        self.letter.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a letter lies there.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Acquire)
    }

    /// Of how many sweeps letters were left, or [`AWAY`].
    #[inline]
    pub fn sweeps(&self) -> u64 {
        self.sweeps.load(Ordering::Acquire)
    }

    /// All that so many sweeps have for the other region is left.
    pub fn set_sweeps(&self, sweeps: u64) {
        self.sweeps.store(sweeps, Ordering::Release);
    }

    /// Leaves a letter, behind one that lies there; what remains is empty.
    pub fn leave(&self, letter: &mut Letter) {
        let mut left = self.letter();
        match left.is_empty() {
            true => swap(&mut *left, letter),
            false => left.append(letter),
        }
        self.is_full.store(true, Ordering::Release);
    }

    /// Takes what lies there in exchange for an empty letter.
    pub fn take(&self, letter: &mut Letter) {
        if self.is_full() {
            let mut left = self.letter();
            swap(&mut *left, letter);
            self.is_full.store(false, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two rows of words, one of freed slots and two drives, told from `number` on.
    fn letter(number: u64) -> Letter {
        let mut letter = Letter::default();
        for (bundle, length) in [(0, 3), (1, 1)] {
            letter.words.begin(Row { bundle, first: number as u32, length });
            letter.words.times.extend((0..u64::from(length)).map(|time| number + time));
            letter.words.values.extend((0..length).map(f64::from));
        }
        letter.freed.begin(Row { bundle: 2, first: 0, length: 2 });
        letter.freed.times.extend([number, number + 7]);
        let word = |visible| Word { visible, value: 0.5, driver: 0 };
        letter.write_drive(4, &[number as i64, -1], word(number));
        letter.write_drive(5, &[], word(number + 1));
        letter
    }

    /// What a letter says, in words.
    fn read(letter: &Letter) -> Vec<String> {
        let pages = [&letter.words, &letter.freed];
        let rows =
            pages.into_iter().flat_map(|page| page.rows().map(|row| format!("{row:?}")).collect::<Vec<String>>());
        rows.chain(letter.drives().map(|drive| format!("{drive:?}"))).collect()
    }

    #[test]
    fn a_letter_left_behind_another_is_read_after_it() {
        let (mailbox, mut taken) = (Mailbox::default(), Letter::default());
        for number in [10, 20] {
            let mut left = letter(number);
            mailbox.leave(&mut left);
            assert!(left.is_empty() && mailbox.is_full());
        }
        mailbox.take(&mut taken);
        assert!(!mailbox.is_full());
        let (mut all, mut both) = (read(&taken), [read(&letter(10)), read(&letter(20))].concat());
        let of_bundle = |all: &[String], bundle: &str| {
            all.iter().filter(|line| line.contains(bundle)).cloned().collect::<Vec<String>>()
        };
        for kind in ["bundle: 0", "bundle: 1", "bundle: 2", "(4, [", "(5, ["] {
            assert_eq!(of_bundle(&all, kind), of_bundle(&both, kind));
        }
        all.sort();
        both.sort();
        assert_eq!(all, both);
    }
}
