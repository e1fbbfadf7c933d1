//! The text form of programs: what is printed reads back, and what is wrong is refused with its line.

mod random;

mod random_leaf;

mod refusals_of_tiles;

mod refusals;

mod round_trip;
