//! The search against published tables and against brute force.

#[allow(dead_code)]
#[path = "../systems/common.rs"]
mod by_hand;

mod asked;

mod beam;

mod budget;

mod designs;

mod every_system;

#[path = "../hand_built/mod.rs"]
mod hand_built;

#[path = "../kernel_texts/mod.rs"]
mod kernel_texts;

mod limits;

mod literature;

mod meshes;

mod offered;

mod refusals;

mod spaces;

mod strategies;

mod sums_in_rounds;

mod systems;

mod tables;

mod tiles;

mod twin;

mod verified;
