//! `systole exec --backend mpi`: all ranks start this command with the same flags.
//!
//! Rank 0 reads, writes and speaks; the text of the program goes from it to the others, and at the end its verdict, so that
//! all ranks end with one code.

use crate::driver::commands::exec::{Asked, finish, kept, predicted, settings, warn, warn_of_native, warn_of_slots};
use crate::driver::flags::cluster_arguments::ExecArguments;
use crate::driver::runs::job::Job;
use crate::driver::runs::{finite, inputs, outputs};
use crate::driver::shown::output::Output;
use crate::driver::{Done, Verdict, files};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::Bindings;
use systole_program::array;
use systole_program::array::{Program, Tensors};
use systole_run::exec::{Execution, Settings, Stopped, World, available_memory, execute_on_ranks};

/// The verdicts, by their codes on the way between ranks.
const VERDICTS: [Verdict; 4] = [Verdict::Good, Verdict::Refuted, Verdict::Unknown, Verdict::Misused];

/// Runs the command on this rank.
pub fn run(arguments: &ExecArguments, output: &Output) -> Done {
    let world = World::start()?;
    let done = world.check(arguments.ranks).and_then(|()| on_ranks(&world, arguments, output));
    let verdict = done.unwrap_or_else(|stopped| {
        if !stopped.diagnostics.is_empty() {
            output.diagnostics(&stopped.diagnostics);
        }
        verdict_of(&stopped)
    });
    world.wait_for_all();
    Ok(verdict)
}

/// How ranks end that had to stop.
pub fn verdict_of(stopped: &Stopped) -> Verdict {
    if stopped.is_usage { Verdict::Misused } else { Verdict::Refuted }
}

fn on_ranks(world: &World, arguments: &ExecArguments, output: &Output) -> Result<Verdict, Stopped> {
    world.settle(check_alike(world))?;
    world.settle(check_threads(arguments))?;
    world.settle(if world.is_first() { arguments.check_files() } else { Ok(()) })?;
    let source = world.settle(if world.is_first() {
        files::read_as(&arguments.given.program, "pe").map(Some)
    } else {
        Ok(None)
    })?;
    let text = world.share_text(source.as_ref().map_or("", |source| &source.text));
    let job = source.map(|source| Job::new(&arguments.given, &source, output)).transpose();
    let mut job = world.settle(job)?;
    let (program, sizes, settings) = world.settle(part(world, arguments, &text, world.neighbours()))?;
    if world.is_first() {
        warn(&[settings.leaves], output);
        warn_of_native(&program, &settings, output);
        warn_of_slots(&program, settings.capacity, output);
    }
    let predicted = job.as_ref().map(|job| predicted(job, arguments, &settings)).transpose();
    let predicted = world.settle(predicted)?.flatten();
    let mut kept = world.settle(job.as_ref().map_or(Ok(Tensors::new()), kept))?;
    let tallies = job.as_ref().map(|job| finite::tallies(&job.program, &job.sizes)).transpose();
    let mut tallies = world.settle(tallies)?.unwrap_or_default();
    let files = &arguments.given.arrays.output;
    let sinks =
        job.is_some().then(|| outputs::sinks((&program, &sizes), files, settings.precision, &mut kept)).transpose();
    let mut sinks = world.settle(sinks)?;
    if let Some(sinks) = &mut sinks {
        finite::add(sinks, &mut tallies);
    }
    let sources = job.as_mut().map(|job| &mut job.sources);
    let busy = world.is_first().then(|| output.busy("execute"));
    let execution = execute_on_ranks(world, &program, &sizes, sources.zip(sinks.as_mut()), &settings)?;
    drop(busy);
    drop(sinks);
    let verdict = match (&mut job, execution) {
        (Some(job), Some(execution)) => {
            let execution = Execution { outputs: kept, ..execution };
            finish(job, arguments, (&execution, &tallies), &Asked { backend: "mpi", settings, predicted }, output)
        }
        _ => Ok(Verdict::Good),
    };
    let code = world.settle(verdict)?.code();
    let code = world.share_number(code);
    Ok(VERDICTS.into_iter().find(|verdict| verdict.code() == code).unwrap_or(Verdict::Refuted))
}

/// Refuses ranks that were started with other flags than the first, or another command: what each knows of the run would not be the
/// same. It is the first thing that ranks say to each other.
pub fn check_alike(world: &World) -> Checked<()> {
    let words = std::env::args_os().skip(1);
    let mine = words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ");
    let first = world.share_text(&mine);
    if mine != first {
        return Diagnostic::usage("the ranks were started with different flags")
            .note(format!("rank 0: {first}"))
            .note(format!("rank {}: {mine}", world.rank()))
            .help("start all ranks alike: mpirun -n P systole .. --backend mpi")
            .alone();
    }
    Ok(())
}

fn check_threads(arguments: &ExecArguments) -> Checked<()> {
    if arguments.threads.is_some() {
        return Diagnostic::usage("`--threads` is for `--backend threads`")
            .help("say how many ranks there are with `mpirun -n`")
            .alone();
    }
    Ok(())
}

/// What every rank knows of the run; each may hold its part of what its machine has free, which `neighbours` share.
fn part(
    world: &World,
    arguments: &ExecArguments,
    text: &str,
    neighbours: u64,
) -> Checked<(Program, Bindings, Settings)> {
    let program = array::parse(&arguments.given.program.display().to_string(), text)?;
    let sizes = inputs::sizes(&arguments.given.size, &program.parameters, None)?;
    let free = available_memory().map(|free| free / neighbours);
    Ok((program, sizes, settings(arguments, world.size(), free)?))
}
