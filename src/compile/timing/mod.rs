//! What must hold for a design to be right, as formulas that a solver or brute force can decide.
//!
//! In: a [`MappedSpace`](crate::mapping::MappedSpace) and link latencies. Out: obligations
//! ([`Obligation`](systole_program::obligation::Obligation)), each with the formula of its *violation*: the design is right when no violation has an integer solution, for any sizes. No solver here.
//! Paper: Cyclotron section 7; the numbering of the kinds is ours.
//!
//! One file states each kind. Places, steps and latencies are constants, so everything is quantifier-free linear
//! integer arithmetic. The same formulas are played by brute force in the tests. `no-deadlock` is stated with `prove
//! --distribution` only. It is about runs without clocks and asks less than `causality` and `fifo-depth` do: no latency and no
//! response, so it holds with fewer slots as well. What the owners of PEs owe is stated by the crate that runs programs
//! (`exec::sharing::shares`), what a program's stores owe by `array::stores`.
//!
//! A tree is one flow a level and face (`tree`), each with its own obligations over its face. Each flow and each
//! handoff has channels of its own, and so links of its own: `link-conflict` is about the words of one. A handoff owes
//! it if it moves several hops along an axis. What all of them share is the network: a hexagonal array has one diagonal
//! for all spaces (`mapping::joint`). With `io boundary` a design that the systolizing scheme covers loads and recovers
//! through the array, which needs no proof.

mod fold;

mod cell;

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

mod loads;

mod generate;

mod handoff;

mod elements;

mod room;

mod system;

mod no_deadlock;

mod handed_waits;

pub use elements::element_obligations;
pub use fifo::{DEEPEST, fifo_depth_obligation};
pub use generate::{space_obligations, space_obligations_within};
pub use handed_waits::no_deadlock_obligations;
pub use handoff::handoff_obligations;
pub use loads::{load_depth_obligation, load_depth_obligations};
pub use no_deadlock::{PeOrder, space_no_deadlock_obligations};
pub use room::room_obligations;
pub use system::{handed_words_apart, obligations, obligations_within, points_apart};
