//! The strategy for kernels of one space: every map within the bounds is looked at, exactly, if the budget has room for all of
//! them; else the plainest are (`maps`), and what is left out is counted.
//!
//! In: a [`Task`]. Out: a [`Survey`](super::Survey). For a fixed map a design's cost is a sum, or a maximum, of one vector for
//! each operand and one for the reduction, so combining the operands' fronts one after the other is exact; brute force over
//! every pair is its twin in the tests. Every design found is confirmed by [`verify`](fn@verify), which shares no code with
//! the search's costs.
//!
//! A place alone decides PEs, hops and reach (`place_table`), a step only what is in time and how deep channels are.
//! Reflections of the space are pruned if all choices are closed under them (`symmetry`); for `x[i + k]` they are not,
//! and nothing is pruned.

mod boundary;

mod maps;

mod offers;

mod paces;

mod priced;

mod timeliness;

mod place_table;

mod symmetry;

mod task;

mod search;

mod points;

mod verify;

pub use points::Points;
pub use search::search;
pub use task::Task;
pub use verify::{Checker, verify};
pub(in crate::extract) use verify::{most_within, route};
