//! The contract between the compiler and what runs programs: the per-PE program with its text, its validator and its compilation to
//! flat code, and the form of what must hold of it.
//!
//! Nothing here knows how programs come about.
#![warn(missing_docs)]

pub mod obligation;

pub mod array;
