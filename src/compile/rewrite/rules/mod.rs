//! Rule files, from their text to rules that egg can run.
//!
//! In: `rules/` and a user's folder. Out: a [`RuleSet`]: [`Rule`]s with their laws and conditions, declared [`Monoid`]s. Invariant: what
//! is unknown, unbound or named twice is refused with file, line and column, before anything runs.

mod rule_cursor;

mod rule_text;

pub use rule_text::Tag;

mod monoid;

pub use monoid::{FOLD_PART, Monoid};

mod read_monoid;

mod operators;

mod frame_predicates;

mod predicates;

pub use predicates::{PREDICATES, Predicate, is_shifted};

mod reader;

pub use reader::{Rule, read_rules};

pub(crate) use reader::Condition;

mod rule_set;

pub use rule_set::{Phase, RuleSet, embedded_sources, load_phase, load_rules, read_directory};
