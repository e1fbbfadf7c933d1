//! What the simulator and the back ends without clocks share: the memory behind the ports, arrays on disk, faults, deadlocks, files of
//! trace events.
//!
//! In: the code of a program, and where each PE stands. Out: arrays; a fault or a deadlock in the same words on every back end.

mod memory;

mod output;

pub(crate) use memory::Memory;
pub use memory::MemoryTraffic;
#[cfg(feature = "mpi")]
pub(crate) use memory::{check_box, check_inputs, missing_word, show_element};

pub mod npy;

mod fault;

pub(crate) use fault::{Fault, explain_fault};

mod ahead;

mod waits;

pub(crate) use waits::Standing;

mod deadlock;

mod diagnosis;

pub use deadlock::{Blocked, Cause, Deadlock, Peer, PeerState};

pub(crate) mod event;
