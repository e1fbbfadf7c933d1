//! The front of a search for the page: a dot for each design, by its cycles and its PEs.
//!
//! In: the designs that no other is better than. Out: at most [`MOST`] rows, best first, each with the page that shows it, if it has one.

use serde::Serialize;
use systole_compile::cost::Cost;

/// The designs that are drawn at most.
pub const MOST: usize = 256;

/// A design of the front.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FrontRow {
    /// Its cycles.
    pub cycles: u64,
    /// Its PEs.
    pub pes: u64,
    /// Words times links.
    pub words: u64,
    /// The design in words.
    pub design: String,
    /// The file of its page, beside this one.
    pub page: Option<String>,
}

impl FrontRow {
    /// A design of this cost, without a page.
    pub fn of(cost: &Cost, design: String) -> FrontRow {
        FrontRow { cycles: cost.cycles, pes: cost.pes, words: cost.channel_words, design, page: None }
    }
}

/// The front.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Front {
    /// The designs, best first.
    pub rows: Vec<FrontRow>,
    /// Which of them the page shows.
    pub shown: Option<usize>,
    /// The sizes at which they were counted.
    pub counted: String,
    /// How many more there are.
    pub more: usize,
}
