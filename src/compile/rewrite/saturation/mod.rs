//! Saturation: rules run on terms until nothing new is learnt, or a limit strikes.
//!
//! In: terms, a [`RuleSet`](super::RuleSet), [`Limits`]. Out: an e-graph with a [`Report`] that says why it stopped, as [`Lowered`] for a
//! space and [`Forms`] for whole equations, and the [`Step`]s by which two of its terms are equal.

mod analysis;

pub use analysis::{Facts, Graph};

pub(crate) use analysis::{FieldAnalysis, access_of, all_bound, bound_indices, face_of, name_of};

mod computed_nodes;

pub use computed_nodes::{FOLD_COUNT, FOLD_DEFINITION, FOLD_DIRECTIONS, FOLD_PICK, FOLD_WHERE, components, part_of};

pub(crate) use computed_nodes::folded_element;

mod matching;

pub(crate) use matching::Matcher;

mod fresh;

mod saturate;

pub use saturate::{DEFINE_RESULT, Limits, Report};

mod step;

pub use step::Step;

pub(crate) use step::explain_equality;

mod lowered;

pub use lowered::{Lowered, saturate, saturate_term};

mod forms;

pub use forms::{Forms, saturate_forms};
