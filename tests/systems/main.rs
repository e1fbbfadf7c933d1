//! Programs of designs of several spaces, simulated and held against the equations.

#[path = "../hand_built/mod.rs"]
mod hand_built;

#[path = "../kernel_texts/mod.rs"]
mod kernel_texts;

#[allow(dead_code)]
#[path = "../smt/agreement.rs"]
mod agreement;

mod common;

mod buses;

mod cells;

mod obligations;

mod links;

mod locals;

mod computed_buses;

mod memories;

mod rooms;

mod two_sided;

mod no_deadlock;

mod factorisations;

mod feeders;

mod folds;

mod grids;

mod solves;

mod orders;

mod rounds;

mod trees;

mod twins;
