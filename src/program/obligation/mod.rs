//! What must hold, as formulas that a solver or brute force can decide.
//!
//! An [`Obligation`] is the formula of a *violation*: the claim is true when the violation has no integer solution, for any sizes. The
//! stages that state obligations, of designs and of programs, share this form with the one that decides them.

mod formula;

pub use formula::Formula;

mod claim;

pub use claim::{Kind, Moment, Obligation, Reason};
