//! Each `tests/errors/*.rec` is refused with the message in the `.expect` beside it; `BLESS=1` rewrites those.

use super::expected::{cases, hold};
use std::fs;
use std::path::Path;
use systole_base::diagnostic::render;
use systole_base::span::Source;
use systole_equations::recurrence::load;

/// The messages for a kernel, or what is wrong with the test itself.
fn refuse(path: &Path) -> Result<String, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    match load(&Source::new(&name, text)) {
        Ok(_) => Err(format!("{name} is accepted")),
        Err(errors) => Ok(render(&errors, false)),
    }
}

#[test]
fn every_refusal_says_what_is_expected() {
    let paths = cases("tests/errors", "rec");
    assert!(paths.len() >= 30, "only {} refusals are tested", paths.len());
    hold(&paths, refuse);
}
