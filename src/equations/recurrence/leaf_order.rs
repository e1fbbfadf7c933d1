//! In which order a worker computes the tiles of its PEs.
//!
//! A schedule, a program and a flag say it in the same words. It changes no word, and no bit: how often a tile is in the cache when it is
//! used again, and how long others wait for it. Steps serve those who wait; turns let every PE begin; several at a time keep the tile
//! that a PE sums up where it is.

use std::fmt;
use std::fmt::Display;

/// In which order a worker computes tiles, those of the PEs that can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafOrder {
    /// Whether steps are counted from each PE's first tile, not from the program's start.
    pub by_turns: bool,
    /// So many steps count as one, at least 1; of several a PE does all that it can before another does any.
    pub together: u32,
}

impl LeafOrder {
    /// The steps of the program, the earliest first.
    pub const STEPS: LeafOrder = LeafOrder { by_turns: false, together: 1 };

    /// Each PE one tile in turn.
    pub const TURNS: LeafOrder = LeafOrder { by_turns: true, together: 1 };

    /// The words for it, as an example.
    pub const WORDS: [&'static str; 4] = ["steps", "steps:4", "turns", "turns:4"];

    /// The order that a word names; none where it names none, or has nothing together.
    pub fn from_keyword(word: &str) -> Option<LeafOrder> {
        let (counted, together) = match word.split_once(':') {
            None => (word, Some(1)),
            Some((counted, together)) => (counted, together.parse().ok().filter(|together| *together > 0)),
        };
        let by_turns = match counted {
            "steps" => false,
            "turns" => true,
            _ => return None,
        };
        together.map(|together| LeafOrder { by_turns, together })
    }

    /// When a tile is computed, among those of its worker: of a step of the program, at a PE with this first one.
    pub fn turn(self, step: i64, first: i64) -> i64 {
        let counted = if self.by_turns { step.saturating_sub(first) } else { step };
        counted.div_euclid(i64::from(self.together).max(1))
    }
}

impl Display for LeafOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.by_turns { "turns" } else { "steps" })?;
        if self.together == 1 { Ok(()) } else { write!(f, ":{}", self.together) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_names_what_it_is_written_for() {
        for (by_turns, together) in [(false, 1), (true, 1), (false, 2), (true, 64)] {
            let order = LeafOrder { by_turns, together };
            assert_eq!(LeafOrder::from_keyword(&order.to_string()), Some(order));
        }
        assert!(LeafOrder::WORDS.iter().all(|word| LeafOrder::from_keyword(word).is_some()));
        for word in ["", "step", "turns:", "turns:0", "steps:-1", "steps:x", "cyclic"] {
            assert_eq!(LeafOrder::from_keyword(word), None, "{word}");
        }
    }

    #[test]
    fn several_steps_are_one_turn() {
        let turns = |order: LeafOrder| [-1, 0, 3, 4, 9].map(|step| order.turn(step, -1));
        assert_eq!(turns(LeafOrder::STEPS), [-1, 0, 3, 4, 9]);
        assert_eq!(turns(LeafOrder::TURNS), [0, 1, 4, 5, 10]);
        assert_eq!(turns(LeafOrder { together: 4, ..LeafOrder::STEPS }), [-1, 0, 0, 1, 2]);
        assert_eq!(turns(LeafOrder { together: 4, ..LeafOrder::TURNS }), [0, 0, 1, 1, 2]);
    }
}
