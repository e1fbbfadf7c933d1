//! The algebra stage: forms of kernels by laws, what they cost, that they are equal.

mod common;

mod derivations;

mod firing;

mod laws;

mod least;

mod whole;
