//! The language of kernels and schedules: text to syntax tree and back.
//!
//! In: the text of a `.rec` file. Out: an [`ast::File`] with a span on every node, or every syntax error at once. The
//! invariant: `parse(print(tree))` is `tree`. Nothing here knows what a name means. Paper: Cyclotron Figure 3.

pub mod ast;

mod layout;

mod tokens;

mod expressions;

mod schedules;

mod items;

pub(crate) mod habits;

mod messages;

mod parser;

mod printer;

mod einsum;

pub use einsum::einsum;
pub use parser::parse;
pub(crate) use printer::print_expression;
pub use printer::{number_text, print};
