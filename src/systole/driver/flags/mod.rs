//! The flags, and what they say about a search.
//!
//! In: the command line. Out: arguments as clap reads them, and the settings of searches and of runs, in which names are resolved and
//! numbers are checked.

pub mod arguments;

pub mod program_arguments;

pub mod cluster_arguments;

pub mod law_arguments;

pub mod limit_arguments;

pub mod time_arguments;

pub mod way;

pub mod setting;

pub mod typed;

pub mod coordinates;

pub mod forbidden;
