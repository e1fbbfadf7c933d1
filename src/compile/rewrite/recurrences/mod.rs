//! Dataflow recurrences: what stage `spaces` prints, as data, as text, and read again.
//!
//! In: spaces and a [`Dataflow`](super::Dataflow) for each, or a text. Out: [`Statement`]s, the same whichever they come from; and where those of a
//! text are other ones than those of the dataflows. Law: lines that are printed and read are the same lines. Paper: Cyclotron section 4.

mod statement;

pub use statement::{Carrier, Condition, Defined, Element, Expression, Instance, Recurrence, Statement, Value};

mod print;

mod of_space;

pub use of_space::recurrences_of_space;

mod of_system;

pub use of_system::recurrences;

mod cursor;

mod subscripts;

mod expressions;

mod reader;

pub use reader::{LocatedStatement, RECURRENCES, read_recurrences, split_recurrences};

mod compare;

pub use compare::{Difference, compare_recurrences};
