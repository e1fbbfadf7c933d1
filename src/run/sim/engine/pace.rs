//! When words may enter a link of limited bandwidth.
//!
//! With b words a cycle, `e(m) >= e(m - b) + 1`; with a word every p cycles, `e(m) >= e(m - 1) + p`.

use systole_base::machine::Bandwidth;

/// When the last words entered a wire.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    last: u64,
    /// Words that entered at `last`.
    count: u64,
}

impl Pace {
    /// The first clock from `clock` on at which one more word may enter, which it then does. Clocks only rise.
    pub fn admit(&mut self, bandwidth: Bandwidth, clock: u64) -> Option<u64> {
        let next = match bandwidth {
            _ if self.count == 0 => clock,
            Bandwidth::CyclesAWord(cycles) => clock.max(self.last.checked_add(cycles)?),
            Bandwidth::WordsACycle(words) if self.count >= words => clock.max(self.last.checked_add(1)?),
            Bandwidth::WordsACycle(_) => clock,
        };
        self.count = if next == self.last { self.count + 1 } else { 1 };
        self.last = next;
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_distance() {
        let enter = |bandwidth, clocks: &[u64]| {
            let mut pace = Pace::default();
            clocks.iter().map(|clock| pace.admit(bandwidth, *clock)).collect::<Option<Vec<u64>>>()
        };
        assert_eq!(enter(Bandwidth::WordsACycle(2), &[0, 0, 0, 1, 1, 9]), Some(vec![0, 0, 1, 1, 2, 9]));
        assert_eq!(enter(Bandwidth::CyclesAWord(3), &[0, 1, 8, 8]), Some(vec![0, 3, 8, 11]));
        assert_eq!(enter(Bandwidth::CyclesAWord(3), &[u64::MAX - 1, u64::MAX]), None);
    }
}
