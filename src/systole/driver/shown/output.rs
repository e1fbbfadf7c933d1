//! Where words go: results to standard output, messages and progress to standard error.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{Error, ErrorKind, IsTerminal, Write};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// What the words of a command are written to.
enum Streams {
    /// Those of the process.
    Process,
    /// Nothing.
    Nowhere,
    /// Memory: what is printed, for who called the command from a program.
    Kept(Mutex<String>),
}

/// Two streams, and whether JSON was asked for.
pub struct Output {
    json: bool,
    streams: Streams,
    /// Why standard output did not take all.
    refused: OnceLock<Error>,
}

impl Output {
    /// An output in one of the two forms.
    pub fn new(json: bool) -> Output {
        Output { json, streams: Streams::Process, refused: OnceLock::new() }
    }

    /// An output of nothing at all, for work that runs beside others.
    pub fn silent() -> Output {
        Output { json: false, streams: Streams::Nowhere, refused: OnceLock::new() }
    }

    /// An output that keeps what is printed, and drops messages.
    pub fn kept(json: bool) -> Output {
        Output { json, streams: Streams::Kept(Mutex::default()), refused: OnceLock::new() }
    }

    /// What was printed, where it is kept.
    pub fn printed(&self) -> String {
        match &self.streams {
            Streams::Kept(text) => text.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            Streams::Process | Streams::Nowhere => String::new(),
        }
    }

    fn is_of_the_process(&self) -> bool {
        matches!(self.streams, Streams::Process)
    }

    /// Whether messages may be coloured.
    pub fn has_colour(&self) -> bool {
        self.is_of_the_process() && std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
    }

    /// A line of the table; silent under `--json`.
    pub fn line(&self, text: &str) {
        if !self.json {
            self.print(text);
        }
    }

    /// Text on standard output as it is. A reader that has gone away is no error of ours.
    pub fn print(&self, text: &str) {
        match &self.streams {
            Streams::Process => self.print_for_the_process(text),
            Streams::Nowhere => {}
            Streams::Kept(kept) => {
                kept.lock().unwrap_or_else(PoisonError::into_inner).extend([text, "\n"]);
            }
        }
    }

    fn print_for_the_process(&self, text: &str) {
        let mut out = std::io::stdout().lock();
        if let Err(error) = writeln!(out, "{text}").and_then(|()| out.flush())
            && error.kind() != ErrorKind::BrokenPipe
        {
            let _ = self.refused.set(error);
        }
    }

    /// Why standard output did not take all that was printed, where it did not.
    pub fn refused(&self) -> Option<&Error> {
        self.refused.get()
    }

    /// The JSON object, under `--json` only.
    pub fn object(&self, value: &serde_json::Value) {
        if self.json {
            self.print(&value.to_string());
        }
    }

    /// A message on standard error.
    pub fn error(&self, text: &str) {
        if self.is_of_the_process() {
            let _ = writeln!(std::io::stderr().lock(), "{}", text.trim_end());
        }
    }

    /// A line beside a result that has standard output for itself; silent under `--json`.
    pub fn aside(&self, text: &str) {
        if !self.json {
            self.error(text);
        }
    }

    /// A progress bar that shows itself on a terminal only, and only when the work takes over a second.
    pub fn progress(&self, what: &'static str) -> ProgressBar {
        let visible = std::io::stderr().is_terminal() && !self.json && self.is_of_the_process();
        let target = if visible { ProgressDrawTarget::stderr_with_hz(5) } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(1), target).with_message(what);
        if let Ok(style) = ProgressStyle::with_template("{msg:>9} {wide_bar} {percent:>3}% {eta}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_secs(1));
        bar
    }
}
