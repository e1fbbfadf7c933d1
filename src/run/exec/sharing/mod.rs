//! Who runs which PE, and who holds which word.
//!
//! In: a grid of PEs, arrays, a number of workers, and how both are distributed. Out: the worker of each PE, proved to be one; the home of
//! each word; whom words on buses go on to; which part of a tile has to go; and what each worker loads and stores.

pub mod owners;

pub mod shares;

pub mod homes;

pub mod broadcast;

pub mod faces;

pub mod marks;

pub mod needs;
