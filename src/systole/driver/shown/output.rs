//! Where words go: results to standard output, messages and progress to standard error.

use super::diagnostic_json::{diagnostic_json, warning_json};
use crate::driver::stop;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use serde_json::{Map, Value};
use std::fmt;
use std::io::{Error, ErrorKind, IsTerminal, Write};
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use systole_base::diagnostic::{Diagnostic, render};

/// What the words of a command are written to.
enum Streams {
    /// Those of the process.
    Process,
    /// Nothing.
    Nowhere,
    /// Memory: what is printed and what is said beside it, for who called the command from a program.
    Kept(Mutex<(String, String)>),
}

/// The bars of a command, outer ones first, which another thread may look at.
#[derive(Clone, Default)]
pub struct Bars(Arc<Mutex<Vec<ProgressBar>>>);

impl Bars {
    /// That of the innermost work that goes on.
    pub fn last(&self) -> Option<ProgressBar> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().rfind(|bar| !bar.is_finished()).cloned()
    }

    fn add(&self, bar: &ProgressBar) {
        let mut bars = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bars.retain(|bar| !bar.is_finished());
        bars.push(bar.clone());
    }
}

/// A bar, which goes away with this.
pub struct Bar(ProgressBar);

impl Deref for Bar {
    type Target = ProgressBar;

    fn deref(&self) -> &ProgressBar {
        &self.0
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Two streams, and whether JSON was asked for.
pub struct Output {
    json: bool,
    streams: Streams,
    /// What is written under `--json` when the command ends, and what was said meanwhile.
    object: Mutex<(Option<Value>, Vec<Value>)>,
    /// Why standard output did not take all.
    refused: OnceLock<Error>,
    /// What it waits for.
    bars: Bars,
    /// When something was last written.
    heard: Mutex<Instant>,
}

impl Output {
    /// An output in one of the two forms.
    pub fn new(json: bool) -> Output {
        Output::of(json, Streams::Process)
    }

    /// An output of nothing at all, for work that runs beside others.
    pub fn silent() -> Output {
        Output::of(false, Streams::Nowhere)
    }

    /// An output that keeps what is printed, and messages.
    pub fn kept(json: bool, bars: Bars) -> Output {
        Output { bars, ..Output::of(json, Streams::Kept(Mutex::default())) }
    }

    fn of(json: bool, streams: Streams) -> Output {
        let (object, bars) = (Mutex::default(), Bars::default());
        Output { json, streams, object, refused: OnceLock::new(), bars, heard: Mutex::new(Instant::now()) }
    }

    /// What was printed, where it is kept.
    pub fn printed(&self) -> String {
        match &self.streams {
            Streams::Kept(kept) => kept.lock().unwrap_or_else(PoisonError::into_inner).0.clone(),
            Streams::Process | Streams::Nowhere => String::new(),
        }
    }

    /// What was said beside it, where it is kept.
    pub fn said(&self) -> String {
        match &self.streams {
            Streams::Kept(kept) => kept.lock().unwrap_or_else(PoisonError::into_inner).1.clone(),
            Streams::Process | Streams::Nowhere => String::new(),
        }
    }

    /// Whether what the command says is written as an object.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Whether somebody reads it who sees no progress bar.
    pub fn wants_signs(&self) -> bool {
        self.is_of_the_process() && !self.shows_bars()
    }

    /// How long nothing was written.
    pub fn silent_for(&self) -> Duration {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    /// The bar of the work that goes on, if there is one.
    pub fn last_bar(&self) -> Option<ProgressBar> {
        self.bars.last()
    }

    fn shows_bars(&self) -> bool {
        !self.json && self.is_of_the_process() && std::io::stderr().is_terminal()
    }

    fn is_heard(&self) {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
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
        self.is_heard();
        match &self.streams {
            Streams::Process => self.print_for_the_process(text),
            Streams::Nowhere => {}
            Streams::Kept(kept) => {
                kept.lock().unwrap_or_else(PoisonError::into_inner).0.extend([text, "\n"]);
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

    /// What the object of the command holds, under `--json` only; it is written by [`Output::end`].
    pub fn object(&self, value: &Value) {
        self.pending().0 = Some(value.clone());
    }

    /// Writes the object of the command, once, with all messages in it. Nothing is written where there is nothing to say.
    pub fn end(&self) {
        if let Some(object) = self.take_object()
            && (!self.is_of_the_process() || stop::claim_object())
        {
            self.print(&object.to_string());
        }
    }

    /// The object with all messages in it; none where there is nothing to say, or no object was asked for.
    pub fn take_object(&self) -> Option<Value> {
        let (object, said) = std::mem::take(&mut *self.pending());
        if !self.json || (object.is_none() && said.is_empty()) {
            return None;
        }
        let mut object = object.unwrap_or_else(|| Value::Object(Map::new()));
        if !said.is_empty() {
            object["diagnostics"] = Value::Array(said);
        }
        Some(object)
    }

    fn pending(&self) -> MutexGuard<'_, (Option<Value>, Vec<Value>)> {
        self.object.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Messages on standard error, and in the object of the command.
    pub fn diagnostics(&self, said: &[Diagnostic]) {
        self.pending().1.extend(said.iter().map(diagnostic_json));
        self.error(&render(said, self.has_colour()));
    }

    /// Something to look at that stops nothing, in the same two places.
    pub fn warning(&self, said: &Diagnostic) {
        self.pending().1.push(warning_json(said));
        let help = said.help_text().map_or_else(String::new, |help| format!("\n  help: {help}"));
        self.error(&format!("warning: {}{help}", said.message()));
    }

    /// A message on standard error.
    pub fn error(&self, text: &str) {
        self.is_heard();
        match &self.streams {
            Streams::Process => _ = writeln!(std::io::stderr().lock(), "{}", text.trim_end()),
            Streams::Nowhere => {}
            Streams::Kept(kept) => {
                kept.lock().unwrap_or_else(PoisonError::into_inner).1.extend([text.trim_end(), "\n"]);
            }
        }
    }

    /// A line beside a result that has standard output for itself; silent under `--json`.
    pub fn aside(&self, text: &str) {
        if !self.json {
            self.error(text);
        }
    }

    /// A progress bar that shows itself on a terminal only, and only when the work takes over a second.
    pub fn progress(&self, what: &'static str) -> Bar {
        self.bar(what, Some(1), "{msg:>9} {wide_bar} {percent:>3}% {time}")
    }

    /// The same for work of which nobody knows how much there is.
    pub fn busy(&self, what: &'static str) -> Bar {
        self.bar(what, None, "{msg:>9} {spinner} {elapsed}")
    }

    fn bar(&self, what: &'static str, length: Option<u64>, template: &str) -> Bar {
        let target =
            if self.shows_bars() { ProgressDrawTarget::stderr_with_hz(5) } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(length, target).with_message(what);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.with_key("time", time));
        }
        bar.enable_steady_tick(Duration::from_secs(1));
        self.bars.add(&bar);
        Bar(bar)
    }
}

/// How long it has taken until something of it is done, then how long it will take.
fn time(state: &ProgressState, text: &mut dyn fmt::Write) {
    let _ = match state.pos() {
        0 => write!(text, "{} s so far", state.elapsed().as_secs()),
        _ => write!(text, "{} s left", state.eta().as_secs()),
    };
}
