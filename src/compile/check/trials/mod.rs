//! Rules and monoids on trial: what is tried, made smaller where it fails, and said of it.
//!
//! In: rules, [`Settings`]. Out: a [`RuleReport`] or [`MonoidReport`] each, with the kernels in which a rule fires.

mod trial;

mod shrink;

mod report;

pub use report::{ConditionReport, Counterexample, RuleReport};

mod run;

pub use run::{Settings, check_rule, check_rules};

mod monoids;

pub use monoids::{MonoidLaw, check_monoid, check_monoids};

mod monoid_report;

pub use monoid_report::MonoidReport;

mod kernels;

pub use kernels::{KERNELS, by_rule, find_kernels};

mod scalars;

pub use scalars::scalar_sides;
