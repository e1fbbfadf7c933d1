//! Leaf operations at given sizes: flat loops over the elements of tiles.
//!
//! In: the [`Leaf`](systole_equations::tiles::Leaf)s of a program, and sizes. Out: [`Leaves`], which give a tile for tiles. Every element gets
//! the bits that the leaf's steps give in their order, unless a library is asked for ([`LeafBackend`]).
//!
//! Beside these stand what calls will do and how fast (`forecast`, `rates`).
//!
//! A leaf is compiled to loops (`routine`). Of these a library (`library`) does what it knows (`known`). A call runs what is left of
//! the body on the tiles (`call`).

use call::{Assembly, Calls, Run};
use compiled::CompiledLeaves;
use routine::{Routine, compile_leaf};
use std::borrow::Cow;
use std::sync::Arc;
use systole_base::diagnostic::Checked;
use systole_base::integer::Bindings;
use systole_program::array::{Program, Trouble, bind_tiles, validate};
use tally::Tally;

mod element;

pub use element::{Element, Enclosed};

mod buffer;

pub use buffer::Buffer;

mod tally;

pub use tally::{SERVICES, Work};

mod routine;

mod library;

pub use library::LeafBackend;

mod recognised;

mod compiled;

pub use compiled::{c_compiler, compile_natively};

mod call;

mod forecast;

pub use forecast::{Chore, Forecast, Forecasts};

mod rates;

pub use rates::{Effort, measure_rates};

mod face;

pub use face::{Extent, Face};
pub use routine::Few;

mod assign;

pub use assign::{assign, evaluate};

/// The elements of one tile.
#[derive(Clone, Debug, PartialEq)]
pub enum Tile<E: Element = f64> {
    /// The same number for every element, of whatever box.
    Uniform(E),
    /// Row-major over the tile's box; empty where the box is.
    Values(Arc<Buffer<E>>),
}

impl<E: Element> Tile<E> {
    /// The element at a row-major position of the tile's box, which must have so many.
    pub fn at(&self, position: usize) -> E {
        match self {
            Tile::Uniform(value) => *value,
            Tile::Values(values) => values[position],
        }
    }

    /// All elements of the tile, of whose box there are so many.
    pub fn elements(&self, count: usize) -> Cow<'_, [E]> {
        match self {
            Tile::Uniform(value) => Cow::Owned(vec![*value; count]),
            Tile::Values(values) => Cow::Borrowed(values),
        }
    }
}

/// All leaves of a program at given sizes.
#[derive(Clone, Debug)]
pub struct Leaves {
    calls: Calls,
    backend: LeafBackend,
    /// What runs loops in their place.
    compiled: Option<CompiledLeaves>,
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
        let leaves = Leaves::of(compile_leaves(program, sizes)?, backend)?;
        if backend != LeafBackend::Native {
            return Ok(leaves);
        }
        match CompiledLeaves::new(program, &bind_tiles(program, sizes)) {
            Ok(compiled) => {
                Ok(Leaves { calls: leaves.calls.checked(compiled.sizes.clone()), compiled: Some(compiled), ..leaves })
            }
            // Loops have the same bits, and `compile_natively` says why.
            Err(_) => Ok(leaves),
        }
    }

    fn of(routines: Vec<Routine>, backend: LeafBackend) -> Checked<Leaves> {
        let calls = Calls::new(routines, backend.is_library())?;
        Ok(Leaves { calls, backend, compiled: None, tally: Tally::default() })
    }

    /// What a library runs of a leaf at these coordinates: the names of its operations, in the order of the text.
    ///
    /// # Errors
    /// [`Trouble::Overflow`] where a coordinate or a box does not fit, [`Trouble::WrongTile`] for another number of coordinates.
    pub fn known(&self, leaf: usize, at: &[i64]) -> Result<Vec<&'static str>, Trouble> {
        let routine = self.calls.routine(leaf, at)?;
        Ok(recognised::names(self.calls.prepare(leaf, at)?.body(routine)))
    }

    /// What all calls so far have done.
    pub fn work(&self) -> Work {
        self.tally.total()
    }

    /// The tile that a leaf gives: `onto`, or a tile of starting values, worked on.
    ///
    /// # Errors
    /// [`Trouble::Overflow`] where a coordinate or a box does not fit, [`Trouble::WrongTile`] where a tile does not have the
    /// elements of its box, [`Trouble::OutsideWindow`] where a subscript leaves its window.
    pub fn call<E: Element>(
        &self,
        leaf: usize,
        at: &[i64],
        onto: Option<Tile<E>>,
        arguments: &[Tile<E>],
    ) -> Result<Tile<E>, Trouble> {
        let routine = self.calls.routine(leaf, at)?;
        let call = self.calls.prepare(leaf, at)?;
        let assembly = Assembly { routine, call: &call, leaf };
        let library = self.backend.library();
        let blank = assembly.begins_with(&onto).filter(|_| library.is_some());
        let mut run = Run::new(leaf, routine, &call, assembly.windows(onto, arguments, blank.is_some())?);
        (run.library, run.blank, run.moved) = (library, blank, call.moved(routine, at));
        let is_done = self.compiled.as_ref().is_some_and(|compiled| run.compiled(compiled, &call, at));
        match (&call.pieces, library) {
            _ if is_done => {}
            (Some(pieces), Some(library)) => run.multiply_all(pieces, library),
            _ => run.block(call.body(routine))?,
        }
        run.fill();
        self.tally.add(&run.work);
        Ok(assembly.result(run.windows.swap_remove(0)))
    }
}

/// The leaves of a valid program at these sizes.
fn compile_leaves(program: &Program, sizes: &Bindings) -> Checked<Vec<Routine>> {
    validate(program)?;
    let sizes = bind_tiles(program, sizes);
    program.leaves.iter().map(|leaf| compile_leaf(leaf, &sizes)).collect()
}
