//! Reading sources and machine files, writing files whole or not at all.

use crate::driver::shipped;
use crate::scalesim::Configuration;
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::string::FromUtf8Error;
use std::sync::Arc;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, MessageCode, nearest, plain};
use systole_base::machine::{Cluster, Machine, stem};
use systole_base::span::Source;
use systole_base::whole;
use systole_base::whole::{Draft, Place};

/// The text of a file; where there is none, the text that ships under its name. Where there is none of that either, files with this
/// extension are named that may be meant.
pub fn read_as(path: &Path, extension: &str) -> Checked<Arc<Source>> {
    if let Some(text) = shipped::text(path).filter(|_| !path.exists()) {
        return Ok(Source::new(path.display().to_string(), text));
    }
    let bytes = std::fs::read(path).map_err(|error| {
        let message = format!("cannot read `{}`: {}", path.display(), plain(&error));
        let help = match error.kind() {
            ErrorKind::PermissionDenied => "let this user read it, as by `chmod u+r FILE`".to_owned(),
            _ => nearby(path, extension),
        };
        vec![Diagnostic::new(message).help(help).about(MessageCode::File)]
    })?;
    let text = String::from_utf8(bytes).map_err(|error| vec![not_text(path, &error)])?;
    Ok(Source::new(path.display().to_string(), text))
}

/// Where bytes stop to be text.
fn not_text(path: &Path, error: &FromUtf8Error) -> Diagnostic {
    let (bytes, good) = (error.as_bytes(), error.utf8_error().valid_up_to());
    let what = match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "it is UTF-16".to_owned(),
        _ => {
            let line = 1 + bytes[..good].iter().filter(|byte| **byte == b'\n').count();
            format!("line {line} holds the byte 0x{:02x}, which is not UTF-8", bytes[good])
        }
    };
    Diagnostic::new(format!("cannot read `{}`: {what}", path.display()))
        .help("save it as UTF-8")
        .about(MessageCode::File)
}

/// How many files are named, and how many folders deep they are looked for.
const NAMED: usize = 12;
const DEPTH: usize = 2;

/// What else there is with this extension: a file that may be meant, or else what the folder holds, or what lies below it.
fn nearby(path: &Path, extension: &str) -> String {
    let folder = if path.is_dir() { path } else { whole::folder(path) };
    if !folder.is_dir() {
        let ships = shipped::meant(path, extension).map(|meant| format!("; did you mean `{meant}`, which ships?"));
        return format!("there is no folder `{}`{}", folder.display(), ships.unwrap_or_default());
    }
    let there = files_below(folder, extension, DEPTH);
    let stem = |path: &PathBuf| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let (stems, wanted) = (there.iter().map(stem).collect::<Vec<_>>(), stem(&path.to_owned()));
    // A file that is there cannot be read for another reason than its name.
    let near = nearest(&wanted, stems.iter().map(String::as_str)).filter(|_| !path.exists());
    if let Some(meant) = near.and_then(|near| there.get(stems.iter().position(|stem| stem == near)?)) {
        return format!("did you mean `{}`?", meant.display());
    }
    let here: Vec<&PathBuf> = there.iter().filter(|file| whole::folder(file) == folder).collect();
    match (here.is_empty(), there.is_empty()) {
        (false, _) => {
            format!("`{}` holds {}", folder.display(), some(here.into_iter().filter_map(|file| file.file_name())))
        }
        (true, false) => format!(
            "`{}` holds no `.{extension}` files, but below it are {}",
            folder.display(),
            some(there.iter().map(|file| file.as_os_str()))
        ),
        (true, true) => format!("`{}` holds no `.{extension}` files", folder.display()),
    }
}

/// The first of some names.
fn some<'n>(names: impl Iterator<Item = &'n std::ffi::OsStr>) -> String {
    let names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    let more = names.len().saturating_sub(NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    names[..names.len() - more].join(", ") + &rest
}

/// The files of a folder with this extension, sorted, before those of the folders in it; none that are hidden, or that builds leave.
fn files_below(folder: &Path, extension: &str, depth: usize) -> Vec<PathBuf> {
    let at = if folder == Path::new(".") { Path::new("") } else { folder };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let is_shown = |name: &std::ffi::OsString| !name.to_string_lossy().starts_with('.') && name != "target";
    let mut paths: Vec<PathBuf> = entries.filter(is_shown).map(|name| at.join(name)).collect();
    paths.sort();
    let (folders, mut files): (Vec<PathBuf>, Vec<PathBuf>) = paths.into_iter().partition(|path| path.is_dir());
    files.retain(|path| path.extension().is_some_and(|found| found == extension));
    let below = folders.iter().filter(|_| depth > 0).flat_map(|folder| files_below(folder, extension, depth - 1));
    files.extend(below);
    files
}

/// The machine of a file, or the ideal one.
pub fn machine(path: Option<&Path>) -> Checked<Machine> {
    machine_from(Machine::default(), path)
}

/// The machine of a file that says what is other than here, if there is one.
pub fn machine_from(machine: Machine, path: Option<&Path>) -> Checked<Machine> {
    match path {
        Some(path) if Configuration::is_one(path) => {
            let source = read_as(path, "cfg")?;
            Ok(Configuration::parse(&source)?.machine(Machine { name: stem(&source.name), ..machine }))
        }
        Some(path) => machine.named_by(&read_as(path, "toml")?),
        None => Ok(machine),
    }
}

/// The times of the cluster that a machine file describes.
///
/// # Errors
/// A file that cannot be read, or says nothing of a cluster: then every run would take no time at all.
pub fn cluster(path: &Path) -> Checked<Cluster> {
    let cluster = machine(Some(path))?.cluster;
    if cluster != Cluster::default() {
        return Ok(cluster);
    }
    Diagnostic::new(format!("`{}` does not say how long messages, ops and leaves take", path.display()))
        .help("measure this machine with `systole calibrate -o FILE.toml`")
        .about(MessageCode::MachineFile)
        .alone()
}

/// Writes a file whole or not at all.
pub fn write(path: &Path, text: &str) -> Checked<()> {
    write_by(path, |file| file.write_all(text.as_bytes()))
}

/// Writes a file, whole or not at all, by what `fill` writes; a device or a pipe is written into.
pub fn write_by(path: &Path, fill: impl FnOnce(&mut BufWriter<&File>) -> std::io::Result<()>) -> Checked<()> {
    let into = |file: &File| -> std::io::Result<()> {
        let mut writer = BufWriter::new(file);
        fill(&mut writer)?;
        writer.flush()
    };
    let attempt = || match whole::place(path)? {
        Place::Stream => into(&File::options().write(true).open(path)?),
        Place::File(_) => {
            let draft = Draft::begin(path)?;
            into(draft.file())?;
            draft.publish()
        }
    };
    attempt().map_err(|error| unwritable(path, &error))
}

/// A file of a command, where it has one, and what names it.
pub type Named<'p> = (&'static str, Option<&'p Path>);

/// Refuses a command that would write two files to one path, or over one that it reads, and paths at which nothing can be written,
/// before there is anything to write.
pub fn check(written: &[Named<'_>], read: &[Named<'_>]) -> Checked<()> {
    let (written, read) = (there(written), there(read));
    written.iter().try_for_each(|(_, path)| check_writable(path))?;
    check_apart(&written, &read)
}

/// Those files that are named.
fn there<'p>(all: &[Named<'p>]) -> Vec<(&'static str, &'p Path)> {
    all.iter().filter_map(|(name, path)| Some((*name, (*path)?))).collect()
}

fn check_writable(path: &Path) -> Checked<()> {
    let attempt = || match whole::place(path)? {
        Place::Stream => Ok(()),
        Place::File(_) => Draft::begin(path).map(|_| ()),
    };
    attempt().map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Diagnostics {
    vec![
        Diagnostic::new(format!("cannot write `{}`: {}", path.display(), plain(error)))
            .help("name a file in a folder that is there and takes files")
            .about(MessageCode::File),
    ]
}

/// Refuses two files of one path, of which one at least is written.
fn check_apart(written: &[(&str, &Path)], read: &[(&str, &Path)]) -> Checked<()> {
    for (at, (flag, path)) in written.iter().enumerate() {
        let others = written[..at].iter().chain(read);
        if let Some((other, _)) = others.into_iter().find(|(_, other)| is_same(path, other)) {
            return Diagnostic::new(format!("{other} and {flag} are one file, `{}`", path.display()))
                .help("give each a file of its own")
                .about(MessageCode::File)
                .alone();
        }
    }
    Ok(())
}

/// Whether two paths are of one file; devices may be named twice.
fn is_same(one: &Path, other: &Path) -> bool {
    match (whole::place(one), whole::place(other)) {
        (Ok(Place::File(_)), Ok(Place::File(_))) => full(one) == full(other),
        _ => false,
    }
}

/// The path from the root, of a file that may not be there yet.
fn full(path: &Path) -> PathBuf {
    let folder = whole::folder(path);
    let beside = || Some(folder.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(beside).unwrap_or_else(|| path.to_owned())
}
