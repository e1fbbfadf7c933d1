//! What all ranks did, brought to rank 0.

use super::super::worker::Report;
use super::world::World;
use crate::sim::Standing;

/// The reports of all ranks, on rank 0; empty elsewhere. All ranks call it.
pub fn gather(world: &World, mine: Report) -> Vec<Report> {
    if !world.is_first() {
        world.send(0, &pack(&mine));
        return vec![];
    }
    let others = (1..world.size()).filter_map(|rank| unpack(&world.receive(rank)));
    std::iter::once(mine).chain(others).collect()
}

/// The counts, then for each PE where it stands.
fn pack(report: &Report) -> Vec<u64> {
    let mut entries = vec![report.words, report.packets, report.held.unwrap_or(0), report.computed.len() as u64];
    entries.extend(&report.computed);
    for (pe, standing) in &report.standings {
        entries.extend([
            *pe as u64,
            standing.counter as u64,
            u64::from(standing.finished),
            standing.slots.len() as u64,
        ]);
        entries.extend(standing.slots.iter().map(|slot| slot.cast_unsigned()));
    }
    entries
}

fn unpack(entries: &[u64]) -> Option<Report> {
    let (head, rest) = entries.split_at_checked(4)?;
    let (computed, mut rest) = rest.split_at_checked(head[3] as usize)?;
    let mut standings = vec![];
    while let Some((pe, after)) = rest.split_at_checked(4) {
        let (slots, after) = after.split_at_checked(pe[3] as usize)?;
        let slots = slots.iter().map(|slot| slot.cast_signed()).collect();
        standings
            .push((pe[0] as usize, Standing { counter: pe[1] as usize, finished: pe[2] != 0, clock: None, slots }));
        rest = after;
    }
    Some(Report { standings, computed: computed.to_vec(), words: head[0], packets: head[1], held: Some(head[2]) })
}
