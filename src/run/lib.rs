//! What runs programs: leaves over tiles, the cycle-accurate simulator, threads and MPI ranks; and what writes them as C.
//!
//! Nothing here knows the compiler.
#![warn(missing_docs)]

pub mod native;

pub mod leaf;

pub mod shared;

pub mod sim;

pub mod exec;
