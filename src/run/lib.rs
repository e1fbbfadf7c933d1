//! What runs programs: leaves over tiles, the cycle-accurate simulator, threads and MPI ranks.
//!
//! Nothing here knows the compiler.
#![warn(missing_docs)]

pub mod leaf;

pub mod shared;

pub mod sim;

pub mod exec;
