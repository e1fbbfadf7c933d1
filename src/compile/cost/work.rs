//! What a run does, as counts: operations, hops, accesses to memory.
//!
//! In: spaces, sizes and the cost of a design. Out: the [`Work`] of its run, exactly as the simulator counts it. Every point
//! applies its body; a reduction joins all points of a result but the first; every element of an output is stored once.

use super::{Cost, Images, Region};
use systole_base::integer::{Bindings, Matrix};
use systole_base::machine::{Operations, Work};
use systole_equations::recurrence::{RecurrenceSystem, Role, Scalar, Space};

/// The work of a design of these spaces, exactly as the simulator counts it; `None` where a size is missing or a space is not bounded.
pub fn predicted_work(system: &RecurrenceSystem, spaces: &[Space], sizes: &Bindings, cost: &Cost) -> Option<Work> {
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
