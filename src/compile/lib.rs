//! The compiler: equations and rules in, proved designs and the programs of them out.
//!
//! The modules stand in the order of the pipeline. Nothing here runs a program.
#![warn(missing_docs)]

mod memo;

pub mod rewrite;

pub mod check;

pub mod algebra;

pub mod mapping;

pub mod timing;

pub mod smt;

pub mod cost;

pub mod extract;

pub mod systolize;

pub mod emit;

pub mod compile;

pub use compile::{Compiled, Options, compile};
