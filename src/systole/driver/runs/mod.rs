//! Runs of programs: what they are given, what is done with what they give, what they are held against.
//!
//! In: flags that name sizes, arrays and references. Out: sources, sinks, and verdicts, alike for all back ends.

pub mod job;

pub mod filled;

pub mod inputs;

pub mod outputs;

pub mod finite;

pub mod timed;

pub mod memory;

pub mod missed;

pub mod tracing;

pub mod finished;

pub mod agreement;

pub mod as_written;

pub mod reference;
