//! Exact mathematics against independent oracles.

mod generators;

mod sets;
