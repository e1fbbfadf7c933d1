//! The search: the best designs within the bounds, exactly.
//!
//! In: what the e-graph offers, bounds, a machine, sizes. Out: the Pareto front over (map, lowered form) with all ties, and
//! the counts of what was looked at. For a fixed map a design's cost is a sum, or a maximum, of one vector for each
//! operand and one for the reduction, so combining the operands' fronts one after the other is exact; brute force over
//! every pair is its twin in the tests. Every design found is confirmed by [`verify`](fn@verify), which shares no
//! code with the search's costs.
//!
//! A place alone decides PEs, hops and reach (`place_table`), a step only what is in time and how deep channels are.
//! Reflections of the space are pruned if all choices are closed under them (`symmetry`); for `x[i + k]` they are not,
//! and nothing is pruned.
//!
//! The default objective is `systolic`: the shortest wires, then the least product of cycles and the square of the
//! words from memory, then cycles, then PEs. The default ranks of an array are 0 to 2, at most one less than the
//! dimension of the space, since that is what can be laid out flat.

mod at_once;

mod boundary;

mod constraint;

mod front;

mod offers;

mod wanted;

mod paces;

mod place_table;

mod search;

mod symmetry;

mod verify;

mod system;

pub use constraint::Constraint;
pub use front::{Found, Front};
pub use search::{Problem, Rejections, Survey, search};
pub use system::{
    Law, LeftOut, Stuck, SystemConstraint, SystemFound, SystemLimits, SystemProblem, SystemSurvey, nearest, place_of,
    search_system, search_system_wholly, verify_system, why_stuck,
};
pub use verify::{Checker, verify};
