//! `systole emit`: search, prove, write the program.

use super::arguments::EmitArguments;
use super::output::Output;
use super::{Done, Verdict, border, closed_form, files, pipeline};
use crate::array;
use serde_json::json;

/// Runs the command.
pub fn run(arguments: &EmitArguments, output: &Output) -> Done {
    let mut loaded = pipeline::load(&arguments.kernel)?;
    if arguments.closed_form {
        return closed_form::run(&loaded, arguments, output);
    }
    let searched = pipeline::search(&loaded, &arguments.space, false, output)?;
    let winner = pipeline::prove_best(&mut loaded, &searched, &arguments.space, arguments.limit, output)?;
    let program = border::program(&winner.design(&loaded.space, &searched), &searched)?;
    array::validate(&program)?;
    let text = array::print(&program);
    let wide = program.classes.iter().filter(|class| !class.thin).count();
    match &arguments.output {
        Some(path) => {
            files::write(path, &text)?;
            output.line(&format!("{}: {wide} classes of PE, {} lines", path.display(), text.lines().count()));
        }
        None => output.line(text.trim_end()),
    }
    output.object(&json!({
        "classes": wide,
        "thin_classes": program.classes.len() - wide,
        "lines": text.lines().count(),
        "program": if arguments.output.is_none() { json!(text) } else { json!(null) },
        "proofs": winner.proofs.len(),
    }));
    Ok(Verdict::Good)
}
