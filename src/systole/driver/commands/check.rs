//! `systole check`: parse, validate, print the normal form and the dependences; and hold recurrences of a file against its design.

use crate::driver::commands::watch;
use crate::driver::flags::arguments::CheckArguments;
use crate::driver::kernels::designed::DESIGN;
use crate::driver::kernels::origin::{Derived, Origin};
use crate::driver::kernels::recurrences::Claimed;
use crate::driver::shown::output::Output;
use crate::driver::{Done, Verdict, pipeline};
use serde_json::json;
use std::path::Path;
use systole_base::diagnostic::{Checked, counted};
use systole_compile::rewrite;
use systole_compile::rewrite::Difference;
use systole_equations::recurrence;
use systole_equations::recurrence::RecurrenceSystem;

/// Runs the command.
pub fn run(arguments: &CheckArguments, output: &Output) -> Done {
    match arguments.watch {
        true => watch::run(&arguments.kernel.kernel, || check(arguments, output), output),
        false => check(arguments, output),
    }
}

fn check(arguments: &CheckArguments, output: &Output) -> Done {
    let (source, claimed) = pipeline::source_and_claims(&arguments.kernel.kernel)?;
    let system = recurrence::load(&source)?;
    let rules = arguments.kernel.rules.as_deref();
    if rules.is_some() {
        rewrite::load_rules(rules)?;
    }
    output.line(system.to_string().trim_end());
    let spaces = recurrence::spaces::cut_spaces(&system).map(|cut| cut.to_string()).unwrap_or_default();
    output.line(&format!("\n{}", spaces.trim_end()));
    let mut object = json!({
        "kernel": &*system.name,
        "parameters": system.parameters.iter().map(|name| name.to_string()).collect::<Vec<_>>(),
        "tensors": system.tensors.iter().map(|tensor| tensor.name.to_string()).collect::<Vec<_>>(),
        "equations": system.equations.len(),
        "schedules": system.schedules.iter().map(|schedule| schedule.name.to_string()).collect::<Vec<_>>(),
        "normal_form": system.to_string(),
        "spaces": spaces.lines().collect::<Vec<_>>(),
    });
    let Some(claimed) = claimed else {
        output.object(&object);
        return Ok(Verdict::Good);
    };
    let differences = differences(&claimed, &system, rules, output)?;
    object["recurrences"] = claimed.json();
    object["differences"] = claimed.differences_json(&differences);
    output.object(&object);
    if !differences.is_empty() {
        return Err(claimed.messages(&differences).into());
    }
    let lines = counted(claimed.count(), "line");
    output.line(&format!("\nrecurrences: {lines}, all as the kernel gives them under its design"));
    Ok(Verdict::Good)
}

/// Where recurrences are not those of the design in their file.
fn differences(
    claimed: &Claimed,
    system: &RecurrenceSystem,
    rules: Option<&Path>,
    output: &Output,
) -> Checked<Vec<Difference>> {
    let origin = Origin::new(Derived::plain(pipeline::settled(system, output)), Some(DESIGN), &[])?;
    let schedule = origin.searched().asked_schedule(DESIGN)?;
    let cut = pipeline::cut(&origin, Some(schedule))?;
    let lowered = rewrite::saturate(&cut, &rewrite::load_rules(rules)?, &rewrite::Limits::default())?;
    claimed.differences(&cut, schedule, &lowered.choices()?)
}
