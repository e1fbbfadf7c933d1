//! What terms mean: their values at the points of small spaces and frames.
//!
//! In: a term, a [`World`], numbers for its elements. Out: its value at a point, decided by nothing that rules are applied by.

mod numbers;

pub(super) use numbers::{Arithmetic, Elements, Palette, Seen, Tensors};

mod texts;

mod ranges;

pub(super) use ranges::Ranges;

mod world;

pub(super) use world::{Heads, World};

mod meaning;

pub(super) use meaning::{Around, Meaning, meaning, meanings};

mod meaning_of_moves;

mod places;

pub(super) use places::places;

mod elements;

mod evaluation;

pub use evaluation::values;

pub(super) use evaluation::Evaluation;

mod tuple_reductions;

pub(super) use tuple_reductions::{State, neutral};
