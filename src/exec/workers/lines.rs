//! The bus lines at one worker.
//!
//! A word that is driven goes to every worker with a PE on the line, each of which hands it on as the plan's broadcasts say, and stays
//! readable there. A worker that drives a tag also hears of the others' drives, so a tag that is driven twice is always noticed by
//! one of them.

use super::outbox::Outbox;
use super::packet::Parcel;
use super::word::Word;
use crate::exec::plan::Plan;
use std::collections::HashMap;

/// One line, as far as it is heard at this worker.
#[derive(Clone, Debug)]
struct Line<W> {
    driven: HashMap<Vec<i64>, W>,
    /// Who waits for which tag.
    parked: HashMap<Vec<i64>, Vec<usize>>,
}

impl<W> Line<W> {
    /// Puts a word on the line; the PEs that may go on, or `None` where the tag was driven before.
    fn put(&mut self, tag: &[i64], word: W) -> Option<Vec<usize>> {
        let is_first = self.driven.insert(tag.to_vec(), word).is_none();
        is_first.then(|| self.parked.remove(tag).unwrap_or_default())
    }
}

/// All lines of the array, of which a worker fills those that its PEs lie on.
pub struct Lines<W> {
    /// Whose they are.
    worker: usize,
    lines: Vec<Line<W>>,
    /// Of all words that were driven.
    bytes: u64,
}

impl<W: Word> Lines<W> {
    /// Nothing driven yet, at a worker.
    pub fn of(plan: &Plan<'_>, worker: usize) -> Lines<W> {
        let line = Line { driven: HashMap::new(), parked: HashMap::new() };
        Lines { worker, lines: vec![line; plan.wiring.lines.len()], bytes: 0 }
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
        self.bytes += word.bytes();
        self.lines[line].put(tag, word.clone())
    }

    /// How many bytes the words take that were driven so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The word with a tag; where it is not driven yet, the PE is parked.
    pub fn listen(&mut self, line: usize, pe: usize, tag: &[i64]) -> Option<W> {
        let line = &mut self.lines[line];
        let word = line.driven.get(tag).cloned();
        if word.is_none() {
            line.parked.entry(tag.to_vec()).or_default().push(pe);
        }
        word
    }
}
