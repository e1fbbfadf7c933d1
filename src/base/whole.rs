//! Files that are there whole, or not at all.
//!
//! In: a path. Out: a file without a name, which takes the place of the path once it is written; whoever ends the process before that
//! leaves nothing. Where the file system has no such files, one beside the path that nobody looks for. A link is followed, so it stays
//! one. What is no regular file (a device, a pipe) has no place to take, and is left as it is.

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use std::fs::{File, Permissions};
use std::io::{Error, ErrorKind};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

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
    begun: Begun,
}

/// What is there of a file.
#[derive(Debug)]
enum Begun {
    Nameless(File),
    Named(NamedTempFile),
}

/// A new file may be read by whoever the user's mask lets read it, not by its owner alone.
const PERMISSIONS: u32 = 0o666;

/// Where the system shows a process its files; a file without a name is given one through it.
const OPEN_FILES: &str = "/proc/self/fd";

/// How the names begin that nobody looks for.
const PREFIX: &str = ".systole-";

impl Draft {
    /// Begins a file that is to stand at a path.
    ///
    /// # Errors
    /// A folder that is not there or takes no files; a path of something else than a regular file.
    pub fn begin(path: &Path) -> Result<Draft, Error> {
        let Place::File(target) = place(path)? else { return Err(Error::other("it is no regular file")) };
        let folder = folder(&target);
        let begun = nameless(folder).map_or_else(|| named(folder).map(Begun::Named), |file| Ok(Begun::Nameless(file)));
        let begun = begun.map_err(|error| match error.kind() {
            ErrorKind::NotFound => Error::other(format!("there is no folder `{}`", folder.display())),
            kind => Error::new(kind, format!("folder `{}`: {}", folder.display(), kind)),
        })?;
        Ok(Draft { target, begun })
    }

    /// What is there of it.
    pub fn file(&self) -> &File {
        match &self.begun {
            Begun::Nameless(file) => file,
            Begun::Named(file) => file.as_file(),
        }
    }

    /// Puts it where it belongs.
    ///
    /// # Errors
    /// Those of the system.
    pub fn publish(self) -> Result<(), Error> {
        match self.begun {
            Begun::Named(file) => file.persist(&self.target).map(|_| ()).map_err(|refused| refused.error),
            Begun::Nameless(file) => {
                let open = format!("{OPEN_FILES}/{}", file.as_raw_fd());
                let link = |path: &Path| Ok(rustix::fs::linkat(CWD, &*open, CWD, path, AtFlags::SYMLINK_FOLLOW)?);
                let linked = Builder::new().prefix(PREFIX).make_in(folder(&self.target), link)?;
                linked.persist(&self.target).map_err(|refused| refused.error)
            }
        }
    }
}

/// A file without a name on the file system of a folder; `None` where there are none, or none can be made.
fn nameless(folder: &Path) -> Option<File> {
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = rustix::fs::open(folder, flags, Mode::from_raw_mode(PERMISSIONS)).ok()?;
    Path::new(OPEN_FILES).exists().then(|| File::from(file))
}

/// A file in a folder, whose name nobody looks for.
fn named(folder: &Path) -> Result<NamedTempFile, Error> {
    Builder::new().prefix(PREFIX).permissions(Permissions::from_mode(PERMISSIONS)).tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// Both ways write over what is there, leave nothing but it, and nothing at all where they are given up.
    #[test]
    fn a_file_takes_its_place_once_it_is_written() {
        for is_nameless in [true, false] {
            let folder = tempfile::tempdir().expect("a folder");
            let (target, within) =
                (folder.path().join("f"), || std::fs::read_dir(folder.path()).expect("read").count());
            let begin = || {
                let made = if is_nameless { nameless(folder.path()).map(Begun::Nameless) } else { None };
                let begun = made.unwrap_or_else(|| Begun::Named(named(folder.path()).expect("a file")));
                Draft { target: target.clone(), begun }
            };
            for text in ["first", "second"] {
                let draft = begin();
                draft.file().write_all(text.as_bytes()).expect("written");
                draft.publish().expect("published");
                assert_eq!((std::fs::read_to_string(&target).expect("text").as_str(), within()), (text, 1));
            }
            drop(begin());
            assert_eq!((std::fs::read_to_string(&target).expect("text").as_str(), within()), ("second", 1));
        }
    }

    /// So whoever ends the process in the middle leaves nothing.
    #[test]
    fn what_has_no_name_is_not_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        let Some(file) = nameless(folder.path()) else { return };
        (&file).write_all(b"part").expect("written");
        assert_eq!(std::fs::read_dir(folder.path()).expect("read").count(), 0);
    }
}
