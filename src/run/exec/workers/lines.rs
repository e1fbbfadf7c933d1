//! The bus lines at one worker.
//!
//! A word that is driven goes to every worker with a PE on the line, each of which hands it on as the plan's broadcasts say. There it is
//! readable until all who will ever listen have heard it: how often that is, a walk through the bodies has found. Numbers stay, being
//! smaller than what would be kept about them. A worker that drives a tag also hears of the others' drives, so a tag that is driven twice
//! is always noticed by one of them.

use super::outbox::Outbox;
use super::packet::Parcel;
use super::word::Word;
use crate::exec::plan::Plan;
use crate::exec::sharing::needs::{BusReads, heard_by};
use std::collections::HashMap;

/// A word that was driven.
#[derive(Debug)]
struct Driven<W> {
    /// None once all have heard it.
    word: Option<W>,
    /// How often it will be heard here; none where it stays whoever hears it.
    left: Option<u64>,
}

/// One line, as far as it is heard at this worker.
#[derive(Debug)]
struct Line<W> {
    driven: HashMap<Vec<i64>, Driven<W>>,
    /// How often each tag that is not driven yet will be heard; none where words stay.
    heard: Option<BusReads>,
    /// Who waits for which tag.
    parked: HashMap<Vec<i64>, Vec<usize>>,
}

impl<W: Word> Line<W> {
    fn new(heard: Option<BusReads>) -> Line<W> {
        Line { driven: HashMap::new(), heard, parked: HashMap::new() }
    }

    /// Puts a word on the line: how many bytes are kept for it, and the PEs that may go on, or `None` where the tag was driven before.
    fn put(&mut self, tag: &[i64], word: W) -> (u64, Option<Vec<usize>>) {
        let left = self.heard.as_mut().map(|heard| heard.remove(tag).unwrap_or(0));
        let word = Some(word).filter(|_| left != Some(0));
        let bytes = word.as_ref().map_or(0, W::bytes);
        let is_first = self.driven.insert(tag.to_vec(), Driven { word, left }).is_none();
        (bytes, is_first.then(|| self.parked.remove(tag).unwrap_or_default()))
    }

    /// A word that is there, and how many bytes are given back for it.
    fn hear(&mut self, tag: &[i64]) -> Option<(W, u64)> {
        let Driven { word, left } = self.driven.get_mut(tag)?;
        let heard = word.clone()?;
        let left = left.as_mut().map(|left| {
            *left -= 1;
            *left
        });
        let given_back = if left == Some(0) { word.take().map_or(0, |word| word.bytes()) } else { 0 };
        Some((heard, given_back))
    }
}

/// All lines of the array, of which a worker fills those that its PEs lie on.
pub struct Lines<W> {
    /// Whose they are.
    worker: usize,
    lines: Vec<Line<W>>,
    /// Of the words that are kept: now, and the most there were.
    bytes: u64,
    most_bytes: u64,
}

impl<W: Word> Lines<W> {
    /// Nothing driven yet, at a worker.
    pub fn of(plan: &Plan<'_>, worker: usize) -> Lines<W> {
        let count = plan.wiring.lines.len();
        let lines = match W::IS_SHARED && count > 0 {
            true => heard_by(plan, worker).into_iter().map(|heard| Line::new(Some(heard))).collect(),
            false => (0..count).map(|_| Line::new(None)).collect(),
        };
        Lines { worker, lines, bytes: 0, most_bytes: 0 }
    }

    /// A word is here that a PE drove, of this worker or of another, and is handed on. The PEs that may go on, or `None` where
    /// the tag was driven before.
    pub fn drive(
        &mut self,
        plan: &Plan<'_>,
        (line, pe): (usize, usize),
        tag: &[i64],
        word: &W,
        outbox: &mut Outbox,
    ) -> Option<Vec<usize>> {
        for worker in plan.broadcast.next(&plan.reach[line], plan.owner(pe), self.worker) {
            outbox.put(worker, &Parcel::Drive { line, pe, value: word.clone(), tag: tag.to_vec() });
        }
        let (bytes, freed) = self.lines[line].put(tag, word.clone());
        self.bytes += bytes;
        self.most_bytes = self.most_bytes.max(self.bytes);
        freed
    }

    /// The most bytes that words on the lines took at a time.
    pub fn most_bytes(&self) -> u64 {
        self.most_bytes
    }

    /// The word with a tag; where it is not driven yet, the PE is parked.
    pub fn listen(&mut self, line: usize, pe: usize, tag: &[i64]) -> Option<W> {
        let line = &mut self.lines[line];
        let heard = line.hear(tag);
        if heard.is_none() {
            line.parked.entry(tag.to_vec()).or_default().push(pe);
        }
        let (word, given_back) = heard?;
        self.bytes -= given_back;
        Some(word)
    }
}
