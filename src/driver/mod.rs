//! The command line: flags in, the ordered stages, tables or JSON out. No algorithm lives here.
//!
//! Exit codes: 0 all is well, 1 the input is wrong or a claim is refuted, 2 wrong usage, 3 the solver did not know.

mod arguments;

mod check;

mod doctor;

mod emit;

mod explain;

mod files;

mod inputs;

mod output;

mod pipeline;

mod prove;

mod run;

mod search;

mod show;

mod sim;

use crate::diagnostic::{Diagnostics, render};
use arguments::{Arguments, Command};
use clap::Parser;
use output::Output;
use std::process::ExitCode;

/// How a command that did its work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything asked for holds.
    Good,
    /// A claim is refuted, values differ, or a program deadlocks.
    Refuted,
    /// The solver gave no answer within its limit.
    Unknown,
}

impl Verdict {
    fn code(self) -> u8 {
        match self {
            Verdict::Good => 0,
            Verdict::Refuted => 1,
            Verdict::Unknown => 3,
        }
    }
}

/// What a command returns: its verdict, or what is wrong with its input.
type Done = Result<Verdict, Diagnostics>;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let output = Output::new(arguments.json);
    let done = dispatch(&arguments.command, &output);
    match done {
        Ok(verdict) => ExitCode::from(verdict.code()),
        Err(diagnostics) => {
            output.error(&render(&diagnostics, output.has_colour()));
            ExitCode::from(1)
        }
    }
}

fn dispatch(command: &Command, output: &Output) -> Done {
    match command {
        Command::Check(arguments) => check::run(arguments, output),
        Command::Search(arguments) => search::run(arguments, output),
        Command::Prove(arguments) => prove::run(arguments, output),
        Command::Explain(arguments) => explain::run(arguments, output),
        Command::Emit(arguments) => emit::run(arguments, output),
        Command::Sim(arguments) => sim::run(arguments, output),
        Command::Run(arguments) => run::run(arguments, output),
        Command::Doctor => doctor::run(output),
    }
}
