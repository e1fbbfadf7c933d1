//! Exact mathematics against independent oracles.

mod forms;

mod generators;

mod sets;
