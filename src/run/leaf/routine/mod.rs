//! A leaf at given sizes, without names: what its calls run.
//!
//! Indices, windows and accesses are positions. A value is a list of operations in postfix order. Each loop knows how far
//! its rounds are independent of each other ([`dependence`](self::dependence)).

use crate::leaf::recognised::Recognised;
use systole_base::scalar::Function;
use systole_equations::recurrence::Operator;
use systole_equations::tiles::Axis;

mod slot_affine;

pub use slot_affine::{Few, SlotAffine, Span};

mod dependence;

pub use dependence::{LANES, choose_ways, depends};

mod compile;

pub use compile::compile_leaf;

mod specialise;

pub use specialise::{Verdict, judge, margins, specialise, verdict};

/// A leaf at given sizes.
#[derive(Clone, Debug)]
pub struct Routine {
    /// How many coordinates it is called with.
    pub coordinates: usize,
    /// The box of each index, in the order of the leaf.
    pub indices: Vec<Cut>,
    /// The window of the result first.
    pub windows: Vec<Frame>,
    /// The box of the tile it gives.
    pub result: Vec<Cut>,
    /// For each argument its window and its box.
    pub arguments: Vec<(usize, Vec<Cut>)>,
    /// Every mention of an element in the body.
    pub accesses: Vec<Access>,
    /// Whether the body writes a window.
    pub written: Vec<bool>,
    /// The most values that wait for their operation at a time.
    pub depth: usize,
    /// Whether the body takes values of indices for numbers.
    pub reads_indices: bool,
    pub body: Vec<Node>,
}

impl Routine {
    /// All values that each index may have in any tile.
    pub fn extents(&self) -> Vec<Span> {
        self.indices.iter().map(|cut| (0, cut.axis.before + cut.body + cut.axis.after - 1)).collect()
    }

    /// For each window whether a tile fills it, or a part of it.
    pub fn filled(&self) -> Vec<bool> {
        (0..self.windows.len()).map(|window| self.arguments.iter().any(|(filled, _)| *filled == window)).collect()
    }
}

/// A tile along an axis.
#[derive(Clone, Debug)]
pub struct Cut {
    pub axis: Axis,
    /// The axis's body at these sizes.
    pub body: i64,
    /// How many tiles it has.
    pub tiles: i64,
    /// Which tile, over the coordinates.
    pub tile: SlotAffine,
}

impl Cut {
    /// The elements of the tile at these coordinates; `None` where its number does not fit 64 bits.
    pub fn span(&self, at: &[i64]) -> Option<Span> {
        Some(self.axis.span(self.tile.checked_value(at)?.clamp(-1, self.tiles), self.body))
    }

    /// The tiles that are as long as this one, or as empty, and lie as far apart, as a span of numbers; and how far that is.
    pub fn alike(&self, tile: i64) -> (Span, i64) {
        let first = self.axis.margin + self.axis.before;
        let last = (first + self.body / self.axis.size).min(self.tiles) - 1;
        match tile {
            _ if tile < 0 => ((i64::MIN, -1), 0),
            _ if tile >= self.tiles => ((self.tiles, i64::MAX), 0),
            _ if first < last && (first..=last).contains(&tile) => ((first, last), self.axis.size),
            _ => ((tile, tile), 0),
        }
    }
}

/// How the box of a window follows from those of the indices.
#[derive(Clone, Debug)]
pub struct Frame {
    pub ranges: Vec<Reach>,
    pub operator: Option<Operator>,
}

/// One dimension of a window: a form's values with `first` and `last` added, within `0..extent`.
#[derive(Clone, Debug)]
pub struct Reach {
    pub form: SlotAffine,
    pub first: i64,
    pub last: i64,
    pub extent: i64,
}

/// An element of a window.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    pub window: usize,
    pub subscripts: Vec<SlotAffine>,
}

#[derive(Clone, Debug)]
pub enum Node {
    Loop(Loop),
    If {
        conditions: Vec<SlotAffine>,
        then: Vec<Node>,
        otherwise: Vec<Node>,
    },
    Set(Set),
    /// Loops that a library runs.
    Known(Box<Recognised>),
}

#[derive(Clone, Debug)]
pub struct Loop {
    pub index: usize,
    /// Whether its rounds go from the last to the first.
    pub falls: bool,
    /// `coefficient * index >= form`.
    pub lower: Vec<(SlotAffine, i64)>,
    /// `coefficient * index <= form`.
    pub upper: Vec<(SlotAffine, i64)>,
    pub body: Vec<Node>,
    pub way: Way,
}

/// How the rounds of a loop are run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Way {
    /// One after the other, the loops within each in its own way.
    Around,
    /// It holds no loop; one after the other.
    Sequence,
    /// So many at a time, operation by operation.
    Lanes(usize),
}

#[derive(Clone, Debug)]
pub struct Set {
    /// The access that is written.
    pub target: usize,
    pub value: Vec<Operation>,
}

/// One operation on a stack of numbers.
#[derive(Clone, Debug)]
pub enum Operation {
    Number(f64),
    Index(SlotAffine),
    /// An access.
    Load(usize),
    Apply(Function),
}
