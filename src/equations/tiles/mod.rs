//! Tiles: a system of equations over elements as a system over tiles, of the same form.
//!
//! In: a system, and the sizes of tiles that a schedule gives (`tile i 64`). Out: [`Tiled`]: a system whose indices are tile
//! coordinates, whose sizes are numbers of tiles, and whose functions are [`Leaf`]s, each the recurrence restricted to a tile's
//! box. The stages after this one see an ordinary system, so what they prove for all sizes they prove for all numbers of
//! tiles, ragged ones included. Paper: Cyclotron section 4.4, Figures 6 to 8, where the tiles of a triangular solve are
//! written by hand.

mod axis;

pub use axis::Axis;

mod leaf;

pub use leaf::{Argument, Leaf, LeafIndex, Range, Step, Value, Window};

mod gathered;

mod counted;

mod stack;

mod source;

mod classes;

pub use classes::TileSize;

mod axes;

mod margins;

mod coarse;

mod cells;

mod writer;

mod equations;

mod layers;

mod questions;

mod statement;

mod reductions;

mod tiled;

pub use tiled::{TileCount, Tiled, tile};

mod in_order;

pub use in_order::{TileChains, evaluate_tiled};
