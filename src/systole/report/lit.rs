//! Which lines of its program a PE runs in each cycle.
//!
//! In: instructions as they are done. Out: a list of all sets of instructions that were done in one cycle of one PE, and for each PE from
//! when to when it did which. A PE in its steady state does the same in every cycle, so this stays short.

use serde::Serialize;
use std::collections::HashMap;

/// From one cycle to before another a PE does the instructions of one set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Lit(pub usize, pub u64, pub u64);

/// What a PE has done so far in its cycle.
#[derive(Clone, Debug, Default)]
struct Now {
    clock: u64,
    instructions: Vec<usize>,
}

/// Keeps the sets.
#[derive(Clone, Debug, Default)]
pub struct LitInstructions {
    numbers: HashMap<Vec<usize>, usize>,
    sets: Vec<Vec<usize>>,
    spans: Vec<Vec<Lit>>,
    now: Vec<Now>,
}

impl LitInstructions {
    /// For so many PEs.
    pub fn of(pes: usize) -> LitInstructions {
        LitInstructions { spans: vec![vec![]; pes], now: vec![Now::default(); pes], ..LitInstructions::default() }
    }

    /// A PE did an instruction.
    pub fn see(&mut self, pe: usize, instruction: usize, clock: u64) {
        if self.now.get(pe).is_none() {
            return;
        }
        if self.now[pe].clock != clock {
            self.close(pe);
            self.now[pe].clock = clock;
        }
        let instructions = &mut self.now[pe].instructions;
        if let Err(at) = instructions.binary_search(&instruction) {
            instructions.insert(at, instruction);
        }
    }

    /// The sets, and the spans of each PE.
    pub fn finish(mut self) -> (Vec<Vec<usize>>, Vec<Vec<Lit>>) {
        (0..self.now.len()).for_each(|pe| self.close(pe));
        (self.sets, self.spans)
    }

    /// The cycle of a PE is over.
    fn close(&mut self, pe: usize) {
        let Now { clock, instructions } = std::mem::take(&mut self.now[pe]);
        if instructions.is_empty() {
            return;
        }
        let set = self.number(instructions);
        match self.spans[pe].last_mut() {
            Some(Lit(last, _, end)) if *last == set && *end == clock => *end += 1,
            _ => self.spans[pe].push(Lit(set, clock, clock.saturating_add(1))),
        }
    }

    fn number(&mut self, instructions: Vec<usize>) -> usize {
        if let Some(number) = self.numbers.get(&instructions) {
            return *number;
        }
        self.sets.push(instructions.clone());
        self.numbers.insert(instructions, self.sets.len() - 1);
        self.sets.len() - 1
    }
}
