//! Which worker has a word of an array before the run, or after it.
//!
//! In: the shapes of arrays, how the axes of each are distributed, if they are, and how the workers stand for the PEs. Out: for each word
//! of those that are the one worker that is its home. The workers stand along the axes of an array as they do along those of the PEs
//! where it has as many, else in the grid that is balanced best, as [`Owners`] say. Paper: Cyclotron section 9.2, and the layouts of ScaLAPACK.

use super::marks::Marks;
use super::owners::Owners;
use std::ops::Range;
use systole_equations::recurrence::Distribution;
use systole_program::array::{Code, Grid, Layout};

/// The home of each word of each array that has a layout.
#[derive(Clone, Debug)]
pub struct Homes {
    arrays: Vec<Option<Owners>>,
}

impl Homes {
    /// Distributes the arrays of a program to the workers that its PEs were distributed to; none where no array has a layout.
    pub fn new(code: &Code, pes: &Owners, workers: usize, distributions: &[Option<Distribution>]) -> Option<Homes> {
        let of = |(layout, distribution): (&Layout, &Option<Distribution>)| {
            let distribution = (*distribution)?;
            let words = Grid { first: vec![0; layout.shape.len()], extents: layout.shape.clone() };
            let as_pes = Owners::arranged(&words, workers, pes.arrangement(), distribution);
            Some(as_pes.unwrap_or_else(|_| Owners::new(&words, workers, distribution)))
        };
        let arrays: Vec<Option<Owners>> = code.arrays.iter().zip(distributions).map(of).collect();
        arrays.iter().any(Option::is_some).then_some(Homes { arrays })
    }

    /// The home of a word; none in an array without a layout.
    pub fn of(&self, array: usize, address: usize) -> Option<usize> {
        self.arrays[array].as_ref().map(|owners| owners.of(address))
    }

    /// The addresses of the words of an array with a layout that have their home at a worker, in rising order.
    pub fn runs(&self, array: usize, layout: &Layout, worker: usize) -> Option<Vec<Range<usize>>> {
        let owners = self.arrays[array].as_ref()?;
        let mut marks = Marks::default();
        let own = (0..layout.length()).filter(|address| owners.of(*address) == worker);
        own.for_each(|address| _ = marks.mark(address));
        Some(marks.runs())
    }
}
