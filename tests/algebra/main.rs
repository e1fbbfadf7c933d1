//! The algebra stage: forms of kernels by laws, what they cost, that they are equal.

mod attention;

mod chains;

mod common;

mod derivations;

mod equal;

mod every_form;

mod every_map;

mod factors;

mod firing;

mod laws;

mod least;

mod long_chains;

mod masks;

mod orders;

mod programs;

mod recursion;

mod together;

mod triangles;

mod waits;

mod whole;
