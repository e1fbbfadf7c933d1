//! The part of the arrays that one rank holds.
//!
//! In: on rank 0 whole inputs, from every rank the elements that its PEs read. Out: on every rank these elements and no
//! others; after the run the elements that its PEs stored, put together on rank 0.

use super::super::arrays::Arrays;
use super::super::plan::Plan;
use super::needs::{Run, needs};
use super::world::World;
use crate::diagnostic::{Checked, Diagnostic};
use crate::sim::{Memory, show_element};
use std::collections::HashMap;

/// Some elements of an input: where each run of them begins, in the array and among the values.
#[derive(Clone, Debug, Default)]
struct Part {
    runs: Vec<(usize, usize)>,
    values: Vec<f64>,
}

impl Part {
    fn new(runs: &[Run], values: &[u64]) -> Part {
        let begin = |next: &mut usize, run: &Run| Some((run.first, std::mem::replace(next, *next + run.count)));
        Part {
            runs: runs.iter().scan(0, begin).collect(),
            values: values.iter().map(|bits| f64::from_bits(*bits)).collect(),
        }
    }

    /// An element that the part holds.
    fn read(&self, address: usize) -> f64 {
        let after = self.runs.partition_point(|(first, _)| *first <= address);
        let run = after.checked_sub(1).map(|run| self.runs[run]);
        // All that is read was asked for: subscripts do not depend on words.
        run.and_then(|(first, at)| self.values.get(at + address - first)).copied().unwrap_or(f64::NAN)
    }
}

/// What one rank holds of all arrays.
pub struct Share<'a> {
    plan: &'a Plan<'a>,
    inputs: Vec<Part>,
    outputs: Vec<HashMap<usize, f64>>,
}

impl Arrays for Share<'_> {
    fn read(&self, array: usize, address: usize) -> f64 {
        self.inputs[array].read(address)
    }

    fn held(&self) -> Option<u64> {
        Some(self.inputs.iter().map(|part| part.values.len() as u64).sum())
    }

    fn store(&mut self, array: usize, address: usize, value: f64) -> bool {
        self.outputs[array].insert(address, value).is_none()
    }
}

impl<'a> Share<'a> {
    /// Gives each rank what it reads of the memory of rank 0; all ranks call it.
    pub fn distribute(world: &World, plan: &'a Plan<'a>, memory: Option<&Memory>) -> Share<'a> {
        let arrays = plan.code.arrays.len();
        let mine = needs(plan, world.rank());
        let inputs = match memory {
            Some(memory) => {
                (1..world.size()).for_each(|rank| serve(world, rank, memory, arrays));
                mine.iter().enumerate().map(|(array, runs)| Part::new(runs, &pick(memory, array, runs))).collect()
            }
            None => mine.iter().map(|runs| ask(world, runs)).collect(),
        };
        Share { plan, inputs, outputs: vec![HashMap::new(); arrays] }
    }

    /// Puts what all ranks stored into the memory of rank 0; all ranks call it.
    ///
    /// # Errors
    /// On rank 0: an element that two ranks stored.
    pub fn collect(self, world: &World, memory: Option<&Memory>) -> Checked<()> {
        let mut twice = None;
        for (array, stored) in self.outputs.iter().enumerate() {
            let Some(memory) = memory else {
                world.send(0, &packed(stored));
                continue;
            };
            let others = (1..world.size()).map(|rank| world.receive(rank));
            for entries in std::iter::once(packed(stored)).chain(others) {
                for pair in entries.chunks_exact(2) {
                    let (address, value) = (pair[0] as usize, f64::from_bits(pair[1]));
                    if !memory.store(array, address, value) {
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
fn serve(world: &World, rank: usize, memory: &Memory, arrays: usize) {
    for array in 0..arrays {
        let entries = world.receive(rank);
        let run = |pair: &[u64]| Run { first: pair[0] as usize, count: pair[1] as usize };
        let runs: Vec<Run> = entries.chunks_exact(2).map(run).collect();
        world.send(rank, &pick(memory, array, &runs));
    }
}

/// Asks rank 0 for these elements of an array.
fn ask(world: &World, runs: &[Run]) -> Part {
    let entries: Vec<u64> = runs.iter().flat_map(|run| [run.first as u64, run.count as u64]).collect();
    world.send(0, &entries);
    Part::new(runs, &world.receive(0))
}

/// The bits of these elements.
fn pick(memory: &Memory, array: usize, runs: &[Run]) -> Vec<u64> {
    let all = memory.input(array);
    let values = runs.iter().flat_map(|run| all.iter().skip(run.first).take(run.count));
    values.map(|value| value.to_bits()).collect()
}

/// Addresses and bits, in rising order of the addresses.
fn packed(stored: &HashMap<usize, f64>) -> Vec<u64> {
    let mut pairs: Vec<(usize, f64)> = stored.iter().map(|(address, value)| (*address, *value)).collect();
    pairs.sort_unstable_by_key(|(address, _)| *address);
    pairs.into_iter().flat_map(|(address, value)| [address as u64, value.to_bits()]).collect()
}
