//! The text form of programs: what is printed reads back, and what is wrong is refused with its line; and the points of their grids.

mod grid;

mod links;

mod random;

mod random_leaf;

mod refusals_of_tiles;

mod refusals;

mod round_trip;

mod stores;
