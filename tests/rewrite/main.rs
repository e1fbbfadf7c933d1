//! The rewrite stage: saturation, choices, rules, explanations.

#[allow(dead_code)]
#[path = "../hand_built/forms.rs"]
mod forms;

#[path = "../kernel_texts/mod.rs"]
mod kernel_texts;

mod kernels;

mod interpreter;

mod check;

mod check_meaning;

mod check_monoids;

mod planted;

mod check_frames;

mod check_infinities;

mod check_planted;

mod check_masks;

mod check_recursion;

mod choices;

mod rules;

mod reader;

mod soundness;

mod explain;

mod chain_checks;

mod show;

mod system_kernels;

mod system_meaning;

mod systems;

mod system_show;

mod recurrences;

mod system_explain;

mod handoff_rules;
