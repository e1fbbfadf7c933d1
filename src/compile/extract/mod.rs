//! The search: the best designs within the bounds, exactly.
//!
//! In: what the e-graph offers, bounds, a machine, sizes. Out: the Pareto front over (map, lowered form) with all ties, and
//! the counts of what was looked at. For a fixed map a design's cost is a sum, or a maximum, of one vector for each
//! operand and one for the reduction, so combining the operands' fronts one after the other is exact; brute force over
//! every pair is its twin in the tests. Every design found is confirmed by [`verify`](fn@verify), which shares no
//! code with the search's costs.

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
