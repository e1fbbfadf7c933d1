//! The stage `syntax`: round trips, einsum strings, and every refusal of a kernel with its message.

#[path = "../expected/mod.rs"]
mod expected;

mod einsum;

mod habits;

mod limits;

mod refusals;

mod round_trip;
