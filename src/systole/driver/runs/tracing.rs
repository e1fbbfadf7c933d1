//! `--trace`, `--vcd` and `--window`: files that show a run cycle by cycle.

use crate::driver::files;
use crate::driver::flags::program_arguments::TraceArguments;
use crate::report;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::Bindings;
use systole_program::array::{Program, Tensors};
use systole_run::sim;
use systole_run::sim::trace::{Recorder, Trace, Window};
use systole_run::sim::{Outcome, Settings};

/// Which files are asked for, and which cycles.
pub struct Tracing<'a> {
    arguments: &'a TraceArguments,
    window: Window,
}

impl<'a> Tracing<'a> {
    /// Reads the flags, before any work is done.
    ///
    /// # Errors
    /// A window that is none, or that cuts nothing.
    pub fn new(arguments: &'a TraceArguments) -> Checked<Tracing<'a>> {
        let window = arguments.window.as_deref().map(Window::parse).transpose()?;
        if window.is_some() && !is_wanted(arguments) {
            return Diagnostic::usage("`--window` cuts a trace, but none is asked for")
                .help("add `--trace FILE.json` or `--vcd FILE.vcd`")
                .alone();
        }
        Ok(Tracing { arguments, window: window.unwrap_or(Window::WHOLE) })
    }

    /// Runs a program, recorded where a file is asked for; `film` watches as well.
    pub fn simulate(
        &self,
        program: &Program,
        sizes: &Bindings,
        inputs: &Tensors,
        settings: &Settings,
        film: Option<&mut report::Recorder>,
    ) -> Checked<(Outcome, Option<Trace>)> {
        if !is_wanted(self.arguments) && film.is_none() {
            return Ok((sim::simulate(program, sizes, inputs, settings)?, None));
        }
        let recorder = is_wanted(self.arguments).then(|| Recorder::new(program, settings, self.window));
        let mut observers = (recorder, film);
        let outcome = sim::simulate_observed(program, sizes, inputs, settings, &mut observers)?;
        let trace = observers.0.map(|recorder| recorder.finish(&outcome)).transpose()?;
        Ok((outcome, trace))
    }

    /// Writes the files, of a run that deadlocked too.
    pub fn write(&self, trace: Option<&Trace>) -> Checked<()> {
        let Some(trace) = trace else { return Ok(()) };
        if let Some(path) = &self.arguments.trace {
            files::write_by(path, |file| trace.write_chrome(file))?;
        }
        if let Some(path) = &self.arguments.vcd {
            files::write_by(path, |file| trace.write_vcd(file))?;
        }
        Ok(())
    }
}

fn is_wanted(arguments: &TraceArguments) -> bool {
    arguments.trace.is_some() || arguments.vcd.is_some()
}
