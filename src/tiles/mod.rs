//! Tiles: a system of equations over elements as a system over tiles, of the same form.

mod axis;

pub use axis::Axis;

mod leaf;

pub use leaf::{Argument, Leaf, LeafIndex, Range, Step, Value, Window};
