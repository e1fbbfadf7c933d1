//! What the generator states, judged without a solver.

#[path = "../hand_built/mod.rs"]
mod hand_built;
