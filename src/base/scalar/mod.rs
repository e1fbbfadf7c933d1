//! Numbers and the functions of them that kernels, rules and programs name.
//!
//! In: a word, numbers. Out: what IEEE 754 gives, the same wherever it is computed.

mod function;

pub use function::Function;

mod real;

pub use real::{Precision, Real};
