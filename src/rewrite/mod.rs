//! The e-graph of every lowered form of a space.
//!
//! In: a [`Space`](crate::recurrence::Space) and rules read from `rules/`. Out: a saturated e-graph whose root class
//! holds all ways to move the operands and to order the reduction; a [`Dataflow`] is one of them.
//! Paper: Cyclotron sections 4 and 8.

mod dataflow;

pub use dataflow::{Dataflow, Transport};

mod language;

pub use language::{AccessText, DirectionText, Literal, OPERATORS, Term, arity};

mod context;

pub use context::{MAX_COMBINED, null_directions};

mod analysis;

pub use analysis::FOLD_DIRECTIONS;

mod predicates;

pub use predicates::{PREDICATES, Predicate};

mod rule_text;

mod reader;

pub use reader::{Rule, read_rules};

mod rules;

pub use rules::{RuleSet, embedded_sources, load_rules, read_directory};

mod input;

pub use input::{MAX_COEFFICIENTS, input_term, lowered_term};

mod step;

pub use step::Step;

mod saturate;

pub use saturate::{Limits, Lowered, Report, saturate, saturate_term};

mod read_off;

pub use read_off::Choices;

mod explain;

mod dump;

mod show;

pub use show::show_dataflow;
