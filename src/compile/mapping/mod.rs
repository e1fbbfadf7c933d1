//! Space-time maps: where and when each point of a space runs.
//!
//! In: a space and bounds. Out: candidate [`SpaceTimeMap`]s, complete within the bounds. A map with a lowered form is a
//! [`MappedSpace`]. No solver and no cost here. Paper: Cyclotron sections 6 and 7; Barnett and Lengauer's `place` and `step`.

mod map;

pub use map::{MappedSpace, SpaceTimeMap};

pub mod candidates;

pub mod clock;

pub mod ends;

mod flow;

pub use flow::{Flow, FlowRole, depth_of, is_in_time, spacing, spacing_among, sums_in_rounds};

mod loads;

mod route;

pub use route::words_meet;

mod room;

pub use room::{Rooms, show_words};

mod system;

pub use system::{Design, SpaceDesign, restrict};

mod crowds;

mod takers;

pub use takers::{TakerSets, heads};

mod tree;

pub use tree::{first_astray, heads_of, tree_sets};

mod feeder;

pub use feeder::Feeder;

mod fold;

pub use fold::{Axis, Fold, FoldedMove};

mod fixed;

pub use fixed::{Fixed, constant_on};

mod driver;

pub use driver::{Listeners, Undriven};

mod handoff;

pub use handoff::{Carrier, Field, Giver, Handoff};

mod hand_over;

mod rounds;

pub use rounds::{Calendar, Overlap, Rounds};

mod skew;

mod joint;

pub use joint::{Way, check_ways, ways_of};

mod synthesis;

pub use synthesis::{Dependence, Row, Unknowns, holds};
