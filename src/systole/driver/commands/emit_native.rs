//! `systole emit --target c`: a program as a folder of C.
//!
//! In: a program, of a design that was just proved or from a file. Out: the folder. Files that this command wrote are written over,
//! all others stay.

use crate::driver::flags::arguments::{EmitArguments, Target};
use crate::driver::flags::way;
use crate::driver::runs::job;
use crate::driver::shown::output::Output;
use crate::driver::{Done, Verdict, files};
use serde_json::json;
use std::path::Path;
use systole_base::diagnostic::{Checked, Diagnostic, MessageCode, counted};
use systole_base::whole;
use systole_program::array::Program;
use systole_run::native::{NativeBackend, NativeFile, NativeLeaves, translate};

/// Whether what stands in the place of a kernel is a program.
pub fn is_program(kernel: &str) -> bool {
    Path::new(kernel).extension().is_some_and(|extension| extension == "pe")
}

/// Refuses a flag that is for C alone.
///
/// # Errors
/// What to type instead.
pub fn refuse_leaves(arguments: &EmitArguments) -> Checked<()> {
    match (arguments.target, &arguments.leaves) {
        (Target::Program, Some(leaves)) => {
            Diagnostic::usage("`--leaves` says what works on tiles in C, and a program is asked for")
                .help(format!("add `--target c`, or say `--leaves {leaves}` to `systole exec`"))
                .alone()
        }
        (Target::Program, None) if arguments.backend.is_some() => {
            Diagnostic::usage("`--backend` says who the workers of C are, and a program is asked for")
                .help("add `--target c`, or say it to `systole exec`")
                .alone()
        }
        _ => Ok(()),
    }
}

/// Refuses a command without a folder, or with one that cannot be made, before there is anything to write.
///
/// # Errors
/// What to type instead.
pub fn check(arguments: &EmitArguments) -> Checked<()> {
    let Some(folder) = arguments.output.as_deref() else {
        return Diagnostic::usage("C is written into a folder, and none is named").help("add `-o FOLDER`").alone();
    };
    leaves(arguments)?;
    backend(arguments)?;
    let above = whole::folder(folder);
    let fault = match (folder.exists(), folder.is_dir(), above.is_dir()) {
        (true, false, _) => "it is a file".to_owned(),
        (false, _, false) => format!("there is no folder `{}`", above.display()),
        _ => return Ok(()),
    };
    unwritable(folder, &fault)
}

fn backend(arguments: &EmitArguments) -> Checked<NativeBackend> {
    arguments.backend.as_deref().map_or(Ok(NativeBackend::default()), way::native_backend)
}

fn leaves(arguments: &EmitArguments) -> Checked<NativeLeaves> {
    arguments.leaves.as_deref().map_or(Ok(NativeLeaves::default()), way::native_leaves)
}

/// The folder of a program from a file.
pub fn of_program(arguments: &EmitArguments, output: &Output) -> Done {
    let source = files::read_as(Path::new(&arguments.sought.kernel.kernel), "pe")?;
    let program = job::program(&source, output)?;
    write((&program, &source.text), arguments, output)
}

/// Writes the folder of a program, which is given with its text: one that was changed by hand stays so.
pub fn write((program, text): (&Program, &str), arguments: &EmitArguments, output: &Output) -> Done {
    let Some(folder) = arguments.output.as_deref() else { return Ok(Verdict::Misused) };
    let written = translate(program, leaves(arguments)?, backend(arguments)?)?;
    check_own(folder, &written)?;
    if let Err(error) = std::fs::create_dir_all(folder) {
        unwritable(folder, &error.to_string())?;
    }
    for file in &written {
        let text = if is_program(&file.name) { text } else { &file.text };
        files::write(&folder.join(&file.name), text)?;
    }
    let lines: usize = written.iter().take(1).map(|file| file.text.lines().count()).sum();
    let first = written.first().map_or("", |file| file.name.as_str());
    output.line(&format!(
        "{}: {}, {first} of {}",
        folder.display(),
        counted(written.len(), "file"),
        counted(lines, "line")
    ));
    output.line(&format!("next:  make -C {}", folder.display()));
    output.object(&json!({
        "folder": folder.display().to_string(),
        "files": written.iter().map(|file| &file.name).collect::<Vec<_>>(),
        "lines": lines,
    }));
    Ok(Verdict::Good)
}

/// Refuses to write over what this command did not write, such as somebody's own `Makefile`. A file of its own begins with the line that
/// the new one begins with.
fn check_own(folder: &Path, written: &[NativeFile]) -> Checked<()> {
    let is_others = |file: &&NativeFile| {
        let path = folder.join(&file.name);
        let Ok(there) = std::fs::symlink_metadata(&path) else { return false };
        let text = std::fs::read_to_string(path).unwrap_or_default();
        !there.is_file() || text.lines().next() != file.text.lines().next()
    };
    match written.iter().find(is_others).map(|file| folder.join(&file.name)) {
        Some(path) => Diagnostic::new(format!("`{}` is there, and this command did not write it", path.display()))
            .help("name another folder: nothing is written over that is not of this command")
            .about(MessageCode::File)
            .alone(),
        None => Ok(()),
    }
}

fn unwritable(folder: &Path, why: &str) -> Checked<()> {
    Diagnostic::new(format!("cannot write the folder `{}`: {why}", folder.display()))
        .help("name a folder in one that is there")
        .about(MessageCode::File)
        .alone()
}
