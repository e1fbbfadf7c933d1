//! How much a PE does in one step of a schedule.
//!
//! By default one operation: the point of one equation. Where a PE is a *cell* that does a whole update at once, several
//! operations share a step, each of another equation; what one of them computes another may read in the same step.

use std::fmt;

/// How many operations one step of a PE holds at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// So many, at least 1.
    Holds(u64),
    /// As many as there are.
    All,
}

impl Cell {
    /// One operation, as where nothing is said.
    pub const ONE: Cell = Cell::Holds(1);

    /// The word for a cell that holds as many operations as there are.
    pub const ALL: &'static str = "all";

    /// Whether operations may share a step.
    pub fn is_shared(self) -> bool {
        self != Cell::ONE
    }

    /// Whether a step has room for so many operations.
    pub fn has_room_for(self, operations: u64) -> bool {
        match self {
            Cell::Holds(most) => operations <= most,
            Cell::All => true,
        }
    }

    /// The cell that a word names: a number from 1 to `most`, or `all`.
    pub fn from_word(word: &str, most: u64) -> Option<Cell> {
        match word {
            Cell::ALL => Some(Cell::All),
            number => number.parse().ok().filter(|number| (1..=most).contains(number)).map(Cell::Holds),
        }
    }
}

impl Default for Cell {
    fn default() -> Cell {
        Cell::ONE
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Holds(operations) => write!(f, "{operations}"),
            Cell::All => f.write_str(Cell::ALL),
        }
    }
}
