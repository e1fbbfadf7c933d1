//! The solver's verdicts: known designs proved, faulty twins refuted at the smallest case, all against brute force.

#[path = "../hand_built/mod.rs"]
mod hand_built;

mod agreement;

mod depth;

mod elements;

mod laws;

mod limits;

mod matmul;

mod message;

mod no_deadlock;

mod optimum;

mod other_kernels;

mod random_designs;

mod replay;
