//! The rewrite stage: saturation, choices, rules, explanations.

mod kernels;

mod interpreter;

mod choices;

mod rules;

mod reader;

mod soundness;

mod explain;

mod show;

mod system_kernels;

mod system_meaning;

mod systems;

mod system_show;

mod system_explain;

mod handoff_rules;
