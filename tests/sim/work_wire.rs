//! The wires of the reference for the simulator.

use systole_base::machine::Bandwidth;

/// When words move on a wire, and how many it holds.
#[derive(Clone, Copy)]
pub struct Timing {
    pub capacity: usize,
    pub latency: u64,
    pub response: u64,
    pub bandwidth: Option<Bandwidth>,
}

/// All times of all messages of a wire.
#[derive(Clone)]
pub struct Wire<W> {
    pub entered: Vec<u64>,
    pub taken: Vec<u64>,
    pub values: Vec<W>,
    pub waiting: Vec<usize>,
}

impl<W> Wire<W> {
    /// When a message sent at `clock` enters; `None` where that is not known.
    pub fn entry(&self, timing: Timing, clock: u64) -> Option<u64> {
        let number = self.entered.len();
        let mut entry = clock;
        if let Some(freed) = number.checked_sub(timing.capacity) {
            entry = entry.max(self.taken.get(freed)? + timing.response);
        }
        let (words, cycles) = match timing.bandwidth {
            None => return Some(entry),
            Some(Bandwidth::WordsACycle(words)) => (words as usize, 1),
            Some(Bandwidth::CyclesAWord(cycles)) => (1, cycles),
        };
        Some(number.checked_sub(words).map_or(entry, |before| entry.max(self.entered[before] + cycles)))
    }

    /// The most messages that hold a slot at the entry of one.
    pub fn depth(&self, response: u64) -> u64 {
        let freed = |number: usize| self.taken.get(number).map(|taken| taken + response);
        let held = |number: usize| {
            let now = self.entered[number];
            (0..=number).filter(|before| freed(*before).is_none_or(|freed| freed > now)).count()
        };
        (0..self.entered.len()).map(held).max().unwrap_or(0) as u64
    }
}
