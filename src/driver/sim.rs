//! `systole sim`: run a program cycle by cycle.

use super::arguments::SimArguments;
use super::finished::Finished;
use super::output::Output;
use super::tracing::Tracing;
use super::{Done, Verdict, energy, files, inputs, pipeline, reporting, room, timed};
use crate::array::{self, Program, Tensors};
use crate::cost::Machine;
use crate::diagnostic::{Checked, Diagnostic, render};
use crate::integer::Bindings;
use crate::recurrence::{self, RecurrenceSystem, Role};
use crate::report::Recorder;
use crate::sim::fit::{Fit, fit};
use crate::sim::{self, Outcome, Settings, npy};
use ndarray::{ArrayD, Dimension};
use serde_json::{Value, json};
use std::path::Path;

/// Runs the command.
pub fn run(arguments: &SimArguments, output: &Output) -> Done {
    let tracing = Tracing::new(&arguments.traces)?;
    let source = files::read(&arguments.program)?;
    let program = array::parse(&source.name, &source.text)?;
    if array::is_untouched(&source.text) != Some(true) {
        output.error(&format!(
            "warning: `{}` is not the text that was proved; its proofs do not cover this run",
            source.name
        ));
    }
    let sizes = inputs::sizes(&arguments.size, &program.parameters, None)?;
    let reference =
        arguments.reference.as_deref().map(|kernel| recurrence::load(&pipeline::source(kernel)?)).transpose()?;
    let arrays = &arguments.arrays;
    let tensors = inputs::tensors(&program, reference.as_ref(), &sizes, &arrays.input, arrays.seed)?;
    let machine = files::machine(arguments.machine.as_deref())?;
    room::check(&program, &sizes, &machine)?;
    let settings = settings(arguments, &machine)?;
    let mut recorder = arguments.report.as_ref().map(|_| Recorder::default());
    let (outcome, trace) = tracing.simulate(&program, &sizes, &tensors, &settings, recorder.as_mut())?;
    let fitted = arguments.fit_fifos.then(|| fit(&program, &sizes, &tensors, &settings)).transpose()?.flatten();
    write_outputs(&program, &outcome, &arrays.output)?;
    tracing.write(trace.as_ref())?;
    let expected = reference.map(|system| meaning(&system, &sizes, &tensors)).transpose()?;
    let agrees = expected.map(|expected| agrees(&expected, &outcome));
    if let (Some(path), Some(recorder)) = (&arguments.report, recorder) {
        let report = reporting::of_program(&program, &sizes, &outcome, agrees);
        reporting::write_run(path, report, &program, (&outcome, recorder))?;
    }
    output.line(sim::report::to_table(&outcome).trim_end());
    if let Some(agrees) = agrees {
        output.line(&format!("  {} the reference", if agrees { "matches" } else { "DIFFERS from" }));
    }
    let energy = energy::simulated(&program, &outcome, &machine);
    if let Some(energy) = energy {
        output.line(&format!("energy  {}", energy::shown(energy)));
    }
    print_fit(fitted.as_ref(), output);
    let mut object = with_match(&outcome, agrees, energy);
    if arguments.fit_fifos {
        object["fifos"] = json!(fitted.as_ref().map(Fit::to_json));
    }
    output.object(&object);
    Ok(verdict(&outcome, agrees, output))
}

fn settings(arguments: &SimArguments, machine: &Machine) -> Checked<Settings> {
    let mut settings = match arguments.machine {
        Some(_) => timed::settings_of_links(machine),
        None => timed::settings(machine),
    };
    if arguments.latency == Some(0) || arguments.capacity == Some(0) {
        return Diagnostic::new("a link takes at least 1 cycle, and a channel has at least 1 slot").alone();
    }
    settings.latency = arguments.latency.or(settings.latency);
    settings.capacity = arguments.capacity.or(settings.capacity);
    Ok(settings)
}

/// The table of fitted channels, where there are any; a deadlock is told elsewhere.
pub fn print_fit(fitted: Option<&Fit>, output: &Output) {
    if let Some(fitted) = fitted {
        output.line(&format!("\n{}", fitted.to_table().trim_end()));
    }
}

/// Writes the outputs asked for; none of a run that deadlocked.
pub fn write_outputs(program: &Program, outcome: &impl Finished, files: &[String]) -> Checked<()> {
    let outputs = program.arrays.iter().filter(|array| array.role == Role::Output);
    let names: Vec<&str> = outputs.map(|array| &*array.name).collect();
    for file in files {
        let (tensor, path) = inputs::assignment(file, &names, "output")?;
        if let (None, Some(array)) = (outcome.deadlock(), outcome.outputs().get(tensor)) {
            npy::write(Path::new(path), array)?;
        }
    }
    Ok(())
}

/// The sequential meaning of a kernel, as far as it can be compared with.
pub fn meaning(system: &RecurrenceSystem, sizes: &Bindings, inputs: &Tensors) -> Checked<Tensors> {
    let expected = recurrence::evaluate(system, sizes, inputs)?;
    expected.iter().try_for_each(|(name, array)| check_numbers(name, array))?;
    Ok(expected)
}

/// Whether a run came to its end with these outputs, bit for bit.
pub fn agrees(expected: &Tensors, outcome: &impl Finished) -> bool {
    outcome.deadlock().is_none() && expected.iter().all(|(name, array)| same_bits(outcome.outputs().get(name), array))
}

/// Refuses a reference that holds what is not a number, which would equal nothing, or anything.
pub fn check_numbers(output: &str, expected: &ArrayD<f64>) -> Checked<()> {
    let Some((at, _)) = expected.indexed_iter().find(|(_, value)| value.is_nan()) else { return Ok(()) };
    let element = at.slice().iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    Diagnostic::new(format!(
        "`{output}[{element}]` is not a number for these inputs, so nothing can be compared with it"
    ))
    .help("give other inputs, or say what they are, as in `in A[N, N] is positive_definite`")
    .alone()
}

/// Whether an array is there with the same shape and the same bits.
fn same_bits(mine: Option<&ArrayD<f64>>, theirs: &ArrayD<f64>) -> bool {
    mine.is_some_and(|mine| {
        mine.shape() == theirs.shape() && mine.iter().zip(theirs.iter()).all(|(a, b)| a.to_bits() == b.to_bits())
    })
}

/// The outcome as JSON with the comparison filled in, and the energy where it is known.
pub fn with_match(outcome: &Outcome, agrees: Option<bool>, energy: Option<f64>) -> Value {
    let mut object = sim::report::to_json(outcome);
    object["matches_reference"] = json!(agrees);
    if let Some(energy) = energy {
        object["energy"] = json!(energy);
    }
    object
}

/// A deadlock is said on standard error; it, and values that differ, refute the run.
pub fn verdict(outcome: &impl Finished, agrees: Option<bool>, output: &Output) -> Verdict {
    if let Some(deadlock) = outcome.deadlock() {
        output.error(&render(&[deadlock.to_diagnostic()], output.has_colour()));
    }
    if outcome.deadlock().is_some() || agrees == Some(false) { Verdict::Refuted } else { Verdict::Good }
}
