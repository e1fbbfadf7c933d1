//! `systole check`: parse, validate, print the normal form and the dependences.

use crate::driver::flags::arguments::CheckArguments;
use crate::driver::shown::output::Output;
use crate::driver::{Done, Verdict, pipeline};
use serde_json::json;
use systole_compile::rewrite;
use systole_equations::recurrence;

/// Runs the command.
pub fn run(arguments: &CheckArguments, output: &Output) -> Done {
    let system = recurrence::load(&pipeline::source(&arguments.kernel.kernel)?)?;
    if arguments.kernel.rules.is_some() {
        rewrite::load_rules(arguments.kernel.rules.as_deref())?;
    }
    output.line(system.to_string().trim_end());
    let spaces = recurrence::spaces::cut_spaces(&system).map(|cut| cut.to_string()).unwrap_or_default();
    output.line(&format!("\n{}", spaces.trim_end()));
    output.object(&json!({
        "kernel": &*system.name,
        "parameters": system.parameters.iter().map(|name| name.to_string()).collect::<Vec<_>>(),
        "tensors": system.tensors.iter().map(|tensor| tensor.name.to_string()).collect::<Vec<_>>(),
        "equations": system.equations.len(),
        "schedules": system.schedules.iter().map(|schedule| schedule.name.to_string()).collect::<Vec<_>>(),
        "normal_form": system.to_string(),
        "spaces": spaces.lines().collect::<Vec<_>>(),
    }));
    Ok(Verdict::Good)
}
