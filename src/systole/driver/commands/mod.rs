//! One file for each command: what it does with the stages, and what it says.
//!
//! In: the flags of a command. Out: its verdict. Commands that start from a kernel are called by `pipeline` once its stages are done;
//! the others call the stages they need themselves.

pub mod new;

pub mod examples;

pub mod check;

pub mod watch;

pub mod search;

pub mod prove;

pub mod derive;

pub mod equal;

pub mod explain;

pub mod emit_native;

pub mod emit;

pub mod run;

pub mod sim;

pub mod exec;

#[cfg(feature = "mpi")]
pub mod exec_on_ranks;

pub mod predict;

pub mod tune;

pub mod explore;

pub mod layers;

pub mod calibrate;

pub mod rules;

pub mod rules_table;

pub mod doctor;

pub mod language_server;

pub mod completions;

pub mod manual;
