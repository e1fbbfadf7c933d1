//! Commands that a program calls, within its own process: nothing is written to the streams of the process.
//!
//! In: the words of a command line, without the name of the program before them. Out: what a process would have printed and said, and its
//! exit code. Meanwhile another thread may ask how far it has come, or end it.

use super::flags::arguments::Arguments;
use super::shown::output::{Bars, Output};
use super::{code, dispatch, misread};
use clap::Parser;
use systole_base::cancel::Token;
use systole_base::diagnostic::{Diagnostic, refusal_of};
use systole_base::refusal::Refusal;

/// A call of a command; its copies are one call.
#[derive(Clone, Default)]
pub struct Call {
    token: Token,
    bars: Bars,
}

/// How far a command has come with what takes long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What it does: `search`, for one.
    pub what: String,
    /// So much is done,
    pub done: u64,
    /// of so much, as far as that is known.
    pub of: Option<u64>,
}

/// What a command did that a program called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// The exit code that a process would have had.
    pub code: u8,
    /// What it wrote to standard output.
    pub printed: String,
    /// What it wrote to standard error.
    pub said: String,
    /// Why it stopped early, if it did: the first line of each message.
    pub problems: Vec<String>,
    /// Why there is no design, where that is what it stopped for.
    pub refusal: Option<Refusal>,
}

/// Runs one command, which nobody watches or ends.
pub fn run(words: &[&str]) -> Ran {
    Call::default().run(words)
}

impl Call {
    /// Asks it to end: a search tells the best so far, proofs that are not begun are unknown, a simulation stops.
    pub fn cancel(&self) {
        self.token.cancel();
    }

    /// How far it has come, while it does what takes long.
    pub fn progress(&self) -> Option<Progress> {
        let bar = self.bars.last()?;
        Some(Progress { what: bar.message(), done: bar.position(), of: bar.length() })
    }

    /// Runs a command to its end.
    pub fn run(&self, words: &[&str]) -> Ran {
        let named = std::iter::once("systole").chain(words.iter().copied());
        let mut arguments = match Arguments::try_parse_from(named) {
            Ok(arguments) => arguments,
            Err(why) => return misread(&why, words.contains(&"--json")),
        };
        arguments.command.mean_designs();
        arguments.command.end_by(&self.token);
        let output = Output::kept(arguments.json, self.bars.clone());
        let done = match arguments.command.without_end() {
            Some(command) => {
                let said =
                    format!("`{command}` goes on until it is ended, and a command within a process ends by itself");
                Err(vec![Diagnostic::usage(said).help("start it as a process of its own")].into())
            }
            None => dispatch(&arguments.command, &output),
        };
        let (verdict, diagnostics) = match done {
            Ok(verdict) => (verdict, vec![]),
            Err(failure) => {
                failure.say(&output);
                (failure.verdict, failure.diagnostics)
            }
        };
        output.end();
        let problems = diagnostics.iter().map(|problem| problem.message().to_owned()).collect();
        let refusal = refusal_of(&diagnostics).cloned();
        let code = code(verdict, &self.token);
        Ran { code, printed: output.printed(), said: output.said(), problems, refusal }
    }
}

/// What a command line that says nothing comes to.
fn misread(why: &clap::Error, json: bool) -> Ran {
    let text = why.to_string();
    match why.use_stderr() {
        true => {
            let printed = misread::printed(why, json);
            Ran { code: 2, printed, said: text.clone(), problems: vec![text], refusal: None }
        }
        false => Ran { code: 0, printed: text, said: String::new(), problems: vec![], refusal: None },
    }
}
