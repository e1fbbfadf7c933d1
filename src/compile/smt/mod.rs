//! Discharges obligations with Z3, the only module that names it, and solves linear problems over the integers.
//!
//! In: [`Obligation`](systole_program::obligation::Obligation)s. Out: a [`Verdict`] for each: proved for all sizes, refuted with the
//! smallest counterexample, or unknown with the reason. Unknown is an answer: a solver that runs out of time neither
//! stops the program nor counts as a refutation. A model is evaluated against the formula it is said to satisfy before
//! it is shown. Queries are quantifier-free linear integer arithmetic; [`dump`] writes them for any other solver.

mod verdict;

mod encode;

mod limit;

mod solver;

mod smallest;

mod discharge;

mod text;

mod message;

mod linear;

mod sparse;

mod lattice;

mod number;

mod dictionary;

mod branch;

mod optimum;

mod settle;

mod law;

pub use discharge::{discharge, discharge_all, discharge_until};
pub use law::holds_for_all_reals;
pub use linear::{Goal, LinearProblem, Unequal};
pub use message::{refutation_message, unproved_message};
pub use optimum::{Optimum, Series, attempt, attempt_alone, attempt_counted, minimise, soon};
pub use settle::settle;
pub use solver::{find_solver, version};
pub use text::{dump, dump_smt};
pub use verdict::{Counterexample, Discharged, Verdict};
