//! Exact integer mathematics: linear forms over named variables, integer matrices and their lattices, polyhedra.
//!
//! Nothing here knows of recurrences or arrays. Everything is exact over the integers; the projection of a polyhedron is
//! exact over the rationals and says so. Brute force is the oracle of every operation in the tests.

mod name;

mod affine;

mod matrix;

mod polyhedron;

mod parameters;

mod shadow;

mod generators;

pub use affine::{Affine, Bindings};
pub use generators::generators;
pub use matrix::{Matrix, Vector, dot, gcd, lcm, lexicographic_sign, primitive};
pub use name::{Name, name, unused};
pub use parameters::{Parameters, sides};
pub use polyhedron::{Bound, Polyhedron};
