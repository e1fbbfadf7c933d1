//! `systole exec --backend mpi`: all ranks start this command with the same flags.
//!
//! Rank 0 reads, writes and speaks; the text of the program goes from it to the others, and at the end its verdict, so that
//! all ranks end with one code.

use super::arguments::ExecArguments;
use super::exec::{finish, settings};
use super::job::Job;
use super::output::Output;
use super::{Done, Verdict, files, inputs};
use crate::array::{self, Program};
use crate::diagnostic::Checked;
use crate::exec::{Settings, Stopped, World, execute_on_ranks};
use crate::integer::Bindings;

/// The verdicts, by their codes on the way between ranks.
const VERDICTS: [Verdict; 3] = [Verdict::Good, Verdict::Refuted, Verdict::Unknown];

/// Runs the command on this rank.
pub fn run(arguments: &ExecArguments, output: &Output) -> Done {
    let world = World::start()?;
    let done = world.check(arguments.ranks).and_then(|()| on_ranks(&world, arguments, output));
    let verdict = done.unwrap_or_else(|stopped| {
        stopped.message.iter().for_each(|message| output.error(message));
        Verdict::Refuted
    });
    world.wait_for_all();
    Ok(verdict)
}

fn on_ranks(world: &World, arguments: &ExecArguments, output: &Output) -> Result<Verdict, Stopped> {
    let source =
        world.settle(if world.is_first() { files::read(&arguments.given.program).map(Some) } else { Ok(None) })?;
    let text = world.share_text(source.as_ref().map_or("", |source| &source.text));
    let job = source.map(|source| Job::new(&arguments.given, &source, output)).transpose();
    let job = world.settle(job)?;
    let (program, sizes, settings) = world.settle(part(world, arguments, &text))?;
    let none = array::Tensors::new();
    let inputs = job.as_ref().map_or(&none, |job| &job.inputs);
    let execution = execute_on_ranks(world, &program, &sizes, inputs, &settings)?;
    let verdict = match (&job, &execution) {
        (Some(job), Some(execution)) => finish(job, arguments, execution, ("mpi", &settings), output),
        _ => Ok(Verdict::Good),
    };
    let code = world.settle(verdict)?.code();
    let code = world.share_number(code);
    Ok(VERDICTS.into_iter().find(|verdict| verdict.code() == code).unwrap_or(Verdict::Refuted))
}

/// What every rank knows of the run.
fn part(world: &World, arguments: &ExecArguments, text: &str) -> Checked<(Program, Bindings, Settings)> {
    let program = array::parse(&arguments.given.program.display().to_string(), text)?;
    let sizes = inputs::sizes(&arguments.given.size, &program.parameters, None)?;
    Ok((program, sizes, settings(arguments, world.size())?))
}
