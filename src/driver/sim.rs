//! `systole sim`: run a program cycle by cycle.

use super::arguments::SimArguments;
use super::output::Output;
use super::{Done, Verdict, files, inputs, pipeline};
use crate::array::{self, Program, Tensors};
use crate::diagnostic::{Checked, Diagnostic, render};
use crate::integer::Bindings;
use crate::recurrence::{self, Role};
use crate::sim::{self, Outcome, Settings, npy};
use serde_json::{Value, json};
use std::path::Path;

/// Runs the command.
pub fn run(arguments: &SimArguments, output: &Output) -> Done {
    let source = files::read(&arguments.program)?;
    let program = array::parse(&source.name, &source.text)?;
    if array::is_untouched(&source.text) != Some(true) {
        output.error(&format!(
            "warning: `{}` is not the text that was proved; its proofs do not cover this run",
            source.name
        ));
    }
    let sizes = inputs::sizes(&arguments.size, &program.parameters, None)?;
    let tensors = inputs::tensors(&program, &sizes, &arguments.arrays.input, arguments.arrays.seed)?;
    let outcome = sim::simulate(&program, &sizes, &tensors, &settings(arguments)?)?;
    write_outputs(&program, &outcome, &arguments.arrays.output)?;
    let agrees = arguments.reference.as_deref().map(|kernel| agrees(kernel, &sizes, &tensors, &outcome)).transpose()?;
    output.line(sim::report::to_table(&outcome).trim_end());
    if let Some(agrees) = agrees {
        output.line(&format!("  {} the reference", if agrees { "matches" } else { "DIFFERS from" }));
    }
    output.object(&with_match(&outcome, agrees));
    Ok(verdict(&outcome, agrees, output))
}

fn settings(arguments: &SimArguments) -> Checked<Settings> {
    let mut settings = Settings::default();
    if arguments.machine.is_some() {
        let machine = files::machine(arguments.machine.as_deref())?;
        settings.latency = u64::try_from(machine.links.latency).ok();
        settings.response = machine.links.response.unsigned_abs();
        settings.capacity = machine.capacity;
    }
    if arguments.latency == Some(0) || arguments.capacity == Some(0) {
        return Diagnostic::new("a link takes at least 1 cycle, and a channel has at least 1 slot").alone();
    }
    settings.latency = arguments.latency.or(settings.latency);
    settings.capacity = arguments.capacity.or(settings.capacity);
    Ok(settings)
}

/// Writes the outputs asked for; none of a run that deadlocked.
pub fn write_outputs(program: &Program, outcome: &Outcome, files: &[String]) -> Checked<()> {
    let outputs = program.arrays.iter().filter(|array| array.role == Role::Output);
    let names: Vec<&str> = outputs.map(|array| &*array.name).collect();
    for file in files {
        let (tensor, path) = inputs::assignment(file, &names, "output")?;
        if let (None, Some(array)) = (&outcome.deadlock, outcome.outputs.get(tensor)) {
            npy::write(Path::new(path), array)?;
        }
    }
    Ok(())
}

/// Whether the outputs are those of a kernel's sequential meaning, bit for bit.
fn agrees(kernel: &str, sizes: &Bindings, inputs: &Tensors, outcome: &Outcome) -> Checked<bool> {
    let system = recurrence::load(&pipeline::source(kernel)?)?;
    let expected = recurrence::evaluate(&system, sizes, inputs)?;
    Ok(outcome.deadlock.is_none() && expected.iter().all(|(name, array)| same_bits(outcome.outputs.get(name), array)))
}

/// Whether an array is there with the same shape and the same bits.
pub fn same_bits(mine: Option<&ndarray::ArrayD<f64>>, theirs: &ndarray::ArrayD<f64>) -> bool {
    mine.is_some_and(|mine| {
        mine.shape() == theirs.shape() && mine.iter().zip(theirs.iter()).all(|(a, b)| a.to_bits() == b.to_bits())
    })
}

/// The outcome as JSON with the comparison filled in.
pub fn with_match(outcome: &Outcome, agrees: Option<bool>) -> Value {
    let mut object = sim::report::to_json(outcome);
    object["matches_reference"] = json!(agrees);
    object
}

/// A deadlock is said on standard error; it, and values that differ, refute the run.
pub fn verdict(outcome: &Outcome, agrees: Option<bool>, output: &Output) -> Verdict {
    if let Some(deadlock) = &outcome.deadlock {
        output.error(&render(&[deadlock.to_diagnostic()], output.has_colour()));
    }
    if outcome.deadlock.is_some() || agrees == Some(false) { Verdict::Refuted } else { Verdict::Good }
}
