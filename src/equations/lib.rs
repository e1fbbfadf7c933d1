//! What a kernel means: its text, its equations, the sequential reference [`recurrence::evaluate`], and the same over tiles.
//!
//! Nothing here knows of maps, machines or programs.
#![warn(missing_docs)]

pub mod syntax;

pub mod recurrence;

pub mod tiles;
