//! `systole rules check`: every rule and every declared monoid is tried on random instances; what fails is refused at its line.

use crate::driver::commands::rules_table as table;
use crate::driver::commands::rules_table::Looked;
use crate::driver::flags::arguments::{RulesAction, RulesArguments, RulesCheckArguments};
use crate::driver::pipeline::with_threads;
use crate::driver::shown::output::Output;
use crate::driver::{Done, Verdict};
use serde_json::json;
use std::time::Duration;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_compile::algebra::find_naive;
use systole_compile::check::{
    MonoidReport, RuleReport, Settings, check_monoids, check_rules, find_kernels, scalar_sides,
};
use systole_compile::rewrite::{Phase, Rule, RuleSet, Tag, load_phase};
use systole_compile::smt;

/// How long the solver may think about one rule.
const LIMIT: Duration = Duration::from_secs(2);

/// Runs the command.
pub fn run(arguments: &RulesArguments, output: &Output) -> Done {
    let RulesAction::Check(arguments) = &arguments.action;
    let (mut looked, mut monoids) = (vec![], vec![]);
    let busy = output.busy("check");
    for phase in [Phase::Dataflow, Phase::Algebra] {
        let rules = load_phase(phase, arguments.rules.as_deref())?;
        let (of_rules, of_monoids) = with_threads(arguments.threads, || look(phase, &rules, arguments))??;
        looked.extend(of_rules);
        monoids.extend(of_monoids);
    }
    drop(busy);
    table::print(&looked, &monoids, arguments.cases, output);
    let refusals = looked.iter().map(|one| &one.report.refusal).chain(monoids.iter().map(|report| &report.refusal));
    let refused: Vec<Diagnostic> = refusals.flatten().cloned().collect();
    output.object(&json!({
        "cases": arguments.cases,
        "seed": arguments.seed,
        "rules": looked.iter().map(table::rule_json).collect::<Vec<_>>(),
        "monoids": monoids.iter().map(table::monoid_json).collect::<Vec<_>>(),
        "unsound": refused.len(),
    }));
    if refused.is_empty() {
        return Ok(Verdict::Good);
    }
    output.diagnostics(&refused);
    Ok(Verdict::Refuted)
}

/// Tries all rules and monoids, asks the solver, and counts the kernels in which rules that passed fire.
fn look(phase: Phase, rules: &RuleSet, arguments: &RulesCheckArguments) -> Checked<(Vec<Looked>, Vec<MonoidReport>)> {
    let cases = usize::try_from(arguments.cases).unwrap_or(usize::MAX);
    let settings = Settings { cases, seed: arguments.seed, phase };
    let reports = check_rules(rules, &settings);
    let mut looked: Vec<Looked> = rules.rules().iter().zip(reports).map(|(rule, report)| ask(rule, report)).collect();
    let refused = looked.iter().filter(|one| one.report.refusal.is_some());
    let sound = refused.fold(rules.clone(), |rules, one| rules.without(&one.report.name));
    let kernels = match phase {
        Phase::Dataflow => find_kernels(&sound)?,
        Phase::Algebra => find_naive(&sound)?,
    };
    for one in looked.iter_mut().filter(|one| one.report.refusal.is_none()) {
        one.report.kernels = Some(kernels.get(&one.report.name).cloned().unwrap_or_default());
    }
    Ok((looked, check_monoids(rules, &settings)))
}

fn ask(rule: &Rule, mut report: RuleReport) -> Looked {
    let sides = scalar_sides(rule).filter(|_| report.refusal.is_none());
    let answer = sides.and_then(|[left, right]| smt::holds_for_all_reals(&left, &right, LIMIT));
    // What a law assumes is in words, which the solver does not have.
    let is_for_all = report.conditions.is_empty() && report.tag != Tag::Assume;
    if answer == Some(false) && is_for_all {
        report.refuse(rule, "Z3 has real numbers for which its sides differ");
    }
    Looked { proved: answer == Some(true), report }
}
