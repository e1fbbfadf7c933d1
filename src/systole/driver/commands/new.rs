//! `systole new`: a kernel to begin with, with comments that say what its lines mean; or one that ships.

use crate::driver::flags::arguments::NewArguments;
use crate::driver::flags::typed::Typed;
use crate::driver::shown::output::Output;
use crate::driver::{Done, Verdict, files, shipped};
use serde_json::json;
use std::path::Path;
use systole_base::diagnostic::{Checked, Diagnostic, MessageCode};
use systole_base::span::Source;
use systole_equations::syntax;

/// The kernel that is written where none is named.
const BEGINNING: &str = include_str!("new.rec");
/// How it is called there.
const NAME: &str = "NAME";

/// Runs the command.
pub fn run(arguments: &NewArguments, output: &Output) -> Done {
    let path = &arguments.file;
    let text = match &arguments.from {
        Some(from) => shipped_kernel(from)?.to_owned(),
        None => BEGINNING.replace(NAME, kernel_name(path)?),
    };
    refuse_to_overwrite(path)?;
    // A word of the language may be no name.
    let next = next(path, &text).or_else(|_| no_name(path))?;
    files::write(path, &text)?;
    output.line(&format!("{}: a kernel to begin with", path.display()));
    next.iter().enumerate().for_each(|(at, command)| {
        output.line(&format!("{} {command}", if at == 0 { "next:" } else { "     " }));
    });
    output.object(&json!({ "file": path, "next": next }));
    Ok(Verdict::Good)
}

/// The name of a kernel is that of its file.
fn kernel_name(path: &Path) -> Checked<&str> {
    let is_name = |stem: &&str| {
        stem.starts_with(|first: char| first.is_ascii_alphabetic())
            && stem.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    let is_kernel = path.extension().is_some_and(|extension| extension == "rec");
    path.file_stem()
        .and_then(|stem| stem.to_str())
        .filter(|_| is_kernel)
        .filter(is_name)
        .map_or_else(|| no_name(path), Ok)
}

fn no_name<T>(path: &Path) -> Checked<T> {
    Diagnostic::usage(format!("`{}` is no name for the file of a kernel", path.display()))
        .note("a kernel has the name of its file: letters, digits and `_`, a letter first, and then `.rec`; no word of the language")
        .help("write systole new product.rec")
        .alone()
}

fn shipped_kernel(from: &Path) -> Checked<&'static str> {
    let is_kernel = from.extension().is_some_and(|extension| extension == "rec");
    shipped::text(from).filter(|_| is_kernel).ok_or_else(|| {
        let meant = shipped::meant(from, "rec").map(|path| format!("did you mean `{path}`?"));
        let help = meant.unwrap_or_else(|| "`systole examples` lists what ships".to_owned());
        vec![Diagnostic::usage(format!("no kernel ships as `{}`", from.display())).help(help)]
    })
}

fn refuse_to_overwrite(path: &Path) -> Checked<()> {
    // A link that leads nowhere is there, too.
    match path.symlink_metadata() {
        Err(_) => Ok(()),
        Ok(_) => Diagnostic::new(format!("`{}` is there already, and is left as it is", path.display()))
            .help("give the new kernel another name")
            .about(MessageCode::File)
            .alone(),
    }
}

/// What to type next.
fn next(path: &Path, text: &str) -> Checked<Vec<String>> {
    let file = syntax::parse(&Source::new(path.display().to_string(), text))?;
    let (path, sizes) = (path.display(), file.kernel.node.parameters.iter().map(|size| &size.node));
    let typed = |command: &str| Typed::command(command).file(&path);
    let prove = file.schedules.first().map(|schedule| typed("prove").flag("--schedule", Some(&schedule.name.node)));
    let first = [typed("run").sizes(sizes, 4), typed("check").word("--watch")];
    Ok(first.iter().chain(&prove).map(Typed::line).collect())
}
