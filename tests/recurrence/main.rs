//! The stage `recurrence`: the sequential meaning, the one-space form, reductions in a given order, and sizes.

mod evaluation;

mod factors;

mod orders;

mod solvers;

mod spaces;

mod support;
mod systems;

mod tables;
