//! Rules put to the test before they are trusted.
//!
//! In: a [`Rule`](crate::rewrite::Rule), a number of cases and a seed. Out: a [`RuleReport`]: how many random instances of the left side were
//! tried and found equal to the right one at every point of small spaces or frames, or the smallest instance found on which they
//! differ. Likewise of a declared monoid a [`MonoidReport`]. Invariant: the meaning of terms (`meaning`, `evaluation`) shares nothing with the rules, the analysis, and the registry;
//! the same seed gives the same report. An absence of counterexamples is no proof.
//!
//! **Instances.** Two small spaces (`spaces`), or for laws of algebra a small frame, whose ranges may depend on each
//! other and be empty (`frames`, `ranges`); for each variable what its sort allows (`sorts`, `maker`, `terms`).
//! Conditions are asked of a real e-graph, egg applies the rule, and both sides are evaluated at every point (`trial`).
//! A reduction is a collection of terms until a scalar function uses it, so `exact` laws are held to the bit in
//! whatever order they reduce. What is undefined stays undefined. What fails is made smaller (`shrink`) and refused at
//! its line. The trials of a rule follow from the seed and its name. Declared monoids are tried on states that random
//! tuples are reduced to (`monoids`). Rules of scalar functions that are linear piece by piece are proved for all reals
//! by Z3 (`smt::law`).

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
