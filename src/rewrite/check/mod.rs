//! Rules put to the test before they are trusted.
//!
//! In: a [`Rule`](super::Rule), a number of cases and a seed. Out: a [`RuleReport`]: how many random instances of the left side were
//! tried and found equal to the right one at every point of small spaces or frames, or the smallest instance found on which they
//! differ. Likewise of a declared monoid a [`MonoidReport`]. Invariant: the meaning of terms (`meaning`, `evaluation`) shares nothing with the rules, the analysis, and the registry;
//! the same seed gives the same report. An absence of counterexamples is no proof.

mod random;

mod sorts;

pub use sorts::{CONDITIONS, Home, SIGNATURES, Signature, Sort};

mod numbers;

mod texts;

mod ranges;

mod world;

mod meaning;

mod meaning_of_moves;

mod places;

mod elements;

mod evaluation;

pub use evaluation::values;

mod folds;

mod spaces;

mod recursions;

mod frames;

mod terms;

mod instance;

mod maker;

mod directions;

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

mod small;

mod steps;

mod chains;

pub use chains::ChainReport;

mod scalars;

pub use scalars::scalar_sides;

mod kernels;

pub use kernels::{KERNELS, by_rule, find_kernels};
