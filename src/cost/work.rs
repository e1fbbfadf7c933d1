//! What a run does, as counts: operations, hops, accesses to memory.
//!
//! In: spaces, sizes and the cost of a design. Out: the [`Work`] of its run, exactly as the simulator counts it. Every point
//! applies its body; a reduction joins all points of a result but the first; every element of an output is stored once.

use super::{Cost, Images, Region};
use crate::integer::{Bindings, Matrix};
use crate::recurrence::{Function, RecurrenceSystem, Role, Scalar, Space};
use std::collections::BTreeMap;

/// How often each function is applied.
pub type Operations = BTreeMap<Function, u64>;

/// The counts of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// How often each function is applied.
    pub operations: Operations,
    /// Words times links, with the words that buses bring to listeners.
    pub hops: u64,
    /// Words loaded, prefetched and stored.
    pub memory: u64,
}

impl Work {
    /// The work of a design of these spaces; `None` where a size is missing or a space is not bounded.
    pub fn predicted(system: &RecurrenceSystem, spaces: &[Space], sizes: &Bindings, cost: &Cost) -> Option<Work> {
        let mut work = Work { hops: cost.channel_words, memory: cost.memory_words, ..Work::default() };
        for space in spaces {
            add_operations(space, sizes, &mut work.operations)?;
        }
        for tensor in system.tensors.iter().filter(|tensor| tensor.role == Role::Output) {
            let sides = tensor.shape.iter().map(|side| u64::try_from(side.evaluate(sizes)?).ok());
            work.memory += sides.product::<Option<u64>>()?;
        }
        Some(work)
    }

    /// Accesses to registers: an operation reads each of its operands and writes its result.
    pub fn registers(&self) -> u64 {
        self.operations.iter().map(|(function, count)| count * (function.arity() as u64 + 1)).sum()
    }
}

fn add_operations(space: &Space, sizes: &Bindings, operations: &mut Operations) -> Option<()> {
    let region = Region::new(&space.domain.set, space.indices(), sizes)?;
    let points = region.count();
    add_applied(&space.body, points, operations);
    if let Some(operator) = space.reduction {
        let rows = space.output_access.iter().map(|form| form.row(space.indices())).collect();
        let results = Images::of(&Matrix::new(rows, space.dimension())).count(&region);
        *operations.entry(operator.function()).or_default() += points - results;
    }
    operations.retain(|_, count| *count > 0);
    Some(())
}

fn add_applied(body: &Scalar, points: u64, operations: &mut Operations) {
    if let Scalar::Apply(function, arguments) = body {
        *operations.entry(*function).or_default() += points;
        arguments.iter().for_each(|argument| add_applied(argument, points, operations));
    }
}
