//! The command line: flags in, the ordered stages, tables or JSON out. No algorithm lives here.
//!
//! Exit codes: 0 all is well, 1 the input is wrong or a claim is refuted, 2 wrong usage, 3 the solver did not know, 130 stopped by
//! Ctrl-C.
//!
//! Settings are in `flags`, kernels of one space and of several in `kernels`, operands and results in `runs`, what is
//! printed in `shown`, and what each command does in `commands`.

mod flags;

mod shipped;

mod files;

mod shown;

mod kernels;

mod misread;

mod pipeline;

mod runs;

mod stop;

mod call;

mod commands;

pub use call::{Call, Progress, Ran, run};
use clap::Parser;
use commands::{
    calibrate, check, completions, derive, doctor, emit, equal, examples, exec, language_server, layers, manual, new,
    predict, rules, sim, tune,
};
use flags::arguments::{Arguments, Command};
use shown::output::Output;
use shown::refusal_json::failure_json;
use shown::signs;
use std::process::ExitCode;
use systole_base::cancel::Token;
use systole_base::diagnostic::{Diagnostic, Diagnostics, render};
use systole_compile::smt::find_solver;
use systole_run::exec::started_together;

/// How a command that did its work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything asked for holds.
    Good,
    /// A claim is refuted, values differ, or a program deadlocks.
    Refuted,
    /// The solver gave no answer within its limit.
    Unknown,
    /// The command line asks for what there is not.
    Misused,
}

impl Verdict {
    fn code(self) -> u8 {
        match self {
            Verdict::Good => 0,
            Verdict::Refuted => 1,
            Verdict::Misused => 2,
            Verdict::Unknown => 3,
        }
    }
}

/// Why a command stopped early: its messages, and whether they refute, only leave open, or are of the command line itself.
struct Failure {
    diagnostics: Diagnostics,
    verdict: Verdict,
}

impl From<Diagnostics> for Failure {
    fn from(diagnostics: Diagnostics) -> Failure {
        let is_usage = diagnostics.iter().any(Diagnostic::is_usage);
        Failure { diagnostics, verdict: if is_usage { Verdict::Misused } else { Verdict::Refuted } }
    }
}

impl Failure {
    /// Says all messages; where there is no design, the object of the command says why.
    fn say(&self, output: &Output) {
        failure_json(&self.diagnostics).iter().for_each(|object| output.object(object));
        output.diagnostics(&self.diagnostics);
    }
}

/// What a command returns: its verdict, or why it stopped early.
type Done = Result<Verdict, Failure>;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let mut arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(why) => {
            let printed = misread::printed(&why, std::env::args().any(|word| word == "--json"));
            if !printed.is_empty() {
                Output::new(true).print(printed.trim_end());
            }
            why.exit()
        }
    };
    arguments.command.mean_designs();
    let token = stop::of_process();
    arguments.command.end_by(&token);
    let output = Output::new(arguments.json);
    let ends_and_speaks = speaks_for_all() && arguments.command.without_end().is_none();
    if ends_and_speaks && output.is_json() {
        stop::with_object();
    }
    let work = || dispatch(&arguments.command, &output);
    let done = if ends_and_speaks { signs::beside(&output, work) } else { work() };
    let verdict = done.unwrap_or_else(|failure| {
        failure.say(&output);
        failure.verdict
    });
    output.end();
    let code = code(verdict, &token);
    let Some(why) = output.refused() else { return ExitCode::from(code) };
    let fault = Diagnostic::new(format!("cannot write standard output: {why}"));
    output.error(&render(&[fault.help("what is there of it is not all")], output.has_colour()));
    ExitCode::from(Verdict::Refuted.code())
}

/// Whether this process speaks for all that were started together, as ranks of MPI are.
fn speaks_for_all() -> bool {
    started_together().and_then(|(_, rank)| rank).is_none_or(|rank| rank == 0)
}

/// The exit code of a command that was not cut short, or was.
fn code(verdict: Verdict, token: &Token) -> u8 {
    if token.is_cancelled() { stop::CODE } else { verdict.code() }
}

fn dispatch(command: &Command, output: &Output) -> Done {
    if command.asks_solver() {
        find_solver()?;
    }
    match command {
        Command::Check(arguments) => check::run(arguments, output),
        Command::Search(arguments) => pipeline::run(arguments, output),
        Command::Prove(arguments) => pipeline::run(arguments, output),
        Command::Derive(arguments) => derive::run(arguments, output),
        Command::Equal(arguments) => equal::run(arguments, output),
        Command::Explain(arguments) => pipeline::run(arguments, output),
        Command::Emit(arguments) => emit::run(arguments, output),
        Command::Run(arguments) => pipeline::run(arguments, output),
        Command::Sim(arguments) => sim::run(arguments, output),
        Command::Exec(arguments) => exec::run(arguments, output),
        Command::Predict(arguments) => predict::run(arguments, output),
        Command::Tune(arguments) => tune::run(arguments, output),
        Command::Explore(arguments) => pipeline::run(arguments, output),
        Command::Layers(arguments) => layers::run(arguments, output),
        Command::Calibrate(arguments) => calibrate::run(arguments, output),
        Command::Rules(arguments) => rules::run(arguments, output),
        Command::New(arguments) => new::run(arguments, output),
        Command::Examples(arguments) => examples::run(arguments, output),
        Command::LanguageServer => language_server::run(),
        Command::Completions(arguments) => completions::run(arguments, output),
        Command::Manual(arguments) => manual::run(arguments, output),
        Command::Doctor => doctor::run(output),
    }
}
