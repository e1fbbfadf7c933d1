//! Objects that were compiled, in a folder of the user's.
//!
//! In: a digest, and who compiles. Out: the object, loaded from the folder if it is there as it was written, else compiled. An
//! entry ends with a digest of its own bytes and of its name, which loaders do not look at, so one that was cut off, or
//! belongs to another name, is found out before it is loaded, and written anew. Entries come into the folder whole. If the
//! folder cannot be written, the object is loaded from where it was compiled. Entries of the past stay: whoever wants room
//! removes the folder.

use sha2::{Digest, Sha256};
use shared_object::SharedObject;
use std::io::Write;
use std::path::{Path, PathBuf};
use systole_base::whole::Draft;
use tempfile::TempDir;

/// The folder, by the rules for such folders (XDG Base Directory Specification).
fn folder() -> Option<PathBuf> {
    let from = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = from("XDG_CACHE_HOME").or_else(|| Some(from("HOME")?.join(".cache")));
    base.map(|base| base.join("systole").join("leaves"))
}

/// The object of a digest, with these functions.
///
/// # Errors
/// What the compiler says; that no folder may hold what is loaded.
pub fn object(
    digest: &str,
    names: &[String],
    compile: &dyn Fn(&Path) -> Result<PathBuf, String>,
) -> Result<SharedObject, String> {
    let entry = folder().map(|folder| folder.join(format!("{digest}.so")));
    if let Some(object) = entry.as_deref().and_then(|entry| load(entry, digest, names)) {
        return Ok(object);
    }
    let work = work_folder(entry.as_deref())?;
    let compiled = compile(work.path())?;
    if let Some(entry) = &entry
        && keep(entry, digest, &compiled).is_ok()
        && let Some(object) = load(entry, digest, names)
    {
        return Ok(object);
    }
    SharedObject::open(&compiled, names)
}

/// What stands at an entry, if it is what was written there.
fn load(entry: &Path, digest: &str, names: &[String]) -> Option<SharedObject> {
    let bytes = std::fs::read(entry).ok()?;
    let (object, seal) = bytes.split_last_chunk::<32>()?;
    if *seal != sealed(digest, object) { None } else { SharedObject::open(entry, names).ok() }
}

/// Puts an object into the folder.
fn keep(entry: &Path, digest: &str, compiled: &Path) -> std::io::Result<()> {
    let object = std::fs::read(compiled)?;
    entry.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    let draft = Draft::begin(entry)?;
    draft.file().write_all(&object)?;
    draft.file().write_all(&sealed(digest, &object))?;
    draft.publish()
}

/// What an entry ends with.
fn sealed(digest: &str, object: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(digest).chain_update(object).finalize().into()
}

/// A folder to compile in: the system's, or where it has no room one beside the entry.
fn work_folder(entry: Option<&Path>) -> Result<TempDir, String> {
    let beside = || tempfile::tempdir_in(entry?.parent()?).ok();
    tempfile::tempdir()
        .or_else(|error| beside().ok_or(error))
        .map_err(|error| format!("no folder to compile in: {error}"))
}
