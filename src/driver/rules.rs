//! `systole rules check`: every rule is tried on random instances; what fails is refused at its line.

use super::arguments::{RulesAction, RulesArguments, RulesCheckArguments};
use super::columns::aligned;
use super::output::Output;
use super::pipeline::with_threads;
use super::show::grouped;
use super::{Done, Verdict};
use crate::algebra::count_naive;
use crate::diagnostic::{Checked, Diagnostic, render};
use crate::rewrite::check::{Counterexample, RuleReport, Settings, check_rules, count_kernels, scalar_sides};
use crate::rewrite::{Phase, Rule, RuleSet, Tag, load_phase};
use crate::smt;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// How long the solver may think about one rule.
const LIMIT: Duration = Duration::from_secs(2);

/// A rule with all that was found out about it.
struct Looked {
    report: RuleReport,
    /// Whether Z3 has proved it for all reals.
    proved: bool,
}

/// Runs the command.
pub fn run(arguments: &RulesArguments, output: &Output) -> Done {
    let RulesAction::Check(arguments) = &arguments.action;
    let mut looked = vec![];
    for phase in [Phase::Dataflow, Phase::Algebra] {
        let rules = load_phase(phase, arguments.rules.as_deref())?;
        looked.extend(with_threads(arguments.threads, || look(phase, &rules, arguments))??);
    }
    output.line(aligned(&looked.iter().map(row).collect::<Vec<_>>()).trim_end());
    looked.iter().flat_map(warnings).for_each(|warning| output.line(&format!("  warning  {warning}")));
    let refused: Vec<Diagnostic> = looked.iter().filter_map(|one| one.report.refusal.clone()).collect();
    output.line(&summary(&looked, refused.len()));
    output.object(&json!({
        "cases": arguments.cases,
        "seed": arguments.seed,
        "rules": looked.iter().map(rule_json).collect::<Vec<_>>(),
        "unsound": refused.len(),
    }));
    if refused.is_empty() {
        return Ok(Verdict::Good);
    }
    output.error(&render(&refused, output.has_colour()));
    Ok(Verdict::Refuted)
}

/// Tries all rules, asks the solver, and counts the kernels in which those that passed fire.
fn look(phase: Phase, rules: &RuleSet, arguments: &RulesCheckArguments) -> Checked<Vec<Looked>> {
    let cases = usize::try_from(arguments.cases).unwrap_or(usize::MAX);
    let settings = Settings { cases, seed: arguments.seed };
    let reports = check_rules(rules, &settings);
    let mut looked: Vec<Looked> = rules.rules().iter().zip(reports).map(|(rule, report)| ask(rule, report)).collect();
    let refused = looked.iter().filter(|one| one.report.refusal.is_some());
    let sound = refused.fold(rules.clone(), |rules, one| rules.without(&one.report.name));
    let counts = match phase {
        Phase::Dataflow => count_kernels(&sound)?,
        Phase::Algebra => count_naive(&sound)?,
    };
    for one in looked.iter_mut().filter(|one| one.report.refusal.is_none()) {
        one.report.kernels = Some(counts.get(&one.report.name).copied().unwrap_or(0));
    }
    Ok(looked)
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

fn row(one: &Looked) -> Vec<String> {
    let report = &one.report;
    let verdict = match (&report.refusal, one.proved) {
        (Some(_), _) => "UNSOUND",
        (None, true) => "proved by Z3",
        (None, false) => "passed",
    };
    let kernels = report.kernels.map_or_else(String::new, |count| match count {
        0 => "never fires".to_owned(),
        1 => "1 kernel".to_owned(),
        count => format!("{count} kernels"),
    });
    vec![
        format!("  {}", report.name),
        report.origin.clone(),
        report.tag.to_string(),
        grouped(report.passed as u64),
        format!("of {}", grouped(report.made as u64)),
        verdict.to_owned(),
        kernels,
        report.law.clone(),
    ]
}

fn warnings(one: &Looked) -> Vec<String> {
    let report = &one.report;
    let mut all = vec![];
    if report.kernels == Some(0) {
        all.push(format!("rule `{}` never fires in the kernels that ship", report.name));
    }
    if report.few {
        all.push(format!("rule `{}`: few cases, only {} instances fit", report.name, grouped(report.passed as u64)));
    }
    if report.refusal.is_none() {
        let never = |text: &str| format!("rule `{}`: `{text}` never decides", report.name);
        all.extend(report.idle_conditions().map(never));
    }
    all
}

fn summary(looked: &[Looked], unsound: usize) -> String {
    let cases: usize = looked.iter().map(|one| one.report.passed).sum();
    let proved = looked.iter().filter(|one| one.proved).count();
    let count = looked.len();
    format!("{count} rules, {} cases, {proved} proved by Z3, {unsound} unsound", grouped(cases as u64))
}

fn rule_json(one: &Looked) -> Value {
    let report = &one.report;
    let conditions = report
        .conditions
        .iter()
        .map(|known| json!({ "condition": known.text, "rejected": known.rejected, "needed": known.needed }));
    let mut object = json!({
        "name": report.name,
        "origin": report.origin,
        "tag": report.tag.to_string(),
        "law": report.law,
        "made": report.made,
        "passed": report.passed,
        "few_cases": report.few,
        "conditions": conditions.collect::<Vec<_>>(),
        "kernels": report.kernels,
        "proved": one.proved,
        "sound": report.refusal.is_none(),
    });
    if let Some(example) = &report.counterexample {
        object["counterexample"] = counterexample_json(example);
    } else if let Some(refusal) = &report.refusal {
        object["reason"] = json!(refusal.message());
    }
    object
}

/// Infinities and what is not a number are no numbers in JSON, so values are texts.
fn counterexample_json(example: &Counterexample) -> Value {
    let texts = |pairs: &[(String, String)]| -> Map<String, Value> {
        pairs.iter().map(|(name, text)| (name.clone(), json!(text))).collect()
    };
    let elements: Vec<(String, String)> =
        example.elements.iter().map(|(element, value)| (element.clone(), value.to_string())).collect();
    json!({
        "variables": texts(&example.variables),
        "spaces": example.spaces,
        "point": example.point,
        "elements": texts(&elements),
        "left": example.left.map(|value| value.to_string()),
        "right": example.right.map(|value| value.to_string()),
        "right_term": example.right_term,
    })
}
