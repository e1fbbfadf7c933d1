//! The language of terms, and how people write it.
//!
//! In: nodes over spaces or a frame. Out: [`Term`], which egg keeps and rules are written in, and a [`Notation`] for what is shown. A
//! term says nothing of itself: what its names stand for is the matter of `registry`.

mod language;

pub use language::{AccessText, DirectionText, Literal, OPERATORS, Term, arity};

pub(crate) use language::operator_words;

mod operands;

pub use operands::Operands;

mod notation;

pub use notation::{Notation, TermNames};

mod notation_of_moves;
