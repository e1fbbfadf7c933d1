//! Rules put to the test before they are trusted.
//!
//! In: a [`Rule`](super::Rule), a number of cases and a seed. Out: a [`RuleReport`]: how many random instances of the left side were
//! tried and found equal to the right one at every point of small spaces or frames, or the smallest instance found on which they
//! differ. Likewise of a declared monoid a [`MonoidReport`]. Invariant: the meaning of terms (`meaning`, `evaluation`) shares nothing with the rules, the analysis, and the registry;
//! the same seed gives the same report. An absence of counterexamples is no proof.

mod semantics;

pub use semantics::values;

mod instances;

pub use instances::{CONDITIONS, Home, SIGNATURES, Signature, Sort};

mod trials;

pub use trials::{
    ConditionReport, Counterexample, KERNELS, MonoidLaw, MonoidReport, RuleReport, Settings, by_rule, check_monoid,
    check_monoids, check_rule, check_rules, find_kernels, scalar_sides,
};

mod proofs;

pub use proofs::ChainReport;
