//! Exact mathematics against independent oracles.

mod generators;
