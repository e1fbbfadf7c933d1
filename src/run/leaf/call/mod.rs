//! How a call runs.
//!
//! In: a routine, tile coordinates, tiles, and the body to run, with or without what a library knows. Out: the tile of the
//! result, each element with the bits that the sequential order gives where loops run, and what was done.
//!
//! Calls come in few *kinds*. What a call needs beside its tiles (boxes, body, where accesses lie) follows from its
//! coordinates. It is the same but for a shift at all coordinates of a region, which is a set of linear forms, each
//! within a span (`region`). It is prepared for the first call of a region (`prepare`). Every other call finds it by a
//! few comparisons, and runs as if it were the first, on its own tiles. At most 64 kinds are kept of a leaf (`kept`); a
//! call of another kind is prepared by itself. If a call is nothing but products, as most are, it is also kept where
//! the matrices lie (`pieces`).
//!
//! **When loops run after all.** What is read and does not lie like a matrix is copied, such as one layer of several.
//! The loops of the nest run if the result does not lie like one, if lines overlap, if boxes that must agree do not, if
//! the library gives up (a pivot that is not positive), or if not all is finite. So an indefinite factor has the NaNs
//! of the equations. What the library gave up is counted (`handed_back`), and `exec` says so. Arithmetic is counted as
//! the loops do it, whichever does it.
//!
//! A result that a library writes whole begins with nothing: neither zeros are put into it nor read from it (`blank`).

mod area;

pub use area::{Area, copy_meeting};

mod window;

pub use window::{Assembly, Elements};

mod region;

mod kept;

pub use kept::Kept;

mod checked;

mod prepare;

pub use prepare::{Calls, Prepared};

mod run;

pub use run::Run;

mod lanes;

mod chain;

mod sequence;

mod place;

mod product;

pub use product::Remaining;

mod pieces;

mod task;
