//! Numbers for random instances: a seed in, the same numbers out on every machine and in every thread (SplitMix64).

/// What SplitMix64 adds for each number: 2^64 divided by the golden ratio.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// A number that depends on all bits of `state`.
pub(super) fn mixed(state: u64) -> u64 {
    let once = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let twice = (once ^ (once >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    twice ^ (twice >> 31)
}

/// A number that depends on a text and on where it started.
pub(in crate::check) fn mixed_text(start: u64, text: &str) -> u64 {
    text.bytes().fold(start, |state, byte| mixed(state.wrapping_add(STEP) ^ u64::from(byte)))
}

/// A source of numbers.
#[derive(Clone, Debug)]
pub(in crate::check) struct Random(u64);

impl Random {
    /// The source of this seed.
    pub fn new(seed: u64) -> Random {
        Random(mixed(seed.wrapping_add(STEP)))
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mixed(self.0)
    }

    /// A number below `count`; 0 where that is 0.
    pub fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next() % (count.max(1) as u64)).unwrap_or(0)
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of them; `None` where there are none.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }

    /// An integer from `least` to `greatest`.
    pub fn between(&mut self, least: i64, greatest: i64) -> i64 {
        let count = usize::try_from(greatest - least + 1).unwrap_or(1);
        least + i64::try_from(self.below(count)).unwrap_or(0)
    }
}
