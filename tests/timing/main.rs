//! What the generator states, judged without a solver.

#[path = "../hand_built/mod.rs"]
mod hand_built;

mod brute_verdicts;

mod meaning;

mod no_deadlock;

mod reasons;

mod refusals;

mod stated;

mod waits;
