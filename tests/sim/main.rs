//! Runs of hand-written programs: exact cycles, counts and values.

mod common;

mod counters;

mod deadlock;

mod feeders;

mod npy;

mod observe;

mod trouble;

mod weight_stationary;
