//! Conditions on steps against brute force.

#[path = "../hand_built/mod.rs"]
mod hand_built;

mod synthesis;
