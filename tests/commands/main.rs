//! The command line as a user meets it: every command as a process, with its exit code and its two streams.

#[path = "../expected/mod.rs"]
mod expected;

mod assumed_sizes;

mod book;

mod border;

mod cells;

mod dataflows;

mod deadlocks;

mod definitions;

mod designs;

mod emit;

mod empties;
mod fifos;

mod first_minutes;

mod files;

mod energy;

mod features;

mod fit;

mod forms;

mod json;

mod inputs;

mod kernel_rows;

mod kernels;

mod language_server;

mod latency;

mod layers;

mod messages;

mod limits;

mod next;

mod orders;

mod machine_files;

mod masks;

mod machines;

mod machine_times;

mod polybench;

mod prove;

mod reach;

mod refusal_kinds;

mod refusals;

mod rooms;

mod rules;

mod rules_check;

mod run;

mod scalesim;

mod schedules;

mod search;

mod signs;

mod sim;

mod slanted;

mod slow_memory;

#[cfg(not(feature = "vendored"))]
mod solver;

mod start;

mod stop;

mod strides;

mod strips;

mod textbook;

mod tiles;

mod traces;

mod ways_of_results;

#[path = "../share/mod.rs"]
mod share;
