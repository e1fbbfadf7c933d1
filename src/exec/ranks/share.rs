//! The part of the arrays that one rank holds.
//!
//! In: on rank 0 whole inputs, from every rank the addresses that its PEs read. Out: on every rank the words there and no
//! others; after the run the words that its PEs stored, put together on rank 0. Words are named by their addresses and travel as
//! their elements, one or those of a tile.

use super::super::arrays::Arrays;
use super::super::plan::Plan;
use super::contents::Contents;
use super::needs::{Run, needs};
use super::world::World;
use crate::array::{Layout, Trouble};
use crate::diagnostic::{Checked, Diagnostic};
use crate::sim::{Memory, show_element};
use std::collections::HashMap;

/// Some words of an input: where each run of them begins, in the array and among the words.
#[derive(Clone, Debug)]
struct Part<W> {
    runs: Vec<(usize, usize)>,
    words: Vec<W>,
    /// How many elements they have.
    elements: usize,
}

impl<W: Contents> Part<W> {
    fn new(layout: &Layout, runs: &[Run], elements: &[u64]) -> Part<W> {
        let begin = |next: &mut usize, run: &Run| Some((run.first, std::mem::replace(next, *next + run.count)));
        let mut rest = elements;
        let mut take = |address: usize| {
            let (word, after) = rest.split_at_checked(layout.size_at(address))?;
            rest = after;
            Some(W::of_elements(word))
        };
        Part {
            runs: runs.iter().scan(0, begin).collect(),
            words: runs.iter().flat_map(|run| run.first..run.first + run.count).map_while(&mut take).collect(),
            elements: elements.len(),
        }
    }

    /// A word that the part holds.
    fn read(&self, address: usize) -> W {
        let after = self.runs.partition_point(|(first, _)| *first <= address);
        let run = after.checked_sub(1).map(|run| self.runs[run]);
        // All that is read was asked for: subscripts do not depend on words.
        run.and_then(|(first, at)| self.words.get(at + address - first)).cloned().unwrap_or(W::UNWRITTEN)
    }
}

/// What one rank holds of all arrays.
pub struct Share<'a, W> {
    plan: &'a Plan<'a>,
    inputs: Vec<Part<W>>,
    outputs: Vec<HashMap<usize, W>>,
}

impl<W: Contents> Arrays<W> for Share<'_, W> {
    fn read(&self, array: usize, address: usize) -> W {
        self.inputs[array].read(address)
    }

    fn held(&self) -> Option<u64> {
        Some(self.inputs.iter().map(|part| part.elements as u64).sum())
    }

    fn store(&mut self, array: usize, address: usize, value: &W) -> Result<bool, Trouble> {
        value.check(&self.plan.code.arrays[array], address)?;
        Ok(self.outputs[array].insert(address, value.clone()).is_none())
    }
}

impl<'a, W: Contents> Share<'a, W> {
    /// Gives each rank what it reads of the memory of rank 0; all ranks call it.
    pub fn distribute(world: &World, plan: &'a Plan<'a>, memory: Option<&Memory>) -> Share<'a, W> {
        let layouts = &plan.code.arrays;
        let mine = needs(plan, world.rank());
        if let Some(memory) = memory {
            (1..world.size()).for_each(|rank| serve(world, rank, memory, layouts));
        }
        let part = |(array, runs): (usize, &Vec<Run>)| match memory {
            Some(memory) => Part::new(&layouts[array], runs, &pick(memory, (array, &layouts[array]), runs)),
            None => Part::new(&layouts[array], runs, &ask(world, runs)),
        };
        let inputs = mine.iter().enumerate().map(part).collect();
        Share { plan, inputs, outputs: vec![HashMap::new(); layouts.len()] }
    }

    /// Puts what all ranks stored into the memory of rank 0; all ranks call it.
    ///
    /// # Errors
    /// On rank 0: an element that two ranks stored.
    pub fn collect(self, world: &World, memory: Option<&Memory>) -> Checked<()> {
        let mut twice = None;
        for (array, stored) in self.outputs.iter().enumerate() {
            let layout = &self.plan.code.arrays[array];
            let Some(memory) = memory else {
                world.send(0, &packed(layout, stored));
                continue;
            };
            let others = (1..world.size()).map(|rank| world.receive(rank));
            for entries in std::iter::once(packed(layout, stored)).chain(others) {
                for (address, word) in unpacked::<W>(layout, &entries) {
                    if word.store(memory, array, address) != Ok(true) {
                        twice = twice.or(Some((array, address)));
                    }
                }
            }
        }
        let Some((array, address)) = twice else { return Ok(()) };
        let element = show_element(&self.plan.code.arrays[array], address);
        Diagnostic::new(format!("two ranks store {element}")).help("each element is stored once, by one PE").alone()
    }
}

/// Answers one rank, array by array.
fn serve(world: &World, rank: usize, memory: &Memory, layouts: &[Layout]) {
    for array in layouts.iter().enumerate() {
        let entries = world.receive(rank);
        let run = |pair: &[u64]| Run { first: pair[0] as usize, count: pair[1] as usize };
        let runs: Vec<Run> = entries.chunks_exact(2).map(run).collect();
        world.send(rank, &pick(memory, array, &runs));
    }
}

/// Asks rank 0 for the elements of these words of an array.
fn ask(world: &World, runs: &[Run]) -> Vec<u64> {
    let entries: Vec<u64> = runs.iter().flat_map(|run| [run.first as u64, run.count as u64]).collect();
    world.send(0, &entries);
    world.receive(0)
}

/// The bits of the elements of these words.
fn pick(memory: &Memory, (array, layout): (usize, &Layout), runs: &[Run]) -> Vec<u64> {
    let all = memory.input(array);
    let addresses = runs.iter().flat_map(|run| run.first..run.first + run.count);
    let values = addresses.flat_map(|address| layout.runs(address)).flat_map(|elements| &all[elements]);
    values.map(|value| value.to_bits()).collect()
}

/// Each address and the bits there, in rising order of the addresses.
fn packed<W: Contents>(layout: &Layout, stored: &HashMap<usize, W>) -> Vec<u64> {
    let mut words: Vec<(usize, &W)> = stored.iter().map(|(address, word)| (*address, word)).collect();
    words.sort_unstable_by_key(|(address, _)| *address);
    let mut entries = vec![];
    for (address, word) in words {
        entries.push(address as u64);
        word.write_elements(layout.size_at(address), &mut entries);
    }
    entries
}

/// The words that another rank packed, with their addresses.
fn unpacked<W: Contents>(layout: &Layout, entries: &[u64]) -> impl Iterator<Item = (usize, W)> {
    let mut rest = entries;
    std::iter::from_fn(move || {
        let (address, after) = rest.split_first()?;
        let (word, after) = after.split_at_checked(layout.size_at(*address as usize))?;
        rest = after;
        Some((*address as usize, W::of_elements(word)))
    })
}
