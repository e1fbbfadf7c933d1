//! What a run that has ended is asked for.

use super::region::Tally;
use super::{Engine, Meter};
use crate::shared::{Memory, MemoryTraffic, Standing};
use std::collections::BTreeMap;
use systole_program::array::{Code, Joins, Program};

/// Two words on one bus in one cycle, each with the PE that drove it, a position in the code.
pub(in crate::sim) struct Meeting {
    pub bus: usize,
    pub clock: u64,
    pub words: [(usize, Vec<i64>); 2],
}

impl Engine<'_> {
    /// The first two words that were on one bus of a line in one cycle, of those of the first such bus of the program. A memory that
    /// all PEs share is no such bus.
    pub fn meeting(&self, program: &Program) -> Option<Meeting> {
        let is_line = |bus: &usize| matches!(program.buses[*bus].joins, Joins::Line(_));
        let meetings = self.regions.iter().flat_map(|region| {
            let taps = region.blocks.iter().flat_map(|block| {
                let buses = &self.shared.code.classes[block.class].taps;
                let lines = buses.iter().zip(&block.taps).filter(|(bus, _)| is_line(bus));
                lines.flat_map(|(bus, lines)| lines[..block.pes.len()].iter().map(|line| (*line as usize, *bus)))
            });
            let buses: BTreeMap<usize, usize> = taps.collect();
            buses.into_iter().filter_map(|(line, bus)| {
                let [one, other] = region.around.lines[line].meeting()?;
                let words = [one, other].map(|(tag, word)| (word.driver as usize, tag.to_vec()));
                Some(Meeting { bus, clock: one.1.visible.saturating_sub(self.shared.bus_latencies[bus]), words })
            })
        });
        meetings.min_by_key(|meeting| (meeting.clock, meeting.bus, meeting.words.clone()))
    }

    /// The code that was run.
    pub fn code(&self) -> &Code {
        self.shared.code
    }

    /// The arrays.
    pub fn memory(&self) -> &Memory {
        &self.shared.memory
    }

    /// The arrays, for good.
    pub fn into_memory(self) -> Memory {
        self.shared.memory
    }

    /// The most PEs that were busy in one cycle.
    pub fn fullest(&self) -> u64 {
        self.ledger.fullest.most
    }

    /// The largest clock.
    pub fn cycles(&self) -> u64 {
        let blocks = self.regions.iter().flat_map(|region| &region.blocks);
        blocks.flat_map(|block| &block.clock).copied().max().unwrap_or(0)
    }

    /// Cycles before the first step of the schedule, and of a step; and whether that is longer for want of loads.
    pub fn pace(&self) -> (u64, u64, bool) {
        let durations = self.shared.durations.as_ref();
        durations.map_or((0, 1, false), |durations| (durations.lead, durations.step, durations.is_short))
    }

    /// Whether every PE has come to its end.
    pub fn is_finished(&self) -> bool {
        let blocks = self.regions.iter().flat_map(|region| &region.blocks);
        { blocks }.all(|block| block.finished() == block.everyone())
    }

    /// Each PE at the end of the run, in the order of the code.
    pub fn standings(&self) -> Vec<Standing> {
        let blocks = self.regions.iter().flat_map(|region| &region.blocks);
        let standing = blocks.flat_map(|block| {
            block.pes.iter().enumerate().map(|(lane, pe)| {
                let standing = Standing {
                    counter: block.counter(lane),
                    finished: block.finished() >> lane & 1 == 1,
                    clock: Some(block.clock[lane]),
                    slots: block.slots.iter().map(|slot| slot[lane]).collect(),
                };
                (*pe, standing)
            })
        });
        let mut standings: Vec<(u32, Standing)> = standing.collect();
        standings.sort_by_key(|(pe, _)| *pe);
        standings.into_iter().map(|(_, standing)| standing).collect()
    }

    /// Where the cycles of each PE went, in no order.
    pub fn meters(&self) -> impl Iterator<Item = Meter> {
        let blocks = self.regions.iter().flat_map(|region| &region.blocks);
        blocks.flat_map(|block| {
            block.pes.iter().enumerate().map(|(lane, pe)| Meter {
                pe: *pe as usize,
                active: block.active >> lane & 1 == 1,
                clock: block.clock[lane],
                busy: block.busy(lane),
                stalled: block.stalled[lane],
                starved: block.starved[lane],
                idle_before: block.idle_before[lane],
                idle_between: block.idle_between[lane],
            })
        })
    }

    /// How often each `let` was done.
    pub fn computed(&self) -> Vec<u64> {
        self.sum(|tally| &tally.computed)
    }

    /// How often each bus was driven, and how often it was heard.
    pub fn bus_words(&self) -> [Vec<u64>; 2] {
        [self.sum(|tally| &tally.driven), self.sum(|tally| &tally.heard)]
    }

    /// For each channel its wires, words sent, words received, and the largest depth.
    pub fn channels(&self) -> Vec<[u64; 4]> {
        let sent = self.sum(|tally| &tally.sent);
        let received = self.sum(|tally| &tally.received);
        let depths: Vec<Vec<u64>> = self.regions.iter().map(|region| region.depths(self.shared.code)).collect();
        let depth = |channel: usize| depths.iter().map(|depths| depths[channel]).max().unwrap_or(0);
        let count = |channel: usize| [self.wires[channel], sent[channel], received[channel], depth(channel)];
        (0..self.wires.len()).map(count).collect()
    }

    /// What was read and written of each array.
    pub fn traffic(&self) -> Vec<MemoryTraffic> {
        let mut sums = vec![MemoryTraffic::default(); self.shared.code.arrays.len()];
        for region in &self.regions {
            sums.iter_mut().zip(&region.around.tally.traffic).for_each(|(sum, traffic)| sum.add(*traffic));
        }
        sums
    }

    fn sum(&self, count: impl Fn(&Tally) -> &Vec<u64>) -> Vec<u64> {
        let mut counts = self.regions.iter().map(|region| count(&region.around.tally));
        let first = counts.next().cloned().unwrap_or_default();
        counts.fold(first, |sum, more| sum.iter().zip(more).map(|(a, b)| a + b).collect())
    }
}
