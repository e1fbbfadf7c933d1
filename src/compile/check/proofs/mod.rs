//! Chains of explanations put to the test on the very terms of a kernel.
//!
//! In: a chain of steps, the equations or the frame of its kernel. Out: a [`ChainReport`]: at how many points each step was evaluated.

mod small;

mod steps;

mod chains;

pub use chains::ChainReport;
