//! What all ranks did, brought to rank 0.

use super::super::footprint::Held;
use super::super::run_time::RunTime;
use super::super::trace::Lane;
use super::super::workers::worker::Report;
use super::lanes;
use super::world::World;
use crate::leaf::Work;
use crate::shared::Standing;
use std::time::Duration;

/// The reports of all ranks, on rank 0; empty elsewhere. All ranks call it.
pub fn gather(world: &World, mine: &Report) -> Vec<Report> {
    let reports = world.gather(&pack(mine));
    let lanes = lanes::gather(world, &mine.lane);
    let with_lane = |(entries, lane): (&Vec<u64>, Lane)| Some(Report { lane, ..unpack(entries)? });
    reports.iter().zip(lanes).filter_map(with_lane).collect()
}

/// What the leaves of all ranks did, on rank 0; nothing elsewhere. All ranks call it.
pub fn gather_work(world: &World, mine: Work) -> Work {
    let all = world.gather(&mine.to_entries());
    all.iter().fold(Work::default(), |sum, entries| sum.plus(&Work::from_entries(entries)))
}

/// For each run the wall-clock time of the rank that took longest and the processor time of all, on rank 0; nothing elsewhere. All
/// ranks call it.
pub fn gather_taken(world: &World, mine: &[RunTime]) -> Vec<RunTime> {
    let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let entries: Vec<u64> = mine.iter().flat_map(|taken| [taken.wall, taken.cpu]).map(nanoseconds).collect();
    let mut together = vec![RunTime::default(); if world.is_first() { mine.len() } else { 0 }];
    for entries in world.gather(&entries) {
        for (all, taken) in together.iter_mut().zip(entries.as_chunks::<2>().0) {
            let [wall, cpu] = taken.map(Duration::from_nanos);
            (all.wall, all.cpu) = (all.wall.max(wall), all.cpu + cpu);
        }
    }
    together
}

/// The counts, then for each PE where it stands.
fn pack(report: &Report) -> Vec<u64> {
    let Held { inputs, outputs, channels } = report.held;
    let Report { words, returned, elements, packets, .. } = *report;
    let counted = [words, returned, elements, packets, inputs, outputs, channels, report.computed.len() as u64];
    let mut entries = counted.to_vec();
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
    let (head, rest) = entries.split_first_chunk()?;
    let [words, returned, elements, packets, inputs, outputs, channels, count] = *head;
    let (computed, mut rest) = rest.split_at_checked(count as usize)?;
    let mut standings = vec![];
    while let Some((pe, after)) = rest.split_at_checked(4) {
        let (slots, after) = after.split_at_checked(pe[3] as usize)?;
        let slots = slots.iter().map(|slot| slot.cast_signed()).collect();
        standings
            .push((pe[0] as usize, Standing { counter: pe[1] as usize, finished: pe[2] != 0, clock: None, slots }));
        rest = after;
    }
    let held = Held { inputs, outputs, channels };
    // Lanes come on their own.
    let (computed, lane) = (computed.to_vec(), Lane::default());
    Some(Report { standings, computed, words, returned, elements, packets, held, lane })
}
