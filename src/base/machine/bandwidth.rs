//! How many words a link takes in.

use std::fmt;

/// The bandwidth of a link: a whole number of words a cycle, or a whole number of cycles a word. The number is at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bandwidth {
    /// At most so many words enter a link in one cycle.
    WordsACycle(u64),
    /// A word enters a link so many cycles after the one before at the earliest.
    CyclesAWord(u64),
}

impl Bandwidth {
    /// The bandwidth of so many words a cycle. Where they are less than 1, a word occupies the link for as many whole cycles
    /// as it needs; where they are more, what exceeds a whole number is of no use. `None` where they are not positive, or
    /// beyond a million words a cycle or cycles a word.
    pub fn of(words_a_cycle: f64) -> Option<Bandwidth> {
        match words_a_cycle {
            words if (1.0..=1e6).contains(&words) => Some(Bandwidth::WordsACycle(words as u64)),
            words if (1e-6..1.0).contains(&words) => Some(Bandwidth::CyclesAWord((1.0 / words).ceil() as u64)),
            _ => None,
        }
    }
}

/// As a machine file says it.
impl fmt::Display for Bandwidth {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bandwidth::WordsACycle(words) => write!(formatter, "{words}"),
            Bandwidth::CyclesAWord(cycles) => write!(formatter, "{}", 1.0 / *cycles as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_a_cycle_are_rounded_to_what_a_link_can_do() {
        assert_eq!(Bandwidth::of(1.0), Some(Bandwidth::WordsACycle(1)));
        assert_eq!(Bandwidth::of(2.5), Some(Bandwidth::WordsACycle(2)));
        assert_eq!(Bandwidth::of(0.5), Some(Bandwidth::CyclesAWord(2)));
        assert_eq!(Bandwidth::of(0.4), Some(Bandwidth::CyclesAWord(3)));
        assert_eq!(Bandwidth::of(0.25), Some(Bandwidth::CyclesAWord(4)));
        for refused in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e7, 1e-7] {
            assert_eq!(Bandwidth::of(refused), None, "{refused}");
        }
    }
}
