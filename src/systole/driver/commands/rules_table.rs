//! The table of `systole rules check`, and its JSON.

use crate::driver::shown::columns::aligned;
use crate::driver::shown::output::Output;
use crate::driver::shown::show::{grouped, grouped_count};
use serde_json::{Map, Value, json};
use systole_base::diagnostic::counted;
use systole_compile::check::{Counterexample, MonoidLaw, MonoidReport, RuleReport};

/// A rule with all that was found out about it.
pub struct Looked {
    /// What its cases have found.
    pub report: RuleReport,
    /// Whether Z3 has proved it for all reals.
    pub proved: bool,
}

/// Prints a line for each rule and each monoid, what is to be said of them, and how many cases each had.
pub fn print(looked: &[Looked], monoids: &[MonoidReport], cases: u64, output: &Output) {
    let rows: Vec<Vec<String>> = looked.iter().map(row).chain(monoids.iter().map(monoid_row)).collect();
    output.line(aligned(&rows).trim_end());
    let warnings = looked.iter().flat_map(warnings).chain(monoids.iter().flat_map(monoid_warning));
    warnings.for_each(|warning| output.line(&format!("  warning  {warning}")));
    output.line(&summary(looked, monoids, cases));
}

fn row(one: &Looked) -> Vec<String> {
    let report = &one.report;
    let verdict = match (&report.refusal, one.proved) {
        (Some(_), _) => "UNSOUND",
        (None, true) => "proved by Z3",
        (None, false) => "passed",
    };
    let kernels = report.kernels.as_ref().map_or_else(String::new, |names| match names.as_slice() {
        [] => "never fires".to_owned(),
        [one] => one.clone(),
        [one, rest @ ..] => format!("{one} and {}", rest.len()),
    });
    let said = [report.name.clone(), report.origin.clone(), report.tag.to_string()];
    cells(said, [report.passed, report.made], [verdict.to_owned(), kernels, report.law.clone()])
}

/// What is said of a law, how many cases passed of how many that were made, and what came of it.
fn cells(
    [name, origin, tag]: [String; 3],
    [passed, made]: [usize; 2],
    [verdict, kernels, law]: [String; 3],
) -> Vec<String> {
    let cases = [grouped(passed as u64), format!("of {}", grouped(made as u64))];
    [format!("  {name}"), origin, tag].into_iter().chain(cases).chain([verdict, kernels, law]).collect()
}

fn monoid_row(report: &MonoidReport) -> Vec<String> {
    let verdict = if report.refusal.is_some() { "UNSOUND" } else { "passed" };
    let kind = if report.ordered { "ordered monoid" } else { "monoid" };
    let said = [format!("{kind} {}", report.name), report.origin.clone(), report.tag.to_string()];
    cells(said, [report.passed, report.made], [verdict.to_owned(), String::new(), report.law.clone()])
}

fn monoid_warning(report: &MonoidReport) -> Option<String> {
    let cases = grouped(report.passed as u64);
    report.few.then(|| format!("monoid `{}`: few cases, only {cases} can be decided", report.name))
}

fn warnings(one: &Looked) -> Vec<String> {
    let report = &one.report;
    let mut all = vec![];
    if report.kernels.as_ref().is_some_and(Vec::is_empty) {
        all.push(format!("rule `{}` never fires in the kernels that ship", report.name));
    }
    if report.few {
        all.push(format!(
            "rule `{}`: few cases, only {} fit",
            report.name,
            grouped_count(report.passed as u64, "instance")
        ));
    }
    if report.refusal.is_none() {
        let never = |text: &str| format!("rule `{}`: `{text}` never decides", report.name);
        all.extend(report.idle_conditions().map(never));
    }
    all
}

fn summary(looked: &[Looked], monoids: &[MonoidReport], cases: u64) -> String {
    let passed = looked.iter().map(|one| one.report.passed).chain(monoids.iter().map(|report| report.passed));
    let all = looked.iter().map(|one| one.report.refusal.is_none()).chain(monoids.iter().map(|m| m.refusal.is_none()));
    let (count, unsound) = (looked.len(), all.filter(|sound| !sound).count());
    let proved = looked.iter().filter(|one| one.proved).count();
    let short = passed.clone().filter(|passed| (*passed as u64) < cases).count();
    let each = match short {
        0 => format!("{} each", grouped(cases)),
        short => format!("{} each but for {short}", grouped(cases)),
    };
    let total = grouped_count(passed.sum::<usize>() as u64, "case");
    format!(
        "{}, {}, {total}, {each}; {proved} proved by Z3, {unsound} unsound",
        counted(count, "rule"),
        counted(monoids.len(), "monoid")
    )
}

/// A rule and what was found out about it.
pub fn rule_json(one: &Looked) -> Value {
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
        "kernels": report.kernels.as_ref().map(Vec::len),
        "fires_in": report.kernels,
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

/// A monoid and what was found out about it.
pub fn monoid_json(report: &MonoidReport) -> Value {
    let broken = report.broken.map(|law| match law {
        MonoidLaw::Associative => "associative",
        MonoidLaw::NeutralBefore | MonoidLaw::NeutralAfter => "neutral",
        MonoidLaw::Commutative => "commutative",
    });
    json!({
        "name": report.name,
        "origin": report.origin,
        "tag": report.tag.to_string(),
        "law": report.law,
        "ordered": report.ordered,
        "made": report.made,
        "passed": report.passed,
        "few_cases": report.few,
        "sound": report.refusal.is_none(),
        "broken": broken,
        "reason": report.refusal.as_ref().map(|refusal| refusal.message()),
    })
}
