//! Programs run for real: the bits of the simulator and of the equations, whoever runs which PE.

mod programs;

mod kernels;

mod deadlocks;

mod capacities;

mod faults;

mod buses;

mod owners;

mod shares;

mod wait_graph;

mod no_deadlock;

mod homes;

mod distributed;

mod command;

mod assumed;

mod memory;

mod parts;

mod traces;

mod tune;

mod calibrations;

mod cluster_command;

mod tiled;

mod tiles;

mod attention;

mod singles;

mod native;

#[path = "../specials/mod.rs"]
mod special_numbers;

mod specials;

mod predictions;

mod returns;

mod schedule;

mod prediction_times;

#[cfg(feature = "mpi")]
mod mpirun;

#[cfg(feature = "mpi")]
mod ranks;

#[cfg(feature = "mpi")]
mod ranks_stop;

#[cfg(feature = "mpi")]
mod tiled_ranks;

#[cfg(feature = "mpi")]
mod polybench;

#[cfg(feature = "mpi")]
mod ranks_memory;

#[cfg(feature = "mpi")]
mod ranks_faults;

#[cfg(feature = "mpi")]
mod ranks_traces;

#[cfg(feature = "mpi")]
mod ranks_calibration;

#[cfg(feature = "mpi")]
mod ranks_words;

#[cfg(feature = "mpi")]
mod ranks_broadcasts;

#[path = "../share/mod.rs"]
mod share;
