//! Room: how many words a PE has for what it keeps of a tensor.
//!
//! What a PE keeps has a word for each element, by the element's own coordinates, unless a room says less: along a dimension with
//! `m` words a subscript is taken modulo `m`, a constant, so that addresses stay linear. Elements then take turns in a word; that
//! none is kept over while it is still to be read is an obligation (`timing/room.rs`).

use std::collections::BTreeMap;
use systole_base::integer::Name;
use systole_equations::recurrence::Tensor;
use systole_program::array::{IndexExpr, Scratchpad};

/// For each tensor whose room is less than all of it: the words along each dimension, nothing where there are as many as elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rooms(BTreeMap<Name, Vec<Option<i64>>>);

impl Rooms {
    /// The words along each dimension of a tensor; `None` where each element has one of its own.
    pub fn of(&self, tensor: &Name) -> Option<&[Option<i64>]> {
        self.0.get(tensor).map(Vec::as_slice)
    }

    /// Whether each element has a word of its own.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Gives a tensor so many words along each dimension.
    pub fn set(&mut self, tensor: &Name, words: Vec<Option<i64>>) {
        match words.iter().any(Option::is_some) {
            true => self.0.insert(tensor.clone(), words),
            false => self.0.remove(tensor),
        };
    }

    /// The scratchpad in which a PE keeps a tensor.
    pub fn scratchpad(&self, name: Name, tensor: &Tensor) -> Scratchpad {
        let whole = Scratchpad::whole(name, tensor.shape.iter().map(IndexExpr::affine).collect());
        let Some(words) = self.of(&tensor.name) else { return whole };
        let along = |(extent, words): (&IndexExpr, &Option<i64>)| words.map_or(extent.clone(), IndexExpr::Constant);
        Scratchpad { room: whole.shape.iter().zip(words).map(along).collect(), ..whole }
    }

    /// A line of a schedule for each tensor.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(tensor, words)| format!("room {tensor} ({})", show_words(words)))
    }
}

/// The words along each dimension, as a schedule has them: `2, _`.
pub fn show_words(words: &[Option<i64>]) -> String {
    let along = |words: &Option<i64>| words.map_or("_".to_owned(), |words| words.to_string());
    words.iter().map(along).collect::<Vec<_>>().join(", ")
}
