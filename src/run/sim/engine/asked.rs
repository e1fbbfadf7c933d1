//! The words of an array that a PE has asked for ahead.
//!
//! In: when its loads take their words. Out: when the next word is there. A PE asks in the order of its program: in the cycle after
//! a load has made room, or in cycle 0, where there is room for it from the beginning.

use std::collections::VecDeque;

/// When the last loads of an array took their words, as far as that still decides when another word is there.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked(VecDeque<u64>);

impl Asked {
    /// When the next word is there, for a load at clock `now` of a PE that may have so many outstanding; any clock up to `now` where
    /// it is there already.
    pub fn there(&mut self, now: u64, outstanding: u64, latency: u64) -> u64 {
        let answered = |taken: &u64| taken.saturating_add(1).saturating_add(latency);
        while self.0.front().is_some_and(|taken| answered(taken) <= now) {
            self.0.pop_front();
        }
        let room = usize::try_from(outstanding).ok().and_then(|outstanding| self.0.len().checked_sub(outstanding));
        room.and_then(|at| self.0.get(at)).map_or(latency, answered)
    }

    /// A load has taken its word.
    pub fn take(&mut self, clock: u64) {
        self.0.push_back(clock);
    }
}
