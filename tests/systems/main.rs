//! Programs of designs of several spaces, simulated and held against the equations.

mod common;

mod buses;

mod factorisations;

mod grids;

mod solves;

mod orders;

mod twins;
