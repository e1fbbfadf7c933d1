//! The stage `syntax`: round trips, einsum strings, and every refusal of a kernel with its message.

mod einsum;

mod limits;

mod refusals;

mod round_trip;
