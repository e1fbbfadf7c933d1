//! One line of PEs that share a bus.
//!
//! A word driven with a tag at clock t is heard from `t + latency` on by whoever asks for the tag, and stays readable.

use crate::array::Trouble;
use std::collections::HashMap;

type Tag = Box<[i64]>;

/// The words on a line's bus and the PEs that wait for one.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    words: HashMap<Tag, (u64, f64)>,
    waiting: HashMap<Tag, Vec<usize>>,
    heard: u64,
}

impl Line {
    /// Drives a word at `clock`; gives the PEs that waited for it, or `None` where the tag was driven before.
    pub fn drive(&mut self, tag: &[i64], clock: u64, latency: u64, value: f64) -> Result<Option<Vec<usize>>, Trouble> {
        let visible = clock.checked_add(latency).ok_or(Trouble::Overflow)?;
        if self.words.contains_key(tag) {
            return Ok(None);
        }
        self.words.insert(tag.into(), (visible, value));
        Ok(Some(self.waiting.remove(tag).unwrap_or_default()))
    }

    /// Hears a word at `clock`; gives the listener's new clock and the word. Where nothing was driven the listener is
    /// noted as waiting.
    pub fn listen(&mut self, tag: &[i64], clock: u64, listener: usize) -> Option<(u64, f64)> {
        match self.words.get(tag) {
            Some((visible, value)) => {
                self.heard += 1;
                Some((clock.max(*visible), *value))
            }
            None => {
                self.waiting.entry(tag.into()).or_default().push(listener);
                None
            }
        }
    }

    /// How many words were driven.
    pub fn driven(&self) -> u64 {
        self.words.len() as u64
    }

    /// How many words were heard, once for each listener.
    pub fn heard(&self) -> u64 {
        self.heard
    }
}
