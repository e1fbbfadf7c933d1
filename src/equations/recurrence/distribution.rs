//! How what stands along an axis is distributed to the workers along it: PEs, and the words of arrays.
//!
//! A schedule, a program and a flag say it in the same words. Paper: Cyclotron section 9.2, and the layouts of ScaLAPACK.

use std::fmt;
use std::fmt::Display;

/// How the PEs, or the words, of one axis are distributed to the workers of that axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Distribution {
    /// Runs, one for each worker, as long as each other but for the last ones.
    #[default]
    Block,
    /// One at a time, in turn.
    Cyclic,
    /// So many at a time, at least 1, in turn.
    BlockCyclic(usize),
}

impl Distribution {
    /// The words for it, as an example.
    pub const WORDS: [&'static str; 3] = ["block", "cyclic", "block-cyclic:2"];

    /// The distribution that a word names; none where it names none, or distributes 0 at a time.
    pub fn from_keyword(word: &str) -> Option<Distribution> {
        match word.split_once(':') {
            None if word == "block" => Some(Distribution::Block),
            None if word == "cyclic" => Some(Distribution::Cyclic),
            Some(("block-cyclic", length)) => {
                length.parse().ok().filter(|length| *length > 0).map(Distribution::BlockCyclic)
            }
            _ => None,
        }
    }
}

impl Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distribution::Block => f.write_str("block"),
            Distribution::Cyclic => f.write_str("cyclic"),
            Distribution::BlockCyclic(length) => write!(f, "block-cyclic:{length}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_names_what_it_is_written_for() {
        for distribution in
            [Distribution::Block, Distribution::Cyclic, Distribution::BlockCyclic(1), Distribution::BlockCyclic(64)]
        {
            assert_eq!(Distribution::from_keyword(&distribution.to_string()), Some(distribution));
        }
        assert!(Distribution::WORDS.iter().all(|word| Distribution::from_keyword(word).is_some()));
        for word in ["", "blocks", "block:2", "block-cyclic", "block-cyclic:", "block-cyclic:0", "block-cyclic:-1"] {
            assert_eq!(Distribution::from_keyword(word), None, "{word}");
        }
    }
}
