//! The cost vector, what one unit of each entry is, and the objectives that order designs.

use serde::Serialize;
use std::collections::BTreeSet;

/// What a design costs at given sizes. All entries are counts; less is better in each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Cost {
    /// Clock ticks from the first operation to the last, both included, when no channel makes a PE wait.
    pub cycles: u64,
    /// PEs that run at least one point.
    pub pes: u64,
    /// Words times links: a word that takes three hops counts three, a bus word one for each PE it reaches after the first.
    pub channel_words: u64,
    /// Words that enter through memory ports: heads of streams and buses, prefetched words, and every use of a fed operand.
    pub memory_words: u64,
    /// Words of storage beside the PEs' operation: channel slots, one register for each value that stays, prefetched words.
    pub buffers: u64,
    /// The most PEs that one word reaches in one step: 1 without buses; the length of the longest wire.
    pub fanout: u64,
}

impl Cost {
    /// As a list, for comparing entry by entry.
    pub fn entries(&self) -> [u64; 6] {
        [self.cycles, self.pes, self.channel_words, self.memory_words, self.buffers, self.fanout]
    }

    /// Whether `self` is at most `other` in every entry.
    pub fn is_within(&self, other: &Cost) -> bool {
        self.entries().iter().zip(other.entries()).all(|(mine, theirs)| *mine <= theirs)
    }

    /// The cost of two parts of one design together: words and buffers add up, the rest is shared.
    pub fn join(&self, other: &Cost) -> Cost {
        Cost {
            cycles: self.cycles.max(other.cycles),
            pes: self.pes.max(other.pes),
            channel_words: self.channel_words.saturating_add(other.channel_words),
            memory_words: self.memory_words.saturating_add(other.memory_words),
            buffers: self.buffers.saturating_add(other.buffers),
            fanout: self.fanout.max(other.fanout),
        }
    }
}

/// Those costs that no other beats in one entry without losing in another, each once, ascending.
pub fn unbeaten(costs: impl Iterator<Item = Cost>) -> Vec<Cost> {
    let ascending: BTreeSet<Cost> = costs.collect();
    let mut kept: Vec<Cost> = vec![];
    for cost in ascending {
        // What beats a cost comes before it, and something that is not beaten itself beats it too.
        if !kept.iter().any(|other| other.is_within(&cost)) {
            kept.push(cost);
        }
    }
    kept
}

/// Which design on the front wins: entries compared one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// What a systolic array is for: short wires, then little memory traffic and little time at once: the square of the
    /// words times the cycles, since a port to memory costs more than a step.
    Systolic,
    /// Time first, at any price.
    Cycles,
    /// The smallest array.
    Pes,
    /// The least traffic: memory, then links.
    Words,
    /// The least storage.
    Buffers,
}

impl Objective {
    /// All objectives with the words for them.
    pub const ALL: [(Objective, &'static str); 5] = [
        (Objective::Systolic, "systolic"),
        (Objective::Cycles, "cycles"),
        (Objective::Pes, "pes"),
        (Objective::Words, "words"),
        (Objective::Buffers, "buffers"),
    ];

    /// The objective that `word` names.
    pub fn from_keyword(word: &str) -> Option<Objective> {
        Objective::ALL.iter().find(|(_, known)| *known == word).map(|(objective, _)| *objective)
    }

    /// The key that orders costs under this objective.
    pub fn key(self, cost: &Cost) -> [u128; 6] {
        let [cycles, pes, channel_words, memory_words, buffers, fanout] = cost.entries().map(u128::from);
        match self {
            Objective::Systolic => {
                let traffic = memory_words.saturating_mul(memory_words).saturating_mul(cycles);
                [fanout, traffic, cycles, pes, channel_words, buffers]
            }
            Objective::Cycles => [cycles, pes, memory_words, channel_words, fanout, buffers],
            Objective::Pes => [pes, cycles, memory_words, channel_words, fanout, buffers],
            Objective::Words => [memory_words, channel_words, cycles, pes, fanout, buffers],
            Objective::Buffers => [buffers, cycles, pes, memory_words, channel_words, fanout],
        }
    }
}
