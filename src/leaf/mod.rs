//! Leaf operations at given sizes: flat loops over the elements of tiles.
//!
//! In: the [`Leaf`](crate::tiles::Leaf)s of a program, and sizes. Out: [`Leaves`], which give a tile for tiles. Every element gets
//! the bits that the leaf's steps give in their order, unless a library is asked for ([`LeafBackend`]).
//!
//! A leaf is compiled to loops (`routine`). Of these a library (`library`) does what it knows (`known`). A call runs what is left of
//! the body on the tiles (`call`).

use crate::array::{Program, Trouble, bind_tiles, validate};
use crate::diagnostic::Checked;
use crate::integer::Bindings;
use call::{Assembly, Boxes, Run};
use known::Plans;
use routine::{Routine, compile_leaf};
use std::borrow::Cow;
use std::sync::Arc;
use tally::Tally;

mod buffer;

pub use buffer::Buffer;

mod tally;

pub use tally::{SERVICES, Work};

mod routine;

mod library;

pub use library::LeafBackend;

mod known;

mod call;

mod forecast;

pub use forecast::{Chore, Forecast, Forecasts};

mod rates;

pub use rates::{Effort, measure_rates};

mod assign;

pub use assign::{assign, evaluate};

/// The elements of one tile.
#[derive(Clone, Debug, PartialEq)]
pub enum Tile {
    /// The same number for every element, of whatever box.
    Uniform(f64),
    /// Row-major over the tile's box; empty where the box is.
    Values(Arc<Buffer>),
}

impl Tile {
    /// The element at a row-major position of the tile's box, which must have so many.
    pub fn at(&self, position: usize) -> f64 {
        match self {
            Tile::Uniform(value) => *value,
            Tile::Values(values) => values[position],
        }
    }

    /// All elements of the tile, of whose box there are so many.
    pub fn elements(&self, count: usize) -> Cow<'_, [f64]> {
        match self {
            Tile::Uniform(value) => Cow::Owned(vec![*value; count]),
            Tile::Values(values) => Cow::Borrowed(values),
        }
    }
}

/// All leaves of a program at given sizes.
#[derive(Clone, Debug)]
pub struct Leaves {
    routines: Vec<Routine>,
    plans: Plans,
    backend: LeafBackend,
    tally: Tally,
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
        let routines = program.leaves.iter().map(|leaf| compile_leaf(leaf, &sizes));
        let routines: Vec<Routine> = routines.collect::<Checked<_>>()?;
        let plans = if backend.library().is_some() { Plans::new(&routines)? } else { Plans::default() };
        Ok(Leaves { routines, plans, backend, tally: Tally::default() })
    }

    /// What a library runs of a leaf at these coordinates: the names of its operations, in the order of the text.
    ///
    /// # Errors
    /// [`Trouble::Overflow`] where a coordinate or a box does not fit, [`Trouble::WrongTile`] for another number of coordinates.
    pub fn known(&self, leaf: usize, at: &[i64]) -> Result<Vec<&'static str>, Trouble> {
        let routine = self.routine(leaf, at)?;
        let boxes = Boxes::at(routine, at)?;
        let plan = self.plans.plan(leaf, routine, &boxes.indices);
        Ok(plan.map_or_else(Vec::new, |plan| known::names(&plan.body)))
    }

    /// What all calls so far have done.
    pub fn work(&self) -> Work {
        self.tally.total()
    }

    fn routine(&self, leaf: usize, at: &[i64]) -> Result<&Routine, Trouble> {
        let routine = self.routines.get(leaf).filter(|routine| routine.coordinates == at.len());
        routine.ok_or(Trouble::WrongTile { leaf })
    }

    /// The tile that a leaf gives: `onto`, or a tile of starting values, worked on.
    ///
    /// # Errors
    /// [`Trouble::Overflow`] where a coordinate or a box does not fit, [`Trouble::WrongTile`] where a tile does not have the
    /// elements of its box, [`Trouble::OutsideWindow`] where a subscript leaves its window.
    pub fn call(&self, leaf: usize, at: &[i64], onto: Option<Tile>, arguments: &[Tile]) -> Result<Tile, Trouble> {
        let routine = self.routine(leaf, at)?;
        let boxes = Boxes::at(routine, at)?;
        let plan = self.plans.plan(leaf, routine, &boxes.indices);
        let written = plan.as_ref().map_or(&routine.written, |plan| &plan.written);
        let assembly = Assembly { routine, boxes: &boxes, leaf, written };
        let library = self.backend.library();
        let blank = assembly.begins_with(&onto).filter(|_| library.is_some());
        let mut run = Run::new(leaf, routine, &boxes, assembly.windows(onto, arguments, blank.is_some())?);
        (run.library, run.blank) = (library, blank);
        run.block(plan.as_ref().map_or(&routine.body, |plan| &plan.body))?;
        run.fill();
        self.tally.add(&run.work);
        Ok(assembly.result(run.windows.swap_remove(0)))
    }
}
