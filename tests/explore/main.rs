//! `systole explore` as a user meets it: sweeps, plots, the journal, and the figures of a paper.

mod common;

mod figures;

mod refusals;

mod resume;

mod sweeps;
