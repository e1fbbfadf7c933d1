//! A check that is made again whenever a file changes.
//!
//! The text is read again and again: editors write a file anew or put another in its place, and either is seen so.

use crate::driver::shown::output::Output;
use crate::driver::{Done, Verdict, pipeline};
use std::path::Path;
use std::time::Duration;
use systole_base::diagnostic::Diagnostic;

/// How often the file is looked at.
const PAUSE: Duration = Duration::from_millis(200);

/// Checks a kernel now and whenever its file changes, until Ctrl-C.
pub fn run(kernel: &str, check: impl Fn() -> Done, output: &Output) -> Done {
    let Some(path) = pipeline::file(kernel) else { return Err(no_file(kernel).into()) };
    let (mut before, mut seen) = (None, None);
    loop {
        let text = std::fs::read(path).ok();
        // What two looks in a row agree on: an editor may be about to write the rest.
        let is_whole = before.replace(text.clone()) == Some(text.clone());
        if is_whole && seen.as_ref() != Some(&text) {
            let verdict = check().unwrap_or_else(|failure| {
                failure.say(output);
                failure.verdict
            });
            output.end();
            output.aside(&format!("\n{}; Ctrl-C ends this", state(path, verdict)));
            seen = Some(text);
        }
        std::thread::sleep(PAUSE);
    }
}

fn state(path: &Path, verdict: Verdict) -> String {
    match verdict {
        Verdict::Good => format!("{} is well, and is checked again when it changes", path.display()),
        _ => format!("{} is checked again when it changes", path.display()),
    }
}

fn no_file(kernel: &str) -> Vec<Diagnostic> {
    let said = Diagnostic::usage(format!("`{kernel}` is no file that could change"));
    vec![said.help("leave `--watch` out, or write the kernel into a file: systole new product.rec")]
}
