//! What is done with one tile: the recurrence, restricted to the tile's box, in a sequential order.
//!
//! A leaf is called with tile coordinates and with tiles. It reads and writes *windows*: boxes of elements of a tensor, filled
//! from the tiles that it was given, so that all subscripts in its body are those of the equations. The first window holds
//! the result. The body is loops over elements; each loop stays within the box of its index at the tile coordinates.

use super::Axis;
use crate::recurrence::Operator;
use systole_base::integer::{Affine, Bound, Name};
use systole_base::scalar::Function;

/// A leaf operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    /// Its name.
    pub name: Name,
    /// The tile coordinates that it is called with.
    pub coordinates: Vec<Name>,
    /// The indices of its loops.
    pub indices: Vec<LeafIndex>,
    /// The boxes of elements that it works on, that of the result first.
    pub windows: Vec<Window>,
    /// Which tile it gives: for each dimension of the result an axis and a tile coordinate, over [`Leaf::coordinates`].
    pub result: Vec<(Axis, Affine)>,
    /// The tiles that it is given, in this order.
    pub arguments: Vec<Argument>,
    /// What it does.
    pub body: Vec<Step>,
}

/// An index over elements: those of one tile.
#[derive(Clone, Debug, PartialEq)]
pub struct LeafIndex {
    /// Its name.
    pub name: Name,
    /// The axis that it runs along.
    pub axis: Axis,
    /// The tile, over [`Leaf::coordinates`].
    pub tile: Affine,
}

/// A box of elements of one tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// The tensor, or the reduction.
    pub tensor: Name,
    /// One range a dimension.
    pub ranges: Vec<Range>,
    /// For the running values of a reduction its operator. Elements that no tile gives start as what changes no bit of any
    /// value that is combined with them: -0 for a sum.
    pub operator: Option<Operator>,
}

/// The subscripts `form + first ..= form + last` for all values that the indices take in their boxes, clipped to `0..extent`.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// Over indices and parameters.
    pub form: Affine,
    /// How far the window reaches before.
    pub first: i64,
    /// How far it reaches beyond.
    pub last: i64,
    /// The tensor's extent, over the parameters.
    pub extent: Affine,
}

/// A tile that a leaf is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The window that it fills, where the two meet.
    pub window: usize,
    /// Which tile: for each dimension an axis and a tile coordinate, over [`Leaf::coordinates`].
    pub tile: Vec<(Axis, Affine)>,
}

/// One step of a leaf.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// For each element of the box of an index that satisfies the bounds.
    Loop {
        /// The index, as a position in [`Leaf::indices`].
        index: usize,
        /// Whether the elements come from the last to the first.
        falls: bool,
        /// Lower bounds, over the indices of the loops around and the parameters.
        lower: Vec<Bound>,
        /// Upper bounds over the same.
        upper: Vec<Bound>,
        /// What is repeated.
        body: Vec<Step>,
    },
    /// Where all forms are at least 0, the first steps, else the second.
    If {
        /// Over the indices of the loops around and the parameters.
        conditions: Vec<Affine>,
        /// What is done then.
        then: Vec<Step>,
        /// What is done otherwise.
        otherwise: Vec<Step>,
    },
    /// An element of a window gets a value.
    Set {
        /// The window, as a position in [`Leaf::windows`].
        window: usize,
        /// Its subscripts, over indices and parameters.
        element: Vec<Affine>,
        /// The value.
        value: Value,
    },
}

/// A number that a leaf computes.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A literal.
    Number(f64),
    /// An affine form of indices and parameters.
    Index(Affine),
    /// An element of a window.
    Element(usize, Vec<Affine>),
    /// A function of its arguments.
    Apply(Function, Vec<Value>),
}
