//! What must hold for a design to be right, as formulas that a solver or brute force can decide.
//!
//! In: a [`Design`](crate::mapping::Design) and link latencies. Out: [`Obligation`]s, each with the formula of its
//! *violation*: the design is right when no violation has an integer solution, for any sizes. No solver here.
//! Paper: Cyclotron section 7; the numbering of the kinds is ours.

mod fold;

mod frame;

mod system_frame;

mod wording;

mod check;

mod causality;

mod conflict;

mod alignment;

mod edge;

mod link;

mod fifo;

mod generate;

mod handoff;

mod elements;

mod system;

mod no_deadlock;

mod handed_waits;

pub use elements::element_obligations;
pub use fifo::fifo_depth_obligation;
pub use generate::{obligations, obligations_within};
pub use handed_waits::system_no_deadlock_obligations;
pub use handoff::handoff_obligations;
pub use no_deadlock::{Turns, no_deadlock_obligations};
pub use system::{handed_words_apart, points_apart, system_obligations, system_obligations_within};
