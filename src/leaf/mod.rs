//! Leaf operations at given sizes: flat loops over the elements of tiles.
//!
//! In: the [`Leaf`](crate::tiles::Leaf)s of a program, and sizes. Out: [`Leaves`], which give a tile for tiles. Every element gets
//! the bits that the leaf's steps give in their order, unless a library is asked for ([`LeafBackend`]).

use crate::array::{Program, Trouble, bind_tiles, validate};
use crate::diagnostic::Checked;
use crate::integer::Bindings;
use routine::Routine;
use run::Run;
use std::sync::Arc;
use window::{Assembly, Boxes};

mod form;

mod routine;

mod dependence;

mod compile;

mod area;

mod window;

mod library;

pub use library::LeafBackend;

mod product;

mod chain;

mod lanes;

mod sequence;

mod run;

mod assign;

pub use assign::{assign, evaluate};

/// The elements of one tile.
#[derive(Clone, Debug, PartialEq)]
pub enum Tile {
    /// The same number for every element, of whatever box.
    Uniform(f64),
    /// Row-major over the tile's box; empty where the box is.
    Values(Arc<Vec<f64>>),
}

impl Tile {
    /// The element at a row-major position of the tile's box, which must have so many.
    pub fn at(&self, position: usize) -> f64 {
        match self {
            Tile::Uniform(value) => *value,
            Tile::Values(values) => values[position],
        }
    }
}

/// All leaves of a program at given sizes.
#[derive(Clone, Debug)]
pub struct Leaves {
    routines: Vec<Routine>,
}

impl Leaves {
    /// Prepares the leaves of a program.
    ///
    /// # Errors
    /// A program that is not valid; sizes at which a box or an address does not fit.
    pub fn new(program: &Program, sizes: &Bindings) -> Checked<Leaves> {
        Leaves::with_backend(program, sizes, LeafBackend::default())
    }

    /// The same, with a library for the leaves that it knows.
    ///
    /// # Errors
    /// Those of [`Leaves::new`].
    pub fn with_backend(program: &Program, sizes: &Bindings, backend: LeafBackend) -> Checked<Leaves> {
        validate(program)?;
        let sizes = bind_tiles(program, sizes);
        let routines = program.leaves.iter().map(|leaf| compile::compile_leaf(leaf, &sizes, backend));
        Ok(Leaves { routines: routines.collect::<Checked<_>>()? })
    }

    /// How many nests of loops of a leaf a library runs.
    pub fn library_nests(&self, leaf: usize) -> usize {
        self.routines.get(leaf).map_or(0, |routine| product::count_products(&routine.body))
    }

    /// The tile that a leaf gives: `onto`, or a tile of starting values, worked on.
    ///
    /// # Errors
    /// [`Trouble::Overflow`] where a coordinate or a box does not fit, [`Trouble::WrongTile`] where a tile does not have the
    /// elements of its box, [`Trouble::OutsideWindow`] where a subscript leaves its window.
    pub fn call(&self, leaf: usize, at: &[i64], onto: Option<Tile>, arguments: &[Tile]) -> Result<Tile, Trouble> {
        let routine = self.routines.get(leaf).filter(|routine| routine.coordinates == at.len());
        let routine = routine.ok_or(Trouble::WrongTile { leaf })?;
        let boxes = Boxes::at(routine, at)?;
        let assembly = Assembly { routine, boxes: &boxes, leaf };
        let mut run = Run::new(leaf, routine, &boxes, assembly.windows(onto, arguments)?);
        run.block(&routine.body)?;
        Ok(assembly.result(run.windows.swap_remove(0)))
    }
}
