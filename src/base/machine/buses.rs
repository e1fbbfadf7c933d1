//! The buses of a machine: wires that bring one word to many PEs.

/// Which kinds of buses there are, and what they take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buses {
    /// Along the rows: along the last axis of an array.
    pub row: bool,
    /// Along the columns: along any other axis.
    pub column: bool,
    /// One from memory to all PEs.
    pub all: bool,
    /// Cycles from a drive until the word can be heard; 0 is a wire, which designs with broadcasts need.
    pub latency: i64,
}

impl Default for Buses {
    fn default() -> Buses {
        Buses { row: true, column: true, all: true, latency: 0 }
    }
}

impl Buses {
    /// The kinds with the words for them.
    pub const KINDS: [&'static str; 3] = ["row", "column", "all"];

    /// Whether there is this kind, in the order of [`Buses::KINDS`].
    pub fn kinds(&self) -> [bool; 3] {
        [self.row, self.column, self.all]
    }

    /// Has these kinds and no others; `None` where a word is not a kind.
    pub fn set_kinds<'a>(&mut self, words: impl IntoIterator<Item = &'a str>) -> Option<()> {
        let mut kinds = [false; 3];
        for word in words {
            kinds[Buses::KINDS.iter().position(|kind| *kind == word)?] = true;
        }
        [self.row, self.column, self.all] = kinds;
        Some(())
    }

    /// Whether a bus lies along this displacement between PEs: along one axis.
    pub fn carries(&self, displacement: &[i64]) -> bool {
        let mut axes = displacement.iter().enumerate().filter(|(_, entry)| **entry != 0).map(|(axis, _)| axis);
        match (axes.next(), axes.next()) {
            (Some(axis), None) if axis + 1 == displacement.len() => self.row,
            (Some(_), None) => self.column,
            _ => false,
        }
    }
}
