//! Each `tests/errors/*.rec` is refused with the message in the `.expect` beside it; `BLESS=1` rewrites those.

use std::fs;
use std::path::{Path, PathBuf};
use systole::diagnostic::render;
use systole::recurrence::load;
use systole::span::Source;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors")
}

/// The messages for a kernel, or what is wrong with the test itself.
fn refuse(path: &Path) -> Result<String, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    match load(&Source::new(&name, text)) {
        Ok(_) => Err(format!("{name} is accepted")),
        Err(errors) => Ok(render(&errors, false)),
    }
}

fn compare(path: &Path) -> Result<(), String> {
    let found = refuse(path)?;
    let expect = path.with_extension("expect");
    if std::env::var_os("BLESS").is_some() {
        return fs::write(&expect, found).map_err(|error| error.to_string());
    }
    let wanted = fs::read_to_string(&expect).unwrap_or_default();
    if found == wanted { Ok(()) } else { Err(format!("{}\nfound:\n{found}\nwanted:\n{wanted}", path.display())) }
}

#[test]
fn every_refusal_says_what_is_expected() {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "rec"));
    paths.sort();
    assert!(paths.len() >= 30, "only {} refusals are tested", paths.len());
    let failures: Vec<String> = paths.iter().filter_map(|path| compare(path).err()).collect();
    assert!(failures.is_empty(), "{}\n(BLESS=1 accepts)", failures.join("\n"));
}
