//! Pages of runs, of refuted schedules and of deadlocks: their data, their text, and what a browser makes of them.

mod browser;

mod clashes;

mod devtools;

mod films;

mod made;

mod pages;
