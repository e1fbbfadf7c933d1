//! Words that come back to the worker that sent them.
//!
//! Where PEs are distributed in turn, a stream goes from worker to worker and back, a word at a time. Who sends to a PE that may send
//! the same word back keeps what it sent last. The other worker, when that PE sends what it took last from the wire, names the
//! word by its number on the wire, and its elements are not sent again.
//!
//! As many words are kept as the wire has slots, and one: when word `n` is named, the PE has not taken the next one, so no credit
//! for that has left before the name, and what leaves first is there first; until then the sender has sent no more than `n` and as
//! many as there are slots. Words are the same if they are the same memory, which nobody writes to while two hold it.

use super::word::Word;
use std::collections::VecDeque;

/// What was sent last on a wire; words have numbers from 1 on.
#[derive(Debug)]
pub struct Sent<W> {
    kept: VecDeque<W>,
    /// How many were sent.
    count: u64,
    /// How many are kept at most.
    most: u64,
}

impl<W: Word> Sent<W> {
    /// Nothing sent yet on a wire of so many slots.
    pub fn new(slots: u64) -> Sent<W> {
        Sent { kept: VecDeque::new(), count: 0, most: slots.saturating_add(1) }
    }

    /// Keeps a word that is sent; the bytes of what is forgotten for it.
    pub fn keep(&mut self, word: &W) -> u64 {
        self.kept.push_back(word.clone());
        self.count += 1;
        self.forget(self.count.saturating_sub(self.most))
    }

    /// The word of a number, and the bytes of those before it, which nobody will name any more.
    pub fn named(&mut self, number: u64) -> Option<(W, u64)> {
        let forgotten = self.forget(number.saturating_sub(1));
        let before = self.count - self.kept.len() as u64;
        let place = usize::try_from(number.checked_sub(before + 1)?).ok()?;
        self.kept.get(place).map(|word| (word.clone(), forgotten))
    }

    /// Forgets words up to a number.
    fn forget(&mut self, number: u64) -> u64 {
        let before = self.count - self.kept.len() as u64;
        let forgotten = number.saturating_sub(before).min(self.kept.len() as u64);
        self.kept.drain(..forgotten as usize).map(|word| word.bytes()).sum()
    }
}

/// What a PE took last from a wire.
#[derive(Debug)]
pub struct LastReceived<W: Word> {
    mark: Option<W::Mark>,
    /// How many it took.
    count: u64,
}

impl<W: Word> LastReceived<W> {
    /// Nothing yet.
    pub fn new() -> LastReceived<W> {
        LastReceived { mark: None, count: 0 }
    }

    /// A word is taken.
    pub fn note(&mut self, word: &W) {
        self.mark = word.mark();
        self.count += 1;
    }

    /// The number of a word, if it is the last that was taken.
    pub fn number(&self, word: &W) -> Option<u64> {
        self.mark.as_ref().filter(|mark| word.has(mark)).map(|_| self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leaf::Tile;
    use proptest::prelude::*;
    use std::sync::Arc;

    fn tile(value: f64) -> Tile {
        Tile::Values(Arc::new(vec![value; 3].into()))
    }

    #[test]
    fn a_word_is_known_while_it_is_the_last_and_is_not_written() {
        let (first, second) = (tile(1.0), tile(1.0));
        let mut taken = LastReceived::new();
        taken.note(&first);
        assert_eq!((taken.number(&first.clone()), taken.number(&second)), (Some(1), None));
        taken.note(&second);
        assert_eq!((taken.number(&first), taken.number(&second)), (None, Some(2)));
        // What a leaf makes of the only one that holds it is another word, wherever its memory is.
        let Tile::Values(values) = second else { unreachable!("a tile") };
        let written = Tile::Values(Arc::new(Arc::unwrap_or_clone(values)));
        assert_eq!(taken.number(&written), None);
        taken.note(&Tile::Uniform(1.0));
        assert_eq!(taken.number(&Tile::Uniform(1.0)), None);
    }

    proptest! {
        /// A sender that is ahead by all slots has the last word that was taken, in no more memory; with one fewer kept it has not.
        #[test]
        fn what_may_be_named_is_kept(slots in 1..5u64, taken in 1..40u64) {
            let (mut sent, mut fewer, mut bytes) = (Sent::new(slots), Sent::new(slots - 1), 0);
            for number in 1..=taken + slots {
                fewer.keep(&(number as f64));
                bytes += 8;
                bytes -= sent.keep(&(number as f64));
            }
            prop_assert_eq!(bytes, 8 * (slots + 1));
            prop_assert_eq!(fewer.named(taken), None);
            prop_assert_eq!(sent.named(taken), Some((taken as f64, 0)));
            // Those before a word that was named are forgotten.
            prop_assert_eq!(sent.named(taken + slots), Some(((taken + slots) as f64, 8 * slots)));
            prop_assert_eq!(sent.named(taken), None);
            prop_assert_eq!(sent.named(taken + slots + 1), None);
        }
    }
}
