//! The rewrite stage: saturation, choices, rules, explanations.

mod kernels;

mod choices;

mod show;

mod explain;
