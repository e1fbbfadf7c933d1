//! Conditions on steps, and folds, against brute force.

#[path = "../hand_built/mod.rs"]
mod hand_built;

mod folds;

mod synthesis;
