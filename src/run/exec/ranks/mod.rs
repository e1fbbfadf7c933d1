//! The workers of a run as ranks of MPI.
//!
//! In: on each rank the same program, sizes and settings; on rank 0 where inputs come from and outputs go. Out: on rank 0 an
//! [`Execution`], on the others nothing. No rank holds a whole array unless its PEs read or store all of it: each gets the
//! elements that its PEs load or prefetch (`distribute.rs`) and gives away those that they store (`collect.rs`), piece by piece
//! through rank 0, which reads and writes files. What each rank will hold is said, and refused where it is too much, before
//! anything is read (`memory.rs`). What goes wrong on one rank ends all of them, with the message on rank 0
//! ([`World::settle`]). Paper: Cyclotron sections 9.2 and 10.
//!
//! **Messages.** Receives are posted ahead, 32 at a time (`traffic`). Sends go on beside the PEs (`sends`), twice as
//! many tiles at a time as the wires to other ranks hold. If there is no room for another, the sender receives what
//! comes until MPI has the message, so no two ranks wait for each other. Tiles, and the credits for those received,
//! leave whenever a PE yields. A token counts packets on its way round, and two tours that count alike end the run
//! (`tour`). All ranks know the whole code and wiring, which grow with the number of PEs.
//!
//! **Arrays in parts.** Inputs come from a `Source` and outputs go to a `Sink`: a `.npy` file, numbers made from the
//! seed as the program assumes them, an array in memory. A walk through the bodies of the PEs finds which words a rank
//! reads and stores. Rank 0 reads and writes 512 KiB or a tile at a time; of an output it keeps a bit a word, to see
//! what nobody stored and what two ranks did. A file of an output begins after the run, without a name, and replaces
//! the old one once all outputs are on the disk. Only `--reference` makes rank 0 hold arrays whole.

use super::plan::Plan;
use super::run_time::Watch;
use super::sharing::needs::Needs;
use super::trace::Tape;
use super::workers::worker::Report;
use super::{Execution, RunTime, Settings, Usage, conclude, host};
use crate::leaf::{Element, Leaves, Tile, Work};
use crate::shared::{Fault, check_inputs, explain_fault};
use contents::Contents;
use share::Share;
use systole_base::diagnostic::Checked;
use systole_base::integer::Bindings;
use systole_base::scalar::Precision;
use systole_program::array;
use systole_program::array::elements::{Sinks, Sources, publish_all};
use systole_program::array::{Code, Program};
pub use world::{Stopped, World};

mod world;

mod contents;

mod local_words;

mod share;

mod distribute;

mod collect;

mod memory;

mod reports;

mod lanes;

mod under_way;

mod sends;

mod traffic;

mod tour;

mod run;

/// Where inputs come from and outputs go, at rank 0.
pub type Files<'f, 'i, 'o> = Option<(&'f mut Sources<'i>, &'f mut Sinks<'o>)>;

/// Runs a program on all ranks; they all call this, with the same program, sizes and settings, and rank 0 with sources and
/// sinks. Sinks are published once all is well on all ranks; after a deadlock nothing is written.
///
/// # Errors
/// As for [`execute_in_parts`](super::execute_in_parts), on any rank; the message is on rank 0.
pub fn execute_on_ranks(
    world: &World,
    program: &Program,
    sizes: &Bindings,
    files: Files<'_, '_, '_>,
    settings: &Settings,
) -> Result<Option<Execution>, Stopped> {
    match settings.precision {
        Precision::Double => execute_elements::<f64>(world, program, sizes, files, settings),
        Precision::Single => execute_elements::<f32>(world, program, sizes, files, settings),
    }
}

fn execute_elements<E: Element>(
    world: &World,
    program: &Program,
    sizes: &Bindings,
    files: Files<'_, '_, '_>,
    settings: &Settings,
) -> Result<Option<Execution>, Stopped> {
    let code = settings.check().and_then(|()| array::compile_shared(program, sizes, world.size()));
    let code = world.settle(code)?;
    match program.is_over_tiles() {
        true => {
            let leaves = world.settle(Leaves::with_backend(program, sizes, settings.leaves))?;
            execute_words::<Tile<E>>(world, (program, &code), files, settings, &leaves)
        }
        false => execute_words::<E>(world, (program, &code), files, settings, &()),
    }
}

fn execute_words<W: Contents>(
    world: &World,
    (program, code): (&Program, &Code),
    files: Files<'_, '_, '_>,
    settings: &Settings,
    operations: &W::Operations,
) -> Result<Option<Execution>, Stopped> {
    let (sources, sinks) = files.unzip();
    world.settle(sources.as_ref().map_or(Ok(()), |sources| check_inputs(&code.arrays, sources)))?;
    let owners = world.settle(settings.owners(program, &code.grid, world.size()))?;
    let plan = Plan::new(program, code, &owners, world.size(), settings);
    let plan = if W::IS_SHARED { plan.apart(program) } else { plan };
    let (share, mut usage) = prepare::<W>(world, &plan, sources, settings)?;
    let ran =
        repeat(world, &plan, share, operations, settings).map_err(|fault| vec![explain_fault(program, code, &fault)]);
    let Repeated { report, share, taken, work } = world.settle(ran)?;
    (usage.held, usage.peak) = (report.held, host::peak());
    let memory = memory::gather(world, &usage);
    let reports = reports::gather(world, &report);
    let work = reports::gather_work(world, work);
    let taken = reports::gather_taken(world, &taken);
    let concluded = || conclude((program, code), &owners, reports, memory, taken);
    let mut execution = world.is_first().then(concluded);
    execution.iter_mut().for_each(|execution| execution.counts.work = work);
    let is_stuck = execution.as_ref().is_some_and(|execution| execution.deadlock.is_some());
    if world.share_number(u8::from(is_stuck)) == 0 {
        world.settle(hand_over(world, &share, sinks))?;
    }
    Ok(execution)
}

/// What this rank did in the last run, and the time of each run.
struct Repeated<'a, W> {
    report: Report,
    share: Share<'a, W>,
    taken: Vec<RunTime>,
    work: Work,
}

/// Runs the PEs of this rank as often as is asked for; what is stored is that of the last run. The ranks begin each run together, and
/// leave off together where some rank is stuck or at fault.
fn repeat<'a, W: Contents>(
    world: &World,
    plan: &'a Plan<'a>,
    mut share: Share<'a, W>,
    operations: &'a W::Operations,
    settings: &Settings,
) -> Result<Repeated<'a, W>, Fault> {
    let mut taken = vec![];
    loop {
        world.wait_for_all();
        let (before, watch) = (W::work(operations), Watch::start());
        let ran = run::run(world, plan, share, operations, Tape::new(watch.start, settings.trace));
        taken.push(watch.stop());
        let goes_on = ran.as_ref().is_ok_and(|(report, _)| report.has_ended() && taken.len() < settings.repeat);
        let all_go_on = world.add_up(&[u64::from(!goes_on)]) == [0];
        let (report, held) = ran?;
        share = held;
        if !all_go_on {
            return Ok(Repeated { report, share, taken, work: W::work(operations).since(&before) });
        }
        share.forget();
    }
}

/// Says what this rank will hold, and fills it.
fn prepare<'a, W: Contents>(
    world: &World,
    plan: &'a Plan<'a>,
    sources: Option<&mut Sources<'_>>,
    settings: &Settings,
) -> Result<(Share<'a, W>, Usage), Stopped> {
    let needs = Needs::of(plan, world.rank());
    let stated = memory::state::<W>(world, plan, &needs, settings.most_bytes())?;
    let before = host::resident();
    let mut share = Share::new(plan, &needs);
    world.settle(distribute::distribute(world, &needs, &mut share, sources))?;
    Ok((share, Usage { stated, before, ..Usage::default() }))
}

/// Gives all outputs to their sinks, and shows them.
fn hand_over<W: Contents>(world: &World, share: &Share<'_, W>, mut sinks: Option<&mut Sinks<'_>>) -> Checked<()> {
    collect::collect(world, share, sinks.as_deref_mut())?;
    sinks.map_or(Ok(()), publish_all)
}
