//! The workers of a run as ranks of MPI.
//!
//! In: on each rank the same program, sizes and settings; on rank 0 the inputs. Out: on rank 0 an [`Execution`], on the
//! others nothing. Rank 0 reads and writes files and has whole arrays; every other rank gets the elements that its PEs load or
//! prefetch (`needs.rs`) and gives back those that they store. What goes wrong on one rank ends all of them, with the message
//! on rank 0 ([`World::settle`]). Paper: Cyclotron sections 9.2 and 10.

use super::owners::Owners;
use super::plan::Plan;
use super::worker::Report;
use super::{Counts, Execution, Settings, check_settings, count, standings};
use crate::array::{self, Code, Program, Tensors};
use crate::diagnostic::Diagnostics;
use crate::integer::Bindings;
use crate::leaf::{Leaves, Tile};
use crate::sim::{Deadlock, Memory, explain_fault};
use contents::Contents;
use share::Share;
use std::time::{Duration, Instant};
pub use world::{Stopped, World};

mod world;

mod needs;

mod contents;

mod share;

mod reports;

mod traffic;

mod tour;

mod run;

/// Runs a program on all ranks; they all call this, with the same program, sizes and settings.
///
/// # Errors
/// As for [`execute`](super::execute), on any rank; the message is on rank 0.
pub fn execute_on_ranks(
    world: &World,
    program: &Program,
    sizes: &Bindings,
    inputs: &Tensors,
    settings: &Settings,
) -> Result<Option<Execution>, Stopped> {
    let code = world.settle(check_settings(settings).and_then(|()| array::compile(program, sizes)))?;
    match program.is_over_tiles() {
        true => {
            let leaves = world.settle(Leaves::with_backend(program, sizes, settings.leaves))?;
            execute_words::<Tile>(world, (program, &code), inputs, settings, &leaves)
        }
        false => execute_words::<f64>(world, (program, &code), inputs, settings, &()),
    }
}

fn execute_words<W: Contents>(
    world: &World,
    (program, code): (&Program, &Code),
    inputs: &Tensors,
    settings: &Settings,
    operations: &W::Operations,
) -> Result<Option<Execution>, Stopped> {
    let memory = world.settle(if world.is_first() { Memory::new(code, inputs).map(Some) } else { Ok(None) })?;
    let owners = Owners::new(&code.grid, world.size(), settings.dealing);
    let plan = Plan::new(program, code, &owners, world.size(), settings.capacity);
    let share = Share::<W>::distribute(world, &plan, memory.as_ref());
    let start = Instant::now();
    let ran = run::run(world, &plan, share, operations);
    let elapsed = start.elapsed();
    let (report, share) = world.settle(ran.map_err(|fault| vec![explain_fault(program, code, &fault)]))?;
    let reports = reports::gather(world, report);
    let stored = share.collect(world, memory.as_ref());
    let concluded = stored.and_then(|()| match memory {
        Some(memory) => conclude(program, code, &owners, memory, (reports, elapsed)).map(Some),
        None => Ok(None),
    });
    world.settle(concluded)
}

/// What rank 0 makes of it all.
fn conclude(
    program: &Program,
    code: &Code,
    owners: &Owners,
    memory: Memory,
    (reports, elapsed): (Vec<Report>, Duration),
) -> Result<Execution, Diagnostics> {
    let counts: Counts = count(code, owners, &reports);
    let deadlock = Deadlock::find(program, code, standings(reports));
    if deadlock.is_none() {
        memory.check_stored()?;
    }
    Ok(Execution { outputs: memory.into_outputs(), deadlock, counts, elapsed })
}
