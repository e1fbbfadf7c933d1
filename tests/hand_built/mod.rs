//! Spaces and designs written by hand, so that these stages are tested without a parser or a search.
#![allow(dead_code)]

pub mod brute_force;

pub mod designs;

pub mod events;

pub mod forms;

pub mod several_spaces;

pub mod spaces;
