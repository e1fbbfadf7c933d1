//! The e-graph of every lowered form of a space.
//!
//! In: a [`Space`](crate::recurrence::Space) and rules read from `rules/`. Out: a saturated e-graph whose root class
//! holds all ways to move the operands and to order the reduction; a [`Dataflow`] is one of them.
//! Paper: Cyclotron sections 4 and 8.

mod dataflow;

pub use dataflow::{Choices, Dataflow, Transport};
