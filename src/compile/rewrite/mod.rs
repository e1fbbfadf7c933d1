//! The e-graph of every lowered form of a space, or of all spaces of a system.
//!
//! In: a [`Space`](systole_equations::recurrence::Space) or a [`SpaceSystem`](systole_equations::recurrence::spaces::SpaceSystem), and rules read
//! from `rules/`. Out: a saturated e-graph in which the class of each space holds all ways to move the operands and to
//! order the reduction; a [`Dataflow`] is one of them. Paper: Cyclotron sections 4 and 8.

// What a stage needs that goes through terms itself.
pub use egg::{Id, Language, RecExpr, Symbol};

pub(crate) mod terms;

pub use terms::{AccessText, DirectionText, Known, Literal, Notation, OPERATORS, Operands, Term, arity};

pub(crate) mod registry;

pub use registry::{Frame, FrameIndex, MAX_COMBINED, access_text, null_directions};

pub(crate) mod rules;

pub use rules::{
    FOLD_PART, Monoid, PREDICATES, Phase, Predicate, Rule, RuleSet, Tag, embedded_sources, is_shifted, load_phase,
    load_rules, read_directory, read_rules,
};

pub(crate) mod saturation;

pub use saturation::{
    DEFINE_RESULT, FOLD_COUNT, FOLD_DEFINITION, FOLD_DIRECTIONS, FOLD_PICK, Facts, Forms, Graph, Limits, Lowered,
    LoweredSystem, Report, Step, components, part_of, saturate, saturate_forms, saturate_system, saturate_system_term,
    saturate_term,
};

pub(crate) mod dataflows;

pub use dataflows::{Choices, Dataflow, MAX_COEFFICIENTS, Transport, input_term, lowered_term};

mod show;

pub use show::{Scheduled, show_dataflow, show_system};
