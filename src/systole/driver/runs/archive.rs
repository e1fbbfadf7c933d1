//! Arrays of a `.npz` file, in which NumPy keeps several with their names.
//!
//! In: a path, and the name of an array. Out: the array, unpacked into a file without a name that is gone when it is closed; so arrays larger
//! than memory are read in parts, as those of `.npy` files.

use std::fs::File;
use std::io::Seek;
use std::path::Path;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, MessageCode, nearest, plain};
use systole_run::shared::npy::NpySource;
use zip::ZipArchive;

/// What the file of an array is called within an archive, behind the name of the array.
const ENDING: &str = ".npy";

/// Whether a path is that of an archive.
pub fn is_archive(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npz"))
}

/// The names of all arrays of an archive, in the order of the file.
pub fn names(path: &Path) -> Checked<Vec<String>> {
    let archive = open(path)?;
    // What is called by no text is no array of ours.
    let files = archive.file_names().filter_map(Result::ok);
    Ok(files.filter_map(|file| file.strip_suffix(ENDING).map(str::to_owned)).collect())
}

/// The array of this name.
pub fn array(path: &Path, name: &str) -> Checked<NpySource> {
    let mut archive = open(path)?;
    let Some(number) = archive.index_for_name(&format!("{name}{ENDING}")) else { return Err(missing(path, name)) };
    let mut attempt = || -> std::io::Result<File> {
        let mut unpacked = tempfile::tempfile()?;
        std::io::copy(&mut archive.by_index(number)?, &mut unpacked)?;
        unpacked.rewind()?;
        Ok(unpacked)
    };
    let unpacked = attempt().map_err(|error| {
        vec![Diagnostic::new(format!("cannot read `{name}` of `{}`: {error}", path.display())).about(MessageCode::File)]
    })?;
    NpySource::read(&path.join(format!("{name}{ENDING}")), unpacked)
}

fn open(path: &Path) -> Checked<ZipArchive<File>> {
    let file = File::open(path).map_err(|error| {
        let fault = Diagnostic::new(format!("cannot read `{}`: {}", path.display(), plain(&error)));
        vec![fault.help("write it with `numpy.savez(name, A=a, B=b)`").about(MessageCode::File)]
    })?;
    ZipArchive::new(file).map_err(|error| {
        let fault = Diagnostic::new(format!("`{}` cannot be used as an archive of arrays: {error}", path.display()));
        vec![fault.help("write it with `numpy.savez(name, A=a, B=b)`").about(MessageCode::Array)]
    })
}

fn missing(path: &Path, name: &str) -> Diagnostics {
    let there = names(path).unwrap_or_default();
    let meant = nearest(name, there.iter().map(String::as_str)).map(|meant| format!("did you mean `{meant}`?"));
    let help = meant.unwrap_or_else(|| format!("it has {}", there.join(", ")));
    let fault = Diagnostic::new(format!("`{}` has no array `{name}`", path.display()));
    vec![fault.help(help).about(MessageCode::Array)]
}
