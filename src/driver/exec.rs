//! `systole exec`: run a program for real.

use super::arguments::ExecArguments;
use super::output::Output;
use super::sim::{agrees, meaning, threads, verdict, write_outputs};
use super::{Done, files, inputs, pipeline};
use crate::array::{self, Program};
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, nearest};
use crate::exec::{Counts, Dealing, Execution, Settings, execute};
use crate::recurrence;
use crate::sim;
use serde_json::{Value, json};

/// The back ends, by the words of `--backend`.
const BACKENDS: [&str; 2] = ["threads", "mpi"];

/// Runs the command.
pub fn run(arguments: &ExecArguments, output: &Output) -> Done {
    match &*arguments.backend {
        "threads" => on_threads(arguments, output),
        "mpi" => Err(no_mpi().into()),
        other => Err(unknown("back end", other, &BACKENDS).into()),
    }
}

fn no_mpi() -> Diagnostics {
    vec![
        Diagnostic::new("this build of systole knows no MPI")
            .help("build it with `cargo build --release --features mpi`, or say `--backend threads`"),
    ]
}

fn on_threads(arguments: &ExecArguments, output: &Output) -> Done {
    if arguments.ranks.is_some() {
        return Err(vec![
            Diagnostic::new("`--ranks` is for `--backend mpi`").help("say `--threads` how many threads there are"),
        ]
        .into());
    }
    let program = program(arguments, output)?;
    let sizes = inputs::sizes(&arguments.size, &program.parameters, None)?;
    let reference =
        arguments.reference.as_deref().map(|kernel| recurrence::load(&pipeline::source(kernel)?)).transpose()?;
    let arrays = &arguments.arrays;
    let tensors = inputs::tensors(&program, reference.as_ref(), &sizes, &arrays.input, arrays.seed)?;
    let workers = arguments.threads.unwrap_or_else(threads);
    let execution = execute(&program, &sizes, &tensors, &settings(arguments, workers)?)?;
    write_outputs(&program, &execution, &arrays.output)?;
    let expected = reference.map(|system| meaning(&system, &sizes, &tensors)).transpose()?;
    let agrees = expected.map(|expected| agrees(&expected, &execution));
    show(&execution, (workers, "thread"), agrees, output);
    output.object(&to_json(&execution, ("threads", workers), agrees));
    Ok(verdict(&execution, agrees, output))
}

/// The program; of a text that was changed by hand with a warning.
fn program(arguments: &ExecArguments, output: &Output) -> Checked<Program> {
    let source = files::read(&arguments.program)?;
    let program = array::parse(&source.name, &source.text)?;
    if array::is_untouched(&source.text) != Some(true) {
        output.error(&format!(
            "warning: `{}` is not the text that was proved; its proofs do not cover this run",
            source.name
        ));
    }
    Ok(program)
}

fn settings(arguments: &ExecArguments, workers: usize) -> Checked<Settings> {
    Ok(Settings { workers, dealing: dealing(&arguments.fold)?, capacity: arguments.capacity })
}

/// `block`, `cyclic` or `block-cyclic:B`.
fn dealing(text: &str) -> Checked<Dealing> {
    match text.split_once(':') {
        None if text == "block" => Ok(Dealing::Block),
        None if text == "cyclic" => Ok(Dealing::Cyclic),
        Some(("block-cyclic", length)) => match length.parse() {
            Ok(length) if length >= 1 => Ok(Dealing::BlockCyclic(length)),
            _ => Diagnostic::new(format!("`{length}` is no number of PEs to deal out at a time"))
                .help("write --fold block-cyclic:2")
                .alone(),
        },
        _ => Err(unknown("fold", text, &["block", "cyclic", "block-cyclic:2"])),
    }
}

fn unknown(what: &str, word: &str, known: &[&str]) -> Diagnostics {
    let meant = nearest(word, known.iter().copied()).map(|meant| format!("did you mean `{meant}`?"));
    let help = meant.unwrap_or_else(|| format!("there are {}", known.join(", ")));
    vec![Diagnostic::new(format!("there is no {what} `{word}`")).help(help)]
}

/// The table: where it ran, how fast, what passed between workers.
fn show(execution: &Execution, (workers, kind): (usize, &str), agrees: Option<bool>, output: &Output) {
    let Counts { arrangement, pes, operations, words, packets } = &execution.counts;
    let sides: Vec<String> = arrangement.iter().map(usize::to_string).collect();
    let grid = if sides.len() > 1 { format!(" ({})", sides.join(" x ")) } else { String::new() };
    let plural = if workers == 1 { "" } else { "s" };
    output.line(&format!(
        "{pes} PEs on {workers} {kind}{plural}{grid}   {operations} operations in {:.3} s, {:.3} GFLOP/s",
        execution.elapsed.as_secs_f64(),
        billions_a_second(execution)
    ));
    output.line(&format!("  {words} words between {kind}s, in {packets} packets"));
    if let Some(agrees) = agrees {
        output.line(&format!("  {} the reference", if agrees { "matches" } else { "DIFFERS from" }));
    }
}

/// Applications of scalar functions, in 10^9 a second; 0 for a run too short to be timed.
fn billions_a_second(execution: &Execution) -> f64 {
    let seconds = execution.elapsed.as_secs_f64();
    if seconds > 0.0 { execution.counts.operations as f64 / seconds / 1e9 } else { 0.0 }
}

fn to_json(execution: &Execution, (backend, ranks): (&str, usize), agrees: Option<bool>) -> Value {
    let counts = &execution.counts;
    json!({
        "backend": backend,
        "ranks": ranks,
        "arrangement": counts.arrangement,
        "seconds": execution.elapsed.as_secs_f64(),
        "gflops": billions_a_second(execution),
        "pes": counts.pes,
        "operations": counts.operations,
        "words": counts.words,
        "packets": counts.packets,
        "matches_reference": agrees,
        "deadlock": execution.deadlock.as_ref().map(sim::report::deadlock_to_json),
    })
}
