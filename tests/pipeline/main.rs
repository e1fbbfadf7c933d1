//! From the text of a kernel to simulated values: what has to hold across all stages together.

mod common;

mod compiled;

mod engines;

#[path = "../specials/mod.rs"]
mod specials;

#[path = "../sim/step_times.rs"]
mod step_times;

#[path = "../sim/work_list.rs"]
mod work_list;

#[path = "../sim/work_wire.rs"]
mod work_wire;

#[path = "../sim/tile_boxes.rs"]
mod tile_boxes;

mod every_design;

mod grown;

mod grown_pairs;

mod grown_systems;

mod systems;

mod random_tiles;

mod trees;

mod random;

mod named;

mod fifo;

mod hops;

mod larger;

mod machines;

mod scalesim;

mod scalesim_folds;

mod analytic;

mod mangled;

#[path = "../share/mod.rs"]
mod share;
