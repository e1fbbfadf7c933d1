//! Files that are there whole, or not at all.
//!
//! In: a path. Out: a file beside it that nobody looks for, which takes its place once it is written. A link is followed, so it stays
//! one. What is no regular file (a device, a pipe) has no place to take, and is left as it is.

use std::fs::Permissions;
use std::io::{Error, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// What stands at a path.
pub enum Place {
    /// A regular file, or nothing yet: here is where it is.
    File(PathBuf),
    /// Something that can only be written into.
    Stream,
}

/// What stands at a path, links followed.
///
/// # Errors
/// A folder; what cannot be looked at.
pub fn place(path: &Path) -> Result<Place, Error> {
    match path.metadata() {
        Ok(found) if found.is_dir() => Err(Error::other("it is a folder")),
        // What standard output goes to may be a file without a path.
        Ok(found) if found.is_file() => Ok(path.canonicalize().map_or(Place::Stream, Place::File)),
        Ok(_) => Ok(Place::Stream),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Place::File(path.to_owned())),
        Err(error) => Err(error),
    }
}

/// The folder that a path is in.
pub fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file that is being written.
#[derive(Debug)]
pub struct Draft {
    target: PathBuf,
    /// What is there of it.
    pub file: NamedTempFile,
}

impl Draft {
    /// Begins a file that is to stand at a path.
    ///
    /// # Errors
    /// A folder that is not there or takes no files; a path of something else than a regular file.
    pub fn begin(path: &Path) -> Result<Draft, Error> {
        let Place::File(target) = place(path)? else { return Err(Error::other("it is no regular file")) };
        let folder = folder(&target);
        // A new file may be read by whoever the user's mask lets read it, not by its owner alone.
        let permissions = Permissions::from_mode(0o666);
        let begun = tempfile::Builder::new().prefix(".systole-").permissions(permissions).tempfile_in(folder);
        let file = begun.map_err(|error| match error.kind() {
            ErrorKind::NotFound => Error::other(format!("there is no folder `{}`", folder.display())),
            kind => Error::new(kind, format!("folder `{}`: {}", folder.display(), kind)),
        })?;
        Ok(Draft { target, file })
    }

    /// Puts it where it belongs.
    ///
    /// # Errors
    /// Those of the system.
    pub fn publish(self) -> Result<(), Error> {
        self.file.persist(&self.target).map(|_| ()).map_err(|refused| refused.error)
    }
}
