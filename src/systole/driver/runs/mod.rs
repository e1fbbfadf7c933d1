//! Runs of programs: what they are given, what is done with what they give, what they are held against.
//!
//! In: flags that name sizes, arrays and references. Out: sources, sinks, and verdicts, alike for all back ends.
//!
//! `run` compares the arrays bit for bit with `evaluate_in_order`, the meaning of the equations with the reduction in
//! the design's order; `sim --reference` compares with `evaluate`, the order as written. A form that laws have led to
//! is compared with the kernel as it is written too (`as_written`): rounding may differ, what is finite or infinite may
//! not, and elements of which the kernel has no number are named. The answer has three values (`agreement`): the same
//! bits, the same but for rounding, or different. Only the last is an error. `run` and `explore`, whose reference is in
//! the program's own order, ask for the bits. A program over tiles is also tried at small sizes before anybody gets it (`trial`).

pub mod job;

pub mod filled;

pub mod archive;

pub mod inputs;

pub mod outputs;

pub mod finite;

pub mod timed;

pub mod memory;

pub mod missed;

pub mod unpunctual;

pub mod tracing;

pub mod front_pages;

pub mod finished;

pub mod agreement;

pub mod as_written;

pub mod trial;

pub mod reference;
