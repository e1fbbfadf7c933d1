//! The stage `recurrence`: the sequential meaning, the one-space form, reductions in a given order, and sizes.

mod evaluation;

mod orders;

mod spaces;

mod support;

mod system_orders;

mod systems;
