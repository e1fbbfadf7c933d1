//! `systole sim`: run a program cycle by cycle.

use crate::driver::flags::program_arguments::{SimArguments, TraceArguments};
use crate::driver::flags::setting::cell;
use crate::driver::kernels::room;
use crate::driver::runs::agreement::{Agreement, compare};
use crate::driver::runs::finished::{say_agreement, verdict};
use crate::driver::runs::job::Job;
use crate::driver::runs::tracing::Tracing;
use crate::driver::runs::{finite, inputs, outputs, timed, unpunctual};
use crate::driver::shown::output::Output;
use crate::driver::shown::unused_keys;
use crate::driver::shown::{energy, reporting};
use crate::driver::{Done, files};
use crate::report::Recorder;
use serde_json::{Value, json};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::machine::Machine;
use systole_base::scalar::Precision;
use systole_program::array;
use systole_program::array::Program;
use systole_run::sim;
use systole_run::sim::fit::{Fit, fit};
use systole_run::sim::{Outcome, Settings};

/// Runs the command.
pub fn run(arguments: &SimArguments, output: &Output) -> Done {
    let tracing = Tracing::new(&arguments.traces)?;
    let TraceArguments { trace, vcd, .. } = &arguments.traces;
    arguments.given.check_files(
        &[("`--trace`", trace.as_deref()), ("`--vcd`", vcd.as_deref()), ("`--report`", arguments.report.as_deref())],
        &[("`--machine`", arguments.machine.as_deref())],
    )?;
    let mut job = Job::new(&arguments.given, &files::read_as(&arguments.given.program, "pe")?, output)?;
    unused_keys::say(arguments.machine.as_deref(), output)?;
    let machine = files::machine(arguments.machine.as_deref())?;
    array::check(&job.program, &job.sizes)?;
    room::check(&job.program, &job.sizes, &machine)?;
    let given = &job.inputs()?;
    let Job { program, sizes, .. } = &job;
    let settings = settings(program, arguments, &machine)?;
    let program = &on_links(program, arguments, &machine)?;
    let mut recorder = arguments.report.as_ref().map(|_| Recorder::default());
    let busy = output.busy("simulate");
    let (outcome, trace) = tracing.simulate(program, sizes, given, &settings, recorder.as_mut())?;
    drop(busy);
    let fitted = arguments.fit_fifos.then(|| fit(program, sizes, given, &settings)).transpose()?.flatten();
    outputs::write(program, sizes, &outcome, &arguments.given.arrays.output)?;
    tracing.write(trace.as_ref())?;
    if is_as_written(arguments)
        && let Some(wait) = unpunctual::first_wait((program, sizes, given), &settings, &outcome)?
    {
        output.warning(&unpunctual::warning(program, &wait));
    }
    let agreement =
        job.expected(given, Precision::Double)?.map(|expected| compare(&expected, &outcome, Precision::Double));
    if let (Some(path), Some(recorder)) = (&arguments.report, recorder) {
        let report = reporting::of_program(program, sizes, &outcome, agreement.as_ref());
        reporting::write_run(path, report, program, (&outcome, recorder))?;
    }
    show(&outcome, agreement.as_ref(), output);
    let energy = energy::simulated(program, &outcome, &machine);
    if let Some(energy) = energy {
        output.line(&format!("energy  {}", energy::shown(energy)));
    }
    print_fit(fitted.as_ref(), output);
    let mut object = with_match(&outcome, agreement.as_ref(), energy);
    if arguments.fit_fifos {
        object["fifos"] = json!(fitted.as_ref().map(Fit::to_json));
    }
    inputs::say_unused(&job.unused, "unused  ", (output, &mut object));
    inputs::say_filled(&job.filled, ("filled  ", arguments.given.arrays.seed), (output, &mut object));
    finite::say(&finite::of_outputs(&outcome.outputs), "outputs  ", (output, &mut object));
    output.object(&object);
    Ok(verdict(&outcome, agreement.as_ref().and_then(Agreement::difference).as_deref(), output))
}

fn show(outcome: &Outcome, agreement: Option<&Agreement>, output: &Output) {
    output.line(sim::report::to_table(outcome).trim_end());
    say_agreement(agreement, output);
}

/// The timing of the machine; without one, the latency of memory is that of the program, as are those of its links and buses.
fn settings(program: &Program, arguments: &SimArguments, machine: &Machine) -> Checked<Settings> {
    if arguments.latency == Some(0) || arguments.capacity == Some(0) {
        return Diagnostic::usage("a link takes at least 1 cycle, and a channel has at least 1 slot").alone();
    }
    let mut settings = timed::settings(machine);
    match arguments.machine {
        Some(_) => settings.cell = Some(machine.links.cell),
        None => settings.times.load_latency = program.load_latency(),
    }
    settings.cell = cell(arguments.cell.as_deref())?.or(settings.cell);
    let token = arguments.token.clone();
    Ok(Settings { capacity: arguments.capacity.or(settings.capacity), token, ..settings })
}

/// Whether links, memory and cells are those that the text of the program says.
fn is_as_written(arguments: &SimArguments) -> bool {
    let SimArguments { machine, latency, capacity, cell, .. } = arguments;
    machine.is_none() && latency.is_none() && capacity.is_none() && cell.is_none()
}

/// The program on the links of the machine, or on its own network at the latency of the flag; as it is where there is neither.
fn on_links(program: &Program, arguments: &SimArguments, machine: &Machine) -> Checked<Program> {
    match (&arguments.machine, arguments.latency) {
        (Some(_), latency) => timed::on_machine(program, machine, latency),
        (None, Some(latency)) => array::on_links(program, program.network, latency),
        (None, None) => Ok(program.clone()),
    }
}

/// The table of fitted channels, where there are any; a deadlock is told elsewhere.
pub fn print_fit(fitted: Option<&Fit>, output: &Output) {
    if let Some(fitted) = fitted {
        output.line(&format!("\n{}", fitted.to_table().trim_end()));
    }
}

/// The outcome as JSON with the comparison filled in, and the energy where it is known.
pub fn with_match(outcome: &Outcome, agreement: Option<&Agreement>, energy: Option<f64>) -> Value {
    let mut object = sim::report::to_json(outcome);
    Agreement::write_to(agreement, &mut object);
    if let Some(energy) = energy {
        object["energy"] = json!(energy);
    }
    object
}
