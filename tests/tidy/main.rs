//! Manners of the repository, as tests: what a reader may rely on without looking.

mod commands;

mod data;

mod imports;

mod packages;

mod pages;

mod prose;

mod shape;

mod tree;

mod words;
