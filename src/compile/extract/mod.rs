//! The search: the best designs within the bounds.
//!
//! In: a [`Problem`]: the spaces of a kernel, what the e-graph offers for each, bounds, a machine, sizes, a schedule's
//! [`Constraint`]. Out: a [`Survey`]: the Pareto front over (map, lowered form) with all ties, and the counts of what was
//! looked at. Two strategies stand behind one [`search`]: `enumerate` looks at every map of one space, `solve` enumerates
//! places and solves for the steps of all spaces together. Every design found is confirmed by [`verify`](fn@verify), which
//! shares no code with the search's costs.
//!
//! The default objective is `systolic`: the shortest wires, then the least product of cycles and the square of the
//! words from memory, then cycles, then PEs. The default ranks of an array are 0 to 2, at most one less than the
//! dimension of the space, since that is what can be laid out flat; where the largest of several spaces has
//! four indices, 3 as well: a batch has a flat array for each of its members.

mod at_once;

mod wanted;

mod limits;

mod front;

mod constraint;

mod given;

mod survey;

pub mod enumerate;

pub mod solve;

mod partition;

mod both_ways;

mod problem;

mod refusal;

mod rooms;

pub use both_ways::{SHARES_BOTH_WAYS, both_ways, is_better_both_ways};
pub use constraint::{Constraint, place_of};
pub use front::{Found, Front};
pub use given::{Given, design_text};
pub use limits::{LeftOut, Limits, MOST_FREE};
pub use partition::{Partition, TriedPartition, best_division, is_better_divided, undivided};
pub use problem::{Problem, Question, Strategy, search, search_every_way, verify};
pub use refusal::{Inquiry, Order, affine_order};
pub use rooms::least_rooms;
pub use solve::{Law, Stuck, nearest, why_stuck};
pub use survey::{Rejections, Survey};
