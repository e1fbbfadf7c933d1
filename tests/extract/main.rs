//! The search against published tables and against brute force.

mod spaces;

mod tables;

mod twin;
