//! The part of the arrays that one rank holds.
//!
//! In: the addresses that its PEs read and store. Out: room for the words there and no others, which is filled before the run
//! (`distribute.rs`) and given away after it (`collect.rs`).

use super::super::arrays;
use super::super::arrays::Arrays;
use super::super::plan::Plan;
use super::super::sharing::marks::Marks;
use super::super::sharing::needs::Needs;
use super::contents::Contents;
use super::local_words::LocalWords;
use systole_program::array::Trouble;

/// What one rank holds of all arrays.
pub struct Share<'a, W> {
    pub plan: &'a Plan<'a>,
    /// For each array the words that are read.
    pub inputs: Vec<LocalWords<W>>,
    /// For each array the words that are stored, and which of them were.
    pub outputs: Vec<(LocalWords<W>, Marks)>,
}

impl<'a, W: Contents> Share<'a, W> {
    /// Inputs that are not read yet, and outputs that are not stored yet.
    pub fn new(plan: &'a Plan<'a>, needs: &Needs) -> Share<'a, W> {
        let blank = |runs: &Vec<std::ops::Range<usize>>| {
            let mut part = LocalWords::new(runs);
            part.fill(&W::UNWRITTEN);
            (part, Marks::default())
        };
        let inputs = needs.read.iter().map(|runs| LocalWords::new(runs)).collect();
        Share { plan, inputs, outputs: needs.stored.iter().map(blank).collect() }
    }
}

impl<W: Contents> Share<'_, W> {
    /// Forgets what was stored, so that all may be stored anew.
    pub fn forget(&mut self) {
        for (part, stored) in &mut self.outputs {
            part.blank();
            *stored = Marks::default();
        }
    }
}

impl<W: Contents> Arrays<W> for Share<'_, W> {
    fn read(&self, array: usize, address: usize) -> W {
        let part = &self.inputs[array];
        part.place(address).map_or(W::UNWRITTEN, |place| part.word(place).clone())
    }

    fn held(&self) -> arrays::Share {
        arrays::Share {
            inputs: self.inputs.iter().map(LocalWords::bytes).sum(),
            outputs: self.outputs.iter().map(|(part, stored)| stored_bytes(part, stored)).sum(),
        }
    }

    fn store(&mut self, array: usize, address: usize, value: &W) -> Result<bool, Trouble> {
        value.check(&self.plan.code.arrays[array], address)?;
        let (part, stored) = &mut self.outputs[array];
        let Some(place) = part.place(address) else { return Ok(false) };
        part.set(place, value.clone());
        Ok(stored.mark(address))
    }
}

/// How many bytes the words take that were stored.
fn stored_bytes<W: Contents>(part: &LocalWords<W>, stored: &Marks) -> u64 {
    let places = stored.runs().into_iter().flatten().filter_map(|address| part.place(address));
    places.map(|place| part.word(place).bytes()).sum()
}
