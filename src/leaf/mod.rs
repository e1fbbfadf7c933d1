//! Leaf operations at given sizes: flat loops over the elements of tiles.
//!
//! In: the [`Leaf`](crate::tiles::Leaf)s of a program, and sizes. Out: [`Leaves`], which give a tile for tiles.

use crate::array::{Program, Trouble};
use crate::diagnostic::Checked;
use crate::integer::Bindings;
use std::sync::Arc;

/// The elements of one tile.
#[derive(Clone, Debug, PartialEq)]
pub enum Tile {
    /// The same number for every element, of whatever box.
    Uniform(f64),
    /// Row-major over the tile's box; empty where the box is.
    Values(Arc<Vec<f64>>),
}

/// All leaves of a program at given sizes.
#[derive(Clone, Debug)]
pub struct Leaves {}

impl Leaves {
    /// Prepares the leaves of a program.
    ///
    /// # Errors
    /// Sizes at which a box or an address does not fit.
    pub fn new(_program: &Program, _sizes: &Bindings) -> Checked<Leaves> {
        Ok(Leaves {})
    }

    /// The tile that a leaf gives: `onto`, or a tile of starting values, worked on.
    ///
    /// # Errors
    /// [`Trouble::Overflow`] where a coordinate does not fit.
    pub fn call(&self, _leaf: usize, _at: &[i64], onto: Option<Tile>, _arguments: &[Tile]) -> Result<Tile, Trouble> {
        Ok(onto.unwrap_or(Tile::Uniform(f64::NAN)))
    }
}
