//! Numbers and the functions of them that kernels, rules and programs name.
//!
//! In: a word, numbers. Out: what IEEE 754 gives, the same wherever it is computed.
//!
//! There is one rule for NaN, infinities and zeros, and one place for it. `Function::apply` says what each scalar
//! function gives, and `real` what `max` and `min` do. The reference, the simulator's lanes, the loops of leaves,
//! tiles, threads, ranks and the checker of rules all call these. They are selections alone, so loops over them become
//! vector instructions. NaN is in the same places on every path, with any sign and payload. All else has the same bits,
//! in the order in which a design reduces.
//!
//! A reduction starts from its first term everywhere, since a sum that starts from 0 makes 0 of -0. The first point of
//! a line sets the running value, and what programs of `io boundary` start as neutral is what no point adds to. The
//! running values of a tile start as what changes no bit: -0, 1, and the infinities, which `maximum` and `minimum`
//! leave a NaN beside. A reduction right inside another by the same operator is one with it, in the reference too: a
//! level without terms adds no 0.

mod function;

pub use function::Function;

mod real;

pub use real::{Precision, Real};
