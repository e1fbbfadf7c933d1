//! `systole language-server`: answers an editor on standard input and output, until it says that it is done.

use crate::driver::{Done, Verdict};
use systole_base::diagnostic::{Diagnostic, Diagnostics};
use systole_language_server::editor;

/// Runs the command.
pub fn run() -> Done {
    editor::serve_stdio().map_err(|why| {
        let fault = Diagnostic::new(format!("the exchange with the editor broke off: {why}"));
        Diagnostics::from(
            fault.help("editors start this command themselves; `systole check FILE.rec` says the same to people"),
        )
    })?;
    Ok(Verdict::Good)
}
