//! Runs of hand-written programs: exact cycles, counts and values.

#[path = "../expected/mod.rs"]
mod expected;

mod common;

mod counters;

mod deadlock;

mod deadlocks;

mod engines;

mod feeders;

mod fit;

mod lateness;

mod npy;

mod observe;

mod trace_events;

mod trace_values;

mod trace_window;

mod traced;

mod trouble;

mod weight_stationary;

mod times;

mod loads;

mod step_times;

mod work_list;

mod work_wire;

mod tile_boxes;

mod tiled;
