//! The search against published tables and against brute force.

mod every_system;

mod literature;

mod spaces;

mod systems;

mod tables;

mod twin;
