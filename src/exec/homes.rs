//! Which worker has a word of an array before the run, or after it.
//!
//! In: the shapes of arrays, how their axes are dealt out, and how the workers stand for the PEs. Out: for each word the one worker
//! that is its home. The workers stand along the axes of an array as they do along those of the PEs where it has as many, else in the
//! grid that is balanced best, as [`Owners`] say. Paper: Cyclotron section 9.2, and the layouts of ScaLAPACK.

use super::marks::Marks;
use super::owners::{Dealing, Owners};
use crate::array::{Code, Grid, Layout};
use std::ops::Range;

/// The home of each word of each array.
#[derive(Clone, Debug)]
pub struct Homes {
    arrays: Vec<Owners>,
}

impl Homes {
    /// Deals the arrays of a program out to the workers that its PEs were dealt out to.
    pub fn new(code: &Code, pes: &Owners, workers: usize, dealing: Dealing) -> Homes {
        let of = |layout: &Layout| {
            let words = Grid { first: vec![0; layout.shape.len()], extents: layout.shape.clone() };
            let as_pes = Owners::arranged(&words, workers, pes.arrangement(), dealing);
            as_pes.unwrap_or_else(|_| Owners::new(&words, workers, dealing))
        };
        Homes { arrays: code.arrays.iter().map(of).collect() }
    }

    /// The home of a word.
    pub fn of(&self, array: usize, address: usize) -> usize {
        self.arrays[array].of(address)
    }

    /// The addresses of the words of a layout that have their home at a worker, in rising order.
    pub fn runs(&self, array: usize, layout: &Layout, worker: usize) -> Vec<Range<usize>> {
        let mut marks = Marks::default();
        let own = (0..layout.length()).filter(|address| self.of(array, *address) == worker);
        own.for_each(|address| _ = marks.mark(address));
        marks.runs()
    }
}
