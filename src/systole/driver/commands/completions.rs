//! `systole completions`: what a shell needs to complete commands and flags.

use crate::driver::flags::arguments::{Arguments, CompletionsArguments};
use crate::driver::shown::output::Output;
use crate::driver::{Done, Verdict};
use clap::CommandFactory;
use serde_json::json;

/// Runs the command.
pub fn run(arguments: &CompletionsArguments, output: &Output) -> Done {
    let mut script = vec![];
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "systole", &mut script);
    let script = String::from_utf8_lossy(&script);
    output.line(script.trim_end());
    output.object(&json!({ "shell": arguments.shell.to_string(), "script": script }));
    Ok(Verdict::Good)
}
