//! Pages of runs, of refuted schedules and of deadlocks: their data, their text, and what a browser makes of them;
//! and traces in Perfetto's own page.

mod browser;

mod clashes;

mod devtools;

mod films;

mod made;

mod pages;

mod perfetto;

mod served;

#[path = "../share/mod.rs"]
mod share;
