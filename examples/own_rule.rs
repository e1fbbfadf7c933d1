//! A rule of one's own: the logarithm of a sum of exponentials as a reduction by itself, and the form that it leads to.
//!
//! `cargo run --example own_rule`

use std::path::Path;
use systole::algebra::{Wanted, derive};
use systole::diagnostic::{Checked, render};
use systole::integer::{Bindings, name};
use systole::recurrence::load;
use systole::rewrite::{Limits, Phase, load_phase};
use systole::span::Source;

const KERNEL: &str = "
kernel soft_maximum(N, M)
in  X[N, M]
out Y[N]
Y[i] = log(sum(k) exp(X[i, k]))
";

/// Three entries: an operator, its monoid, and the law `log-of-sum` that leads to it.
const RULES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/rules/examples/logaddexp");

// An example is there to be seen.
#[allow(clippy::print_stdout)]
pub fn run() -> Checked<()> {
    let system = load(&Source::new("soft_maximum.rec", KERNEL))?;
    let sizes: Bindings = [(name("N"), 4), (name("M"), 6)].into_iter().collect();
    let wanted = Wanted { sizes: &sizes, limits: Limits::of(40, 50_000), all: None };
    let rules = load_phase(Phase::Algebra, Some(Path::new(RULES)))?;
    let found = derive(&system, &rules, &wanted)?;
    let form = found.forms.iter().find(|form| form.steps.iter().any(|law| law.step.rule == "log-of-sum"));
    println!("{}", form.map_or("no form by the rule", |form| &form.text));
    assert!(form.is_some_and(|form| form.difference < 1e-12));
    Ok(())
}

// The test of the examples calls `run`.
#[allow(dead_code)]
fn main() {
    run().unwrap_or_else(|problems| panic!("{}", render(&problems, false)));
}
