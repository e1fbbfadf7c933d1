//! How a call runs.
//!
//! In: a routine, tile coordinates, tiles, and the body to run, with or without what a library knows. Out: the tile of the
//! result, each element with the bits that the sequential order gives where loops run, and what was done.

mod area;

pub use area::{Area, copy_meeting};

mod window;

pub use window::{Assembly, Elements};

mod region;

mod kept;

pub use kept::Kept;

mod prepare;

pub use prepare::{Calls, Prepared};

mod run;

pub use run::Run;

mod lanes;

mod chain;

mod sequence;

mod place;

mod product;

pub use product::Part;

mod pieces;

mod task;
