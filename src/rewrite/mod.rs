//! The e-graph of every lowered form of a space, or of all spaces of a system.
//!
//! In: a [`Space`](crate::recurrence::Space) or a [`SpaceSystem`](crate::recurrence::spaces::SpaceSystem), and rules read
//! from `rules/`. Out: a saturated e-graph in which the class of each space holds all ways to move the operands and to
//! order the reduction; a [`Dataflow`] is one of them. Paper: Cyclotron sections 4 and 8.

// What a stage needs that goes through terms itself.
pub use egg::{Id, Language, RecExpr, Symbol};

mod dataflow;

pub use dataflow::{Dataflow, Transport};

mod operands;

pub use operands::Operands;

mod language;

pub use language::{AccessText, DirectionText, Literal, OPERATORS, Term, arity};

mod equations;

mod definitions;

mod picks;

mod frame;

pub use frame::{Frame, FrameIndex};

mod monoid;

pub use monoid::{FOLD_PART, Monoid};

mod context;

pub use context::{MAX_COMBINED, access_text, null_directions};

mod analysis;

pub use analysis::{Facts, Graph};

mod folding;

pub use folding::{FOLD_COUNT, FOLD_DEFINITION, FOLD_DIRECTIONS, FOLD_PICK, components, part_of};

mod frame_predicates;

mod predicates;

pub use predicates::{PREDICATES, Predicate, is_shifted};

mod rule_cursor;

mod rule_text;

pub use rule_text::Tag;

mod matching;

mod reader;

mod operators;

mod read_monoid;

pub use reader::{Rule, read_rules};

mod rules;

pub use rules::{Phase, RuleSet, embedded_sources, load_phase, load_rules, read_directory};

mod levels;

pub use levels::MAX_COEFFICIENTS;

mod builder;

mod input;

pub use input::{input_term, lowered_term};

mod step;

pub use step::Step;

mod notation;

mod notation_of_moves;

pub use notation::{Known, Notation};

mod fresh;

mod saturate;

pub use saturate::{DEFINE_RESULT, Limits, Report};

mod lowered;

mod forms;

pub use forms::{Forms, saturate_forms};

pub use lowered::{Lowered, LoweredSystem, saturate, saturate_system, saturate_system_term, saturate_term};

mod choices;

pub use choices::Choices;

mod read_off;

mod explain;

pub use explain::Scheduled;

mod dump;

mod show;

pub use show::show_dataflow;

mod show_system;

pub use show_system::show_system;

pub mod check;
