//! Recurrence equations in, a distributed program out that is proved right for every problem size.
//!
//! The modules stand in the order of the pipeline; imports point up this list only.
#![warn(missing_docs)]

pub mod span;

pub mod diagnostic;

pub mod integer;

pub mod syntax;

pub mod recurrence;

pub mod rewrite;

pub mod mapping;

pub mod timing;

pub mod smt;

pub mod cost;

pub mod extract;

pub mod array;

pub mod sim;

pub mod driver;
