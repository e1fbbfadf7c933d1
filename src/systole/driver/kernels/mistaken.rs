//! Kernels where a program is asked for, and programs where a kernel is.
//!
//! In: a text. Out: nothing, or what it is, with what to type instead.

use crate::driver::flags::typed::Typed;
use crate::driver::kernels::designed;
use std::path::Path;
use std::sync::Arc;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::span::Source;
use systole_equations::recurrence;
use systole_program::array;

/// Refuses a kernel where a program is asked for.
///
/// # Errors
/// It is a kernel: then how to run it, and how to come to its program.
pub fn refuse_kernel(source: &Arc<Source>) -> Checked<()> {
    if !begins_with(source, '#', "kernel") {
        return Ok(());
    }
    let parameters = recurrence::load(source).map(|system| system.parameters).unwrap_or_default();
    let run = Typed::command("run").file(&source.name).sizes(&parameters, 8).line();
    let stem = Path::new(&source.name).file_stem().map_or("program".into(), |stem| stem.to_string_lossy());
    let emit = Typed::command("emit").file(&source.name).word("-o").file(format!("{stem}.pe")).line();
    let searches = if designed::is_file(&source.name) { "" } else { "searches, " };
    Diagnostic::new(format!("`{}` is a kernel, and a program is asked for", source.name))
        .help(format!("`{run}` {searches}proves and simulates it; `{emit}` writes its program"))
        .alone()
}

/// Refuses a program where a kernel is asked for.
///
/// # Errors
/// It is a program: then how to run it.
pub fn refuse_program(source: &Arc<Source>) -> Checked<()> {
    if !begins_with(source, ';', "(program") {
        return Ok(());
    }
    let parameters = array::parse(&source.name, &source.text).map(|program| program.parameters).unwrap_or_default();
    let run = |command| Typed::command(command).file(&source.name).sizes(&parameters, 8).line();
    Diagnostic::new(format!("`{}` is a program, and a kernel is asked for", source.name))
        .help(format!("`{}` runs it cycle by cycle, `{}` for real", run("sim"), run("exec")))
        .alone()
}

/// Whether a text begins with this word, once blanks and comments are passed over.
fn begins_with(source: &Source, comment: char, word: &str) -> bool {
    let mut lines = source.text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(comment));
    let rest = lines.next().and_then(|line| line.strip_prefix(word));
    rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
}
