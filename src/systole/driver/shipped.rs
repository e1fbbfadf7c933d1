//! What ships with the command: kernels and machine files, as they were when it was built.
//!
//! In: a path such as `kernels/matmul.rec`. Out: its text. So an example runs in any folder: where there is no such file, the text that
//! ships under that name is read.

use include_dir::{Dir, include_dir};
use std::path::{Path, PathBuf};
use systole_base::diagnostic::nearest;

static KERNELS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/kernels");
static MACHINES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/machines");

/// The folders that ship, each with what it holds.
const FOLDERS: [(&str, &Dir<'_>); 2] = [("kernels", &KERNELS), ("machines", &MACHINES)];

/// The text that ships under a path.
pub fn text(path: &Path) -> Option<&'static str> {
    let mut folders = FOLDERS.iter();
    folders.find_map(|(folder, held)| held.get_file(path.strip_prefix(folder).ok()?)?.contents_utf8())
}

/// The paths of all files that ship with this extension, the files of a folder before those of the folders in it.
pub fn paths(extension: &str) -> Vec<PathBuf> {
    let mut found = vec![];
    FOLDERS.iter().for_each(|(folder, held)| collect(held, Path::new(folder), &mut found));
    found.retain(|path| path.extension().is_some_and(|ending| ending == extension));
    found
}

fn collect(held: &Dir<'_>, below: &Path, found: &mut Vec<PathBuf>) {
    let mut files: Vec<PathBuf> = held.files().map(|file| below.join(file.path())).collect();
    files.sort();
    found.extend(files);
    let mut folders: Vec<&Dir<'_>> = held.dirs().collect();
    folders.sort_by_key(|folder| folder.path());
    folders.into_iter().for_each(|folder| collect(folder, below, found));
}

/// The path of what ships that may be meant by one that is none.
pub fn meant(path: &Path, extension: &str) -> Option<String> {
    let all: Vec<String> = paths(extension).iter().map(|path| path.display().to_string()).collect();
    nearest(&path.display().to_string(), all.iter().map(String::as_str)).map(str::to_owned)
}
