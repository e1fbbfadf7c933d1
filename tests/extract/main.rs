//! The search against published tables and against brute force.

mod spaces;

mod systems;

mod tables;

mod twin;
