//! Dataflows: the forms in which a space can be computed by an array.
//!
//! In: a space; a saturated e-graph. Out: the terms that saturation starts with, and the [`Choices`] that are read off its end, each of
//! them [`Dataflow`]s.

mod dataflow;

pub use dataflow::{Dataflow, Transport};

mod levels;

pub use levels::MAX_COEFFICIENTS;

pub(crate) use levels::{check_space, is_constant};

mod builder;

mod input;

pub use input::{input_term, lowered_term};

pub(crate) use input::{equation_term, result_term, scheduled_term};

mod choices;

pub use choices::Choices;

mod read_off;
