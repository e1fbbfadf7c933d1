//! The stage `recurrence`: the sequential meaning, the one-space form, reductions in a given order, and sizes.

mod assumptions;

mod cases;

mod equalities;

mod evaluation;

mod factors;

mod halves;

mod joint;

#[path = "../kernel_texts/mod.rs"]
mod kernel_texts;

mod orders;

mod padding;

mod ranges;

mod reductions;

mod replaced;

mod solvers;

mod spaces;

mod splits;

mod strides;

mod strips;

mod support;

mod system_orders;

mod systems;

mod tables;

mod upper_bounds;
