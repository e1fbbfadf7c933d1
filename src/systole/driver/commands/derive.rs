//! `systole derive`: the forms of a kernel, by the laws of algebra, with what they cost and why they are equal.

use crate::driver::flags::forbidden::Lost;
use crate::driver::flags::law_arguments::{DeriveArguments, LawArguments};
use crate::driver::flags::{coordinates, limit_arguments};
use crate::driver::runs::inputs;
use crate::driver::shown::output::Output;
use crate::driver::shown::steps::Chain;
use crate::driver::{Done, Verdict, files, pipeline};
use serde_json::{Value, json};
use systole_base::diagnostic::{Checked, Diagnostic, counted};
use systole_compile::algebra::{Derivation, Form, FormCost, Wanted};
use systole_compile::check::ChainReport;
use systole_compile::rewrite::{Phase, RuleSet, Tag};
use systole_compile::{algebra, rewrite};
use systole_equations::recurrence;

/// Runs the command.
pub fn run(arguments: &DeriveArguments, output: &Output) -> Done {
    let read = [("the kernel", pipeline::file(&arguments.kernel))];
    files::check(&[("`--dot`", arguments.dot.as_deref()), ("`--output`", arguments.output.as_deref())], &read)?;
    let written = recurrence::load(&pipeline::source(&arguments.kernel)?)?;
    let asked = coordinates::wanted(&arguments.coordinates)?;
    coordinates::check_sizes(&arguments.size, &written, &asked)?;
    let recast = algebra::recast(&written, &asked)?;
    let system = &recast.system;
    let rules = rules(&arguments.laws)?;
    let sizes = inputs::sizes(&arguments.size, &system.parameters, Some(8))?;
    let limits = arguments.laws.limits();
    let wanted = Wanted { sizes: &sizes, limits, all: None };
    let busy = output.busy("derive");
    let derivation = algebra::derive_recast(&recast, &rules, &wanted)?;
    let chosen = choose(&derivation, arguments.form)?;
    let chain = Chain::of_laws(&chosen.steps, derivation.check_steps(chosen, &rules)?);
    drop(busy);
    print(&derivation, chosen, &chain, output);
    let lost = Lost::of(&recast, (&arguments.laws, &rules), &derivation, &wanted)?;
    if let Some(lost) = &lost {
        output.line("");
        lost.lines(cost).iter().for_each(|line| output.line(line));
    }
    if let Some(path) = &arguments.dot {
        files::write(path, &chain.dot())?;
    }
    if let Some(path) = &arguments.output {
        files::write(path, &chosen.text)?;
        output.line(&format!("\nwritten to {}", path.display()));
    }
    output.object(&json!({
        "written": cost_json(&derivation.written),
        "forms": derivation.forms.iter().map(form_json).collect::<Vec<_>>(),
        "checked": chain.checked_json(),
        "forbidden": lost.map(|lost| lost.json(cost_json)),
        "saturation": limit_arguments::to_json(&derivation.report),
    }));
    Ok(Verdict::Good)
}

/// The rules of the algebra that the flags leave.
pub fn rules(arguments: &LawArguments) -> Checked<RuleSet> {
    let mut rules = rewrite::load_phase(Phase::Algebra, arguments.rules.as_deref())?;
    for word in &arguments.forbid {
        match Tag::from_keyword(word) {
            Some(tag) => rules = rules.without_tag(tag),
            None if rules.find(word).is_some() => rules = rules.without(word),
            None => {
                let message = format!("`{word}` is neither a rule of the algebra nor a tag");
                return Diagnostic::usage(message)
                    .help("write --forbid real, or the name of a rule of rules/algebra")
                    .alone();
            }
        }
    }
    Ok(rules)
}

fn choose(derivation: &Derivation, wanted: usize) -> Checked<&Form> {
    let count = derivation.forms.len();
    derivation.forms.get(wanted).ok_or_else(|| {
        let message = format!("there is no form {wanted}: the front has {count}");
        Diagnostic::usage(message).help("forms are numbered from 0, fewest passes first").into()
    })
}

fn print(derivation: &Derivation, chosen: &Form, chain: &Chain, output: &Output) {
    output.line(&format!("rewrite   {}", limit_arguments::told(&derivation.report)));
    output.line(&format!("written   {}", cost(&derivation.written)));
    for (number, form) in derivation.forms.iter().enumerate() {
        let passes: Vec<String> = form.passes.iter().map(|(index, passes)| format!("{index} {passes}")).collect();
        let note = if form.is_least { "" } else { ", not proved the least" };
        let tag = promise(form);
        output.line(&format!("form {number}    {} ({}){note}, {tag}", cost(&form.cost), passes.join(", ")));
    }
    output.line("");
    chain.print(output);
    output.line("");
    output.line(chosen.text.trim_end());
}

/// How far a form is the kernel: its tag, and that it says nothing of infinite inputs where it does not.
pub fn promise(form: &Form) -> String {
    match (form.tag, &form.masked) {
        (Tag::Exact | Tag::Real, _) => form.tag.to_string(),
        (tag, None) => format!("{tag}: not for infinite inputs"),
        (tag, Some(element)) => format!("{tag}: not for infinite inputs, {element} for some"),
    }
}

/// `97 operations, 1 pass`.
pub fn cost(cost: &FormCost) -> String {
    let risk = if cost.overflows == 0 { "" } else { ", may overflow" };
    format!("{}, {}{risk}", counted(cost.operations, "operation"), counted(cost.passes, "pass"))
}

fn cost_json(cost: &FormCost) -> Value {
    let operations = u64::try_from(cost.operations).unwrap_or(u64::MAX);
    json!({ "operations": operations, "passes": cost.passes, "overflows": cost.overflows })
}

fn form_json(form: &Form) -> Value {
    let passes = form.passes.iter().map(|(index, passes)| (index.to_string(), json!(passes)));
    json!({
        "cost": cost_json(&form.cost),
        "passes": passes.collect::<serde_json::Map<_, _>>(),
        "least": form.is_least,
        "steps_at_least": form.steps_at_least,
        "tag": form.tag.to_string(),
        "masked": form.masked,
        "difference": form.difference,
        "text": form.text,
        "steps": Chain::of_laws(&form.steps, ChainReport::default()).steps_json(),
    })
}
