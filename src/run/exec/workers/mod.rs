//! A worker: some PEs as coroutines, and the packets between it and the others.
//!
//! In: a plan, arrays, packets as they come. Out: packets for the others, results. A worker knows nothing of threads, ranks or clocks; who
//! runs it carries the packets.

pub mod worker;

pub mod agenda;

pub mod surroundings;

pub mod word;

pub mod wires;

pub mod lines;

pub mod supplies;

pub mod packet;

pub mod returns;

pub mod outbox;

pub mod ahead;
