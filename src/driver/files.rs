//! Reading sources and machine files, writing files whole or not at all.

use crate::cost::Machine;
use crate::diagnostic::{Checked, Diagnostic};
use crate::span::Source;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

/// The text of a file.
pub fn read(path: &Path) -> Checked<Arc<Source>> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        let message = format!("cannot read `{}`: {}", path.display(), plain(&error));
        vec![Diagnostic::new(message).help(nearby(path))]
    })?;
    Ok(Source::new(path.display().to_string(), text))
}

fn plain(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::InvalidData => "it is not text".to_owned(),
        _ => error.to_string(),
    }
}

/// What else lies in the folder.
fn nearby(path: &Path) -> String {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| Path::new(name).extension() == path.extension())
        .collect();
    names.sort();
    match names.is_empty() {
        true => format!("`{}` holds no such files", folder.display()),
        false => format!("`{}` holds {}", folder.display(), names.join(", ")),
    }
}

/// The machine of a file, or the ideal one.
pub fn machine(path: Option<&Path>) -> Checked<Machine> {
    path.map_or_else(|| Ok(Machine::default()), |path| Machine::parse(&read(path)?))
}

/// Writes a file whole or not at all.
pub fn write(path: &Path, text: &str) -> Checked<()> {
    write_by(path, |file| file.write_all(text.as_bytes()))
}

/// Writes a file, whole or not at all, by what `fill` writes.
pub fn write_by(path: &Path, fill: impl FnOnce(&mut BufWriter<&File>) -> std::io::Result<()>) -> Checked<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let attempt = || -> std::io::Result<()> {
        // A new file may be read by whoever the user's mask lets read it, not by its owner alone.
        let permissions = std::fs::Permissions::from_mode(0o666);
        let file = tempfile::Builder::new().prefix(".systole-").permissions(permissions).tempfile_in(folder)?;
        let mut writer = BufWriter::new(file.as_file());
        fill(&mut writer)?;
        writer.flush()?;
        drop(writer);
        file.persist(path)?;
        Ok(())
    };
    attempt().map_err(|error| vec![Diagnostic::new(format!("cannot write `{}`: {}", path.display(), plain(&error)))])
}
