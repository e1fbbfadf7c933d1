//! The stage `recurrence`: lowering, validation, the sequential meaning and the one-space form.

mod evaluation;

mod support;
