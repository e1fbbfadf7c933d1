//! The memory of all ranks: what each will hold, said before anything is read, and what each took.

use super::super::footprint::{Footprint, Held, Usage, check_footprints};
use super::super::plan::Plan;
use super::super::sharing::needs::Needs;
use super::contents::Contents;
use super::world::{Stopped, World};

/// How many entries the memory of a rank takes on its way to rank 0.
const ENTRIES: usize = 10;

/// What is not known, on its way to rank 0.
const UNKNOWN: u64 = u64::MAX;

/// What this rank will hold; all ranks call it, each with what it may hold.
///
/// # Errors
/// Where some rank would hold more.
pub fn state<W: Contents>(world: &World, plan: &Plan<'_>, needs: &Needs, limit: u64) -> Result<Footprint, Stopped> {
    let driven = world.add_up(&needs.driven);
    let stated = Footprint::of_rank::<W>(plan, world.rank(), needs, &driven);
    let usage = Usage { stated, before: Some(limit), ..Usage::default() };
    let all = gather(world, &usage).into_iter().enumerate();
    let named: Vec<_> = all.map(|(rank, usage)| (format!("rank {rank}"), usage.stated, usage.before)).collect();
    world.settle(check_footprints(&named))?;
    Ok(stated)
}

/// The memory of all ranks, on rank 0; empty elsewhere. All ranks call it.
pub fn gather(world: &World, usage: &Usage) -> Vec<Usage> {
    world.gather(&pack(usage)).iter().filter_map(|entries| Some(unpack(entries.first_chunk()?))).collect()
}

fn pack(usage: &Usage) -> [u64; ENTRIES] {
    let Usage { stated, held, before, peak } = usage;
    [
        stated.inputs,
        stated.outputs,
        stated.registers,
        stated.channels,
        stated.bookkeeping,
        held.inputs,
        held.outputs,
        held.channels,
        before.unwrap_or(UNKNOWN),
        peak.unwrap_or(UNKNOWN),
    ]
}

fn unpack(entries: &[u64; ENTRIES]) -> Usage {
    let [inputs, outputs, registers, channels, bookkeeping, rest @ ..] = *entries;
    let [held_inputs, held_outputs, held_channels, before, peak] = rest;
    let known = |bytes: u64| Some(bytes).filter(|bytes| *bytes != UNKNOWN);
    Usage {
        stated: Footprint { inputs, outputs, registers, channels, bookkeeping },
        held: Held { inputs: held_inputs, outputs: held_outputs, channels: held_channels },
        before: known(before),
        peak: known(peak),
    }
}
