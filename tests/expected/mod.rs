//! Messages held against files: each case of a folder has an `.expect` beside it; `BLESS=1` rewrites those (`make bless`).

use std::fs;
use std::path::{Path, PathBuf};

/// The files of a folder of the repository with this ending, in the order of their names.
pub fn cases(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("SYSTOLE_ROOT")).join(folder);
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    paths
}

/// Holds the message of each case against its file; `message` may find that a case itself is wrong.
pub fn hold(paths: &[PathBuf], message: impl Fn(&Path) -> Result<String, String>) {
    let compare = |path: &PathBuf| {
        let (found, expect) = (message(path)?, path.with_extension("expect"));
        if std::env::var_os("BLESS").is_some() {
            return fs::write(&expect, found).map_err(|error| error.to_string());
        }
        let wanted = fs::read_to_string(&expect).unwrap_or_default();
        if found == wanted { Ok(()) } else { Err(format!("{}\nfound:\n{found}\nwanted:\n{wanted}", path.display())) }
    };
    let failures: Vec<String> = paths.iter().filter_map(|path| compare(path).err()).collect();
    assert!(failures.is_empty(), "{}\n(BLESS=1 accepts)", failures.join("\n"));
}
