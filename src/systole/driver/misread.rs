//! Command lines that say nothing: the parser of flags has words of its own for them.

use crate::driver::shown::output::{Bars, Output};
use clap::error::Error;
use systole_base::diagnostic::Diagnostic;

/// The object with the message, under `--json`. Who asks for help or the version has made no mistake.
pub fn printed(why: &Error, json: bool) -> String {
    let output = Output::kept(json, Bars::default());
    if why.use_stderr() {
        output.diagnostics(&[diagnostic(why)]);
    }
    output.end();
    output.printed()
}

/// The message: its first line, what it knows beside that, and how the command is used.
fn diagnostic(why: &Error) -> Diagnostic {
    let text = why.to_string();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let said = Diagnostic::usage(first.trim_start_matches("error: "));
    lines.fold(said, Diagnostic::note)
}
