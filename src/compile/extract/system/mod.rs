//! The search over designs of several spaces.
//!
//! In: a [`SpaceSystem`](systole_equations::recurrence::spaces::SpaceSystem), what the e-graph offers for each of its spaces, bounds, a
//! machine, sizes. Out: the Pareto front over (places, dataflows, steps). Places are enumerated family by family: where a
//! family hands values to one that is placed already, only rows that keep the two a constant number of PEs apart are
//! left. Steps are enumerated for all spaces together, within the rows of the dependences' generators. [`verify_system`]
//! counts a design again, point by point, with no code of the search's.

mod constraint;

mod problem;

mod limits;

mod places;

mod forms;

mod steps;

mod tally;

mod sharing;

mod asked;

mod folds;

mod survey;

mod search;

mod beam;

mod verify;

pub use constraint::{SystemConstraint, place_of};
pub use limits::{LeftOut, SystemLimits};
pub use problem::SystemProblem;
pub use search::{nearest, search_system, search_system_wholly, why_stuck};
pub use steps::{Law, Stuck};
pub use survey::{SystemFound, SystemSurvey};
pub use verify::verify_system;
