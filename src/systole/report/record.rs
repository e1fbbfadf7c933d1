//! What is kept of a run to show it cycle by cycle.
//!
//! Cycles are counted from 0; PEs, wires and lines are positions in the lists of the film. Everything is a short array in
//! the JSON, because there is much of it.

use super::lit::Lit;
use serde::Serialize;

/// A number as a page can hold it: JSON has no infinities.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Number {
    /// A finite one.
    Finite(f64),
    /// Any other, by name.
    Named(&'static str),
}

impl From<f64> for Number {
    fn from(value: f64) -> Number {
        match value {
            _ if value.is_finite() => Number::Finite(value),
            _ if value.is_nan() => Number::Named("NaN"),
            _ if value > 0.0 => Number::Named("∞"),
            _ => Number::Named("-∞"),
        }
    }
}

/// What a PE does that does not idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Doing {
    /// It works.
    #[serde(rename = "B")]
    Busy,
    /// It waits for a slot to send into.
    #[serde(rename = "S")]
    Stalled,
    /// It waits for a word to receive.
    #[serde(rename = "R")]
    Starved,
}

/// From one cycle to before another a PE does one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Span(pub Doing, pub u64, pub u64);

/// A channel between two PEs: the channel's position in the program, the sender, the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Wire(pub usize, pub usize, pub usize);

/// A word on its way: its wire, when it was sent, when it was received (if it was), its value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Word(pub usize, pub u64, pub Option<u64>, pub Number);

/// A word of a bus: its line, the PE that hears it, when, its value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BusRead(pub usize, pub usize, pub u64, pub Number);

/// An element at a memory port: the PE, when, the element by name, its value, whether it goes out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Access(pub usize, pub u64, pub String, pub Number, pub bool);

/// A line of a bus: the bus's position in the program, and the PEs on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line(pub usize, pub Vec<usize>);

/// A run as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Film {
    /// How many cycles are shown, from the first.
    pub cycles: u64,
    /// What each PE does, in the order of time; where there is nothing it idles.
    pub spans: Vec<Vec<Span>>,
    /// All instances of channels.
    pub wires: Vec<Wire>,
    /// All words that are sent in the cycles shown, in the order in which they are sent.
    pub words: Vec<Word>,
    /// All lines of buses.
    pub lines: Vec<Line>,
    /// All words heard.
    pub heard: Vec<BusRead>,
    /// What comes and goes through memory ports.
    pub accesses: Vec<Access>,
    /// For each PE the clocks at which it began its steps.
    pub began: Vec<Vec<u64>>,
    /// All sets of instructions that a PE did in one cycle, by their numbers in its class.
    pub sets: Vec<Vec<usize>>,
    /// When each PE did which of these sets.
    pub lit: Vec<Vec<Lit>>,
}

impl Film {
    /// What a PE does in a cycle; `None` where it idles.
    pub fn doing(&self, pe: usize, cycle: u64) -> Option<Doing> {
        let spans = self.spans.get(pe)?;
        spans.iter().find(|Span(_, from, to)| (*from..*to).contains(&cycle)).map(|span| span.0)
    }
}
