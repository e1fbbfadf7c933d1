//! How what stands along an axis is dealt out to the workers along it: PEs, and the words of arrays.
//!
//! A schedule, a program and a flag say it in the same words. Paper: Cyclotron section 9.2, and the layouts of ScaLAPACK.

use std::fmt;
use std::fmt::Display;

/// How the PEs, or the words, of one axis are dealt out to the workers of that axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dealing {
    /// Runs, one for each worker, as long as each other but for the last ones.
    #[default]
    Block,
    /// One at a time, in turn.
    Cyclic,
    /// So many at a time, at least 1, in turn.
    BlockCyclic(usize),
}

impl Dealing {
    /// The words for it, as an example.
    pub const WORDS: [&'static str; 3] = ["block", "cyclic", "block-cyclic:2"];

    /// The dealing that a word names; none where it names none, or deals out 0 at a time.
    pub fn from_keyword(word: &str) -> Option<Dealing> {
        match word.split_once(':') {
            None if word == "block" => Some(Dealing::Block),
            None if word == "cyclic" => Some(Dealing::Cyclic),
            Some(("block-cyclic", length)) => {
                length.parse().ok().filter(|length| *length > 0).map(Dealing::BlockCyclic)
            }
            _ => None,
        }
    }
}

impl Display for Dealing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dealing::Block => f.write_str("block"),
            Dealing::Cyclic => f.write_str("cyclic"),
            Dealing::BlockCyclic(length) => write!(f, "block-cyclic:{length}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_names_what_it_is_written_for() {
        for dealing in [Dealing::Block, Dealing::Cyclic, Dealing::BlockCyclic(1), Dealing::BlockCyclic(64)] {
            assert_eq!(Dealing::from_keyword(&dealing.to_string()), Some(dealing));
        }
        assert!(Dealing::WORDS.iter().all(|word| Dealing::from_keyword(word).is_some()));
        for word in ["", "blocks", "block:2", "block-cyclic", "block-cyclic:", "block-cyclic:0", "block-cyclic:-1"] {
            assert_eq!(Dealing::from_keyword(word), None, "{word}");
        }
    }
}
