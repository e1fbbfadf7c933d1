//! What every other package builds on, and what knows nothing of kernels: places in a source and messages about them, files that are
//! there whole or not at all, work that is cancelled, integer algebra, scalar functions, networks of PEs and machine files.
#![warn(missing_docs)]

pub mod span;

pub mod refusal;

pub mod diagnostic;

pub mod whole;

pub mod cancel;

pub mod integer;

pub mod scalar;

pub mod cell;

pub mod network;

pub mod machine;
